import type { Clock } from '../../base/clock.ts';
import type { Sandbox } from '../../sandbox/sandbox.ts';
import type { Language } from '../language.ts';
import { composeCode } from './oneShot/composedCode.ts';
import { OneShotCheck } from './oneShot/oneShotCheck.ts';
import { leanTask } from './report.ts';
import { openLeanSession } from './session/leanSession.ts';
import type { LeanSettings } from './settings.ts';
import { headerKey } from './text/header.ts';
import { LeanWorker } from './worker/worker.ts';

/** What Lean depends on; `settings` returns the current ones. */
export interface LeanDeps {
  readonly settings: () => LeanSettings;
  readonly clock: Clock;
}

/** A header that takes longer never ends, and its sandbox is disposed. */
const HEADER_DEADLINE_MS = 600_000;

/** The language Lean: each sandbox runs one server that has elaborated the header of its pool. */
export function leanLanguage({ settings, clock }: LeanDeps): Language {
  const workers = new WeakMap<Sandbox, IdleWorker>();
  const start = async (sandbox: Sandbox, header: string) => {
    const idle = new IdleWorker(sandbox, await LeanWorker.start(sandbox, header));
    workers.set(sandbox, idle);
    return idle;
  };
  return {
    keyOf(code, asked) {
      const task = leanTask(asked);
      // They use no worker, so that none of a header is spent on them.
      if (task?.kind === 'compile' || task?.kind === 'replay') return '';
      return headerKey(composeCode(code, task?.context ?? '').header);
    },
    open(sandbox, { once, onKey = () => {} }) {
      const warm = workers.get(sandbox)?.take() ?? null;
      if (!once) return openLeanSession(sandbox, warm, settings(), clock);
      const worker = async () => warm ?? (await start(sandbox, '')).take();
      const onFree = () => workers.get(sandbox)?.giveBack();
      return new OneShotCheck({ sandbox, worker, settings: settings(), clock, onHeader: onKey, onFree });
    },
    async warm(sandbox, { key }) {
      workers.delete(sandbox);
      const late = clock.schedule(HEADER_DEADLINE_MS, () => void sandbox.dispose().catch(() => {}));
      try {
        await (await start(sandbox, key)).worker.warmUp();
      } finally {
        late.dispose();
      }
    },
  };
}

/** A warm worker between checks: when its server ends, its sandbox is disposed, so that the pool makes another. */
class IdleWorker {
  readonly worker: LeanWorker;
  readonly #sandbox: Sandbox;
  #isIdle = true;

  constructor(sandbox: Sandbox, worker: LeanWorker) {
    this.#sandbox = sandbox;
    this.worker = worker;
    void worker.server.lost.then(() => this.#disposeIfLost());
  }

  /** From now on, the caller handles the end of the server. */
  take(): LeanWorker {
    this.#isIdle = false;
    return this.worker;
  }

  giveBack(): void {
    this.#isIdle = true;
    this.#disposeIfLost();
  }

  #disposeIfLost(): void {
    if (this.#isIdle && this.worker.server.isLost) void this.#sandbox.dispose().catch(() => {});
  }
}
