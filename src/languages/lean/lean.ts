import type { Clock } from '../../base/clock.ts';
import type { Sandbox } from '../../sandbox/sandbox.ts';
import type { Language } from '../language.ts';
import { compose } from './body.ts';
import { LeanOnce } from './oneShot.ts';
import { openLeanSession } from './session/leanSession.ts';
import type { LeanSettings } from './settings.ts';
import { headerKey } from './text/header.ts';
import { LeanWorker } from './worker/worker.ts';

/** What Lean works with; the settings are those in force when it is asked. */
export interface LeanDeps {
  readonly settings: () => LeanSettings;
  readonly clock: Clock;
}

/** A header that takes longer than this will not end; its sandbox is of no use. */
const HEADER_DEADLINE_MS = 600_000;

/** Lean: every sandbox has one server, which has elaborated the header that its pool is for. */
export function leanLanguage({ settings, clock }: LeanDeps): Language {
  const workers = new WeakMap<Sandbox, LeanWorker>();
  const start = async (sandbox: Sandbox, header: string) => {
    const worker = await LeanWorker.start(sandbox, header);
    workers.set(sandbox, worker);
    return worker;
  };
  return {
    id: 'lean',
    keyOf: (code, context) => headerKey(compose(code, context).header),
    open(sandbox, { once, onKey = () => {} }) {
      const worker = workers.get(sandbox) ?? null;
      if (!once) return openLeanSession(sandbox, worker, settings(), clock);
      const given = async () => worker ?? start(sandbox, '');
      return new LeanOnce({ sandbox, worker: given, settings: settings(), onHeader: onKey });
    },
    async warm(sandbox, { key }) {
      workers.delete(sandbox);
      const late = clock.schedule(HEADER_DEADLINE_MS, () => void sandbox.dispose().catch(() => {}));
      try {
        await (await start(sandbox, key)).warmUp();
      } finally {
        late.dispose();
      }
    },
  };
}
