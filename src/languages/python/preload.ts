import type { Clock } from '../../base/clock.ts';
import { type Log, messageOf } from '../../base/log.ts';
import type { Sandbox } from '../../sandbox/sandbox.ts';
import type { Warming } from '../language.ts';

/** An import that takes longer than this counts as endless; its sandbox is destroyed. Milliseconds. */
const DEADLINE_MS = 120_000;

/** What preloading works with. */
export interface PreloadDeps {
  /** Names of the modules to import in a sandbox, as options and recent runs have them at the time of the call. */
  readonly modules: (sandbox: Sandbox) => readonly string[];
  readonly clock: Clock;
  readonly log: Log;
}

/**
 * Makes sandboxes import their modules and keep a process ready. A new sandbox can serve meanwhile. After a reset the
 * preload comes first: under constant load it would never run, and every run would pay for its imports.
 */
export function preloader(deps: PreloadDeps): (sandbox: Sandbox, warming: Warming) => Promise<void> | null {
  // The zygote keeps its modules, so once per sandbox and module is enough.
  const done = new WeakMap<Sandbox, ReadonlySet<string>>();
  return (sandbox, { after }) => {
    const wanted = deps.modules(sandbox);
    const has = done.get(sandbox);
    if (has && wanted.every((name) => has.has(name))) return null;
    const preloading = preload(sandbox, wanted, deps, done);
    return after === 'boot' ? null : preloading;
  };
}

/** Never rejects. */
async function preload(
  sandbox: Sandbox,
  wanted: readonly string[],
  { clock, log }: PreloadDeps,
  done: WeakMap<Sandbox, ReadonlySet<string>>,
): Promise<void> {
  const name = `sandbox ${sandbox.id.slice(0, 12)}`;
  const late = clock.schedule(DEADLINE_MS * clock.slowness(), () => void sandbox.dispose().catch(() => {}));
  try {
    await sandbox.request({ op: 'preload', modules: [...wanted] });
    done.set(sandbox, new Set([...(done.get(sandbox) ?? []), ...wanted]));
    log.debug(`${name} has preloaded its modules`);
  } catch (error) {
    log.debug(`${name} could not report what it preloaded: ${messageOf(error)}`);
  } finally {
    late.dispose();
  }
}
