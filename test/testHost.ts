import { silentLog } from '../src/base/log.ts';
import { dockerHost } from '../src/host/docker/dockerHost.ts';
import type { Host } from '../src/host/host.ts';
import { hostIn } from './host/local/hostIn.ts';

/** Whether tests on real sandboxes use this machine without a container engine: HOTHOUSE_TEST_HOST=local. */
export const isOnLocalHost = process.env.HOTHOUSE_TEST_HOST === 'local';

/** The host that tests on real sandboxes use. */
export function testHost(log = silentLog): Host {
  const { env } = process;
  const home = env.HOME ?? '/';
  return isOnLocalHost ? hostIn(home) : dockerHost({ env, home, log });
}

/** The option `host.kind` of engines that choose their host by it. */
export const HOST_KIND = isOnLocalHost ? 'local' : 'auto';

/**
 * How code ends that takes more and more memory. Without a container engine the kernel may refuse it to the process, which
 * then ends by itself, before the agent's next count of all.
 */
export const ENDED_BY_MEMORY: ReadonlySet<string> = new Set(
  isOnLocalHost ? ['error', 'out_of_memory'] : ['out_of_memory'],
);

/**
 * How Python code ends that wants more memory than its limit in one piece. Without a container engine it is refused that
 * memory.
 */
export const OUT_OF_MEMORY = isOnLocalHost
  ? { status: 'error', error: { name: 'MemoryError' } }
  : { status: 'out_of_memory', error: { name: 'OutOfMemory' } };
