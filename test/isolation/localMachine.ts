import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { silentLog } from '../../src/base/log.ts';
import { Options, type OptionsInput } from '../../src/engine/options.ts';
import type { Engine, RunRequest, RunResult } from '../../src/engine/types.ts';
import { createLocalEngine } from '../../src/local/localEngine.ts';
import { OWNER } from './harness.ts';

const IMAGES = path.resolve(import.meta.dirname, '../../images');

/** An engine on this machine without a container engine, with a home folder of its own. */
export interface LocalMachine {
  readonly engine: Engine;
  readonly home: string;
  /** A one-shot run of Python by the machine's own interpreter. */
  python(code: string, rest?: Partial<RunRequest>): Promise<RunResult>;
  dispose(): Promise<void>;
}

export async function localMachine(options: OptionsInput = {}): Promise<LocalMachine> {
  const home = await mkdtemp(path.join(tmpdir(), 'hothouse-local-'));
  const engine = await createLocalEngine({
    options: Options.parse({ ...options, host: { kind: 'local' }, pool: { size: 1, resetDeadlineMs: 5_000 } }),
    log: silentLog,
    env: process.env,
    home,
    imagesFolder: IMAGES,
  });
  // Bash needs nothing but the machine's own programs.
  const built = await engine.buildEnvironment('bash', () => {});
  if (!built.ok) throw new Error(built.error.message);
  return {
    engine,
    home,
    python: (code, rest = {}) =>
      engine.run({ language: 'bash', owner: OWNER, code: `exec python3 - <<'END'\n${code}\nEND`, ...rest }),
    dispose: async () => {
      await engine.dispose();
      await rm(home, { recursive: true });
    },
  };
}
