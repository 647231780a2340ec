import type { Clock } from '../../base/clock.ts';
import { type Log, messageOf } from '../../base/log.ts';
import type { Sandbox } from '../../sandbox/sandbox.ts';
import type { Warming } from '../language.ts';

/** An import that takes longer than this will not end; its sandbox is of no use. */
const DEADLINE_MS = 120_000;

/** What preloading works with. */
export interface PreloadDeps {
  /** Names of the modules to import, as the options say when it is asked. */
  readonly modules: () => readonly string[];
  readonly clock: Clock;
  readonly log: Log;
}

/**
 * Has sandboxes import their modules and keep a process ready. A new one can serve meanwhile; after a reset it is waited
 * for: under a load without pauses a sandbox would never come to it, and every run would pay for its imports.
 */
export function preloader(deps: PreloadDeps): (sandbox: Sandbox, warming: Warming) => Promise<void> | null {
  // The zygote keeps its modules: once is enough for the sandbox's life.
  const done = new WeakSet<Sandbox>();
  return (sandbox, { after }) => {
    if (done.has(sandbox)) return null;
    const preloading = preload(sandbox, deps, done);
    return after === 'boot' ? null : preloading;
  };
}

/** Never rejects. */
async function preload(sandbox: Sandbox, { modules, clock, log }: PreloadDeps, done: WeakSet<Sandbox>): Promise<void> {
  const name = `sandbox ${sandbox.id.slice(0, 12)}`;
  const late = clock.schedule(DEADLINE_MS * clock.slowness(), () => void sandbox.dispose().catch(() => {}));
  try {
    await sandbox.request({ op: 'preload', modules: [...modules()] });
    done.add(sandbox);
    log.debug(`${name} has preloaded its modules`);
  } catch (error) {
    log.debug(`${name} could not tell what it preloaded: ${messageOf(error)}`);
  } finally {
    late.dispose();
  }
}
