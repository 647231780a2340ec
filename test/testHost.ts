import { silentLog } from '../src/base/log.ts';
import { dockerHost } from '../src/host/docker/dockerHost.ts';
import type { Host } from '../src/host/host.ts';
import { localHost } from '../src/host/local/localHost.ts';

/** The host that tests on real sandboxes use: HOTHOUSE_TEST_HOST=local is this machine without a container engine. */
export function testHost(log = silentLog): Host {
  const { env } = process;
  const home = env.HOME ?? '/';
  return env.HOTHOUSE_TEST_HOST === 'local' ? localHost({ env, home }) : dockerHost({ env, home, log });
}
