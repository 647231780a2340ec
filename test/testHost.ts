import { silentLog } from '../src/base/log.ts';
import { dockerHost } from '../src/host/docker/dockerHost.ts';
import type { Host } from '../src/host/host.ts';
import { localHost } from '../src/host/local/localHost.ts';

/** Whether tests on real sandboxes use this machine without a container engine: HOTHOUSE_TEST_HOST=local. */
export const isOnLocalHost = process.env.HOTHOUSE_TEST_HOST === 'local';

/** The host that tests on real sandboxes use. */
export function testHost(log = silentLog): Host {
  const { env } = process;
  const home = env.HOME ?? '/';
  return isOnLocalHost ? localHost({ env, home }) : dockerHost({ env, home, log });
}
