import type { Log } from '../../src/base/log.ts';
import { createEngine } from '../../src/engine/engine.ts';
import { type EnvironmentStore, memoryStore } from '../../src/engine/environment/environmentStore.ts';
import { imageSources } from '../../src/engine/environment/images.ts';
import type { UseBoard } from '../../src/engine/environment/warmTurns.ts';
import { Options, type OptionsInput } from '../../src/engine/options.ts';
import type { Engine, Owner, RunRequest, RunResult, SessionInfo } from '../../src/engine/types.ts';
import type { LanguageDefinition } from '../../src/languages/languageDefinition.ts';
import { LANGUAGES } from '../../src/languages/registry.ts';
import { FakeHost, type FakeHostOptions } from '../host/fakeHost.ts';
import { ManualClock } from '../host/manualClock.ts';

export const ALICE: Owner = { id: 'alice', kind: 'mcp', label: 'Alice' };
export const BOB: Owner = { id: 'bob', kind: 'notebook', label: 'Bob' };

/** Only what never comes takes so long, however slow the machine. */
const NEVER_MS = 60_000;

/** Waits until `holds`, without moving the engine's clock. */
export async function until(holds: () => boolean): Promise<void> {
  for (const late = performance.now() + NEVER_MS; !holds(); ) {
    if (performance.now() > late) throw new Error(`it never came to: ${holds}`);
    await new Promise((resolve) => setImmediate(resolve));
  }
}

/** An engine over fake hosts that speak the real protocol, with a manual clock. */
export class EngineBench {
  readonly clock = new ManualClock();
  readonly hosts: FakeHost[] = [];
  /** What the engine has logged, without debug lines. */
  readonly logged: string[] = [];
  readonly engine: Engine;

  constructor(
    options: OptionsInput = {},
    host: FakeHostOptions = {},
    languages: readonly LanguageDefinition[] = LANGUAGES,
    environments: EnvironmentStore = memoryStore(),
    useBoard?: UseBoard,
  ) {
    this.engine = createEngine({
      connect: () => {
        const made = new FakeHost({ clock: this.clock, ...host });
        this.hosts.push(made);
        return made;
      },
      agent: Buffer.from('00000004pass'),
      options: Options.parse(options),
      clock: this.clock,
      log: this.#log(),
      identity: { machine: 'test', owner: 'test' },
      languages,
      environments,
      images: imageSources('/nowhere', async () => ({ buildArgs: {} })),
      ...(useBoard && { useBoard }),
    });
  }

  get host(): FakeHost {
    const host = this.hosts.at(-1);
    if (!host) throw new Error('the engine has connected to no host');
    return host;
  }

  get states(): string[] {
    const [environment] = this.engine.snapshot().environments;
    return (environment?.sandboxes ?? []).map(({ state }) => state).sort();
  }

  run(code: string, rest: Partial<RunRequest> = {}, signal?: AbortSignal): Promise<RunResult> {
    return this.engine.run({ language: 'python', owner: ALICE, code, ...rest }, undefined, signal);
  }

  /** Starts a run and waits for the first line of its output, so that its code runs. */
  async begin(code: string, rest: Partial<RunRequest> = {}): Promise<{ readonly result: Promise<RunResult> }> {
    let begun = false;
    const request = { language: 'python', owner: ALICE, code: `print go\n${code}`, ...rest } as const;
    const result = this.engine.run(request, () => {
      begun = true;
    });
    await until(() => begun);
    return { result };
  }

  /** A session that must open. */
  async open(owner = ALICE): Promise<string> {
    const opened = await this.engine.openSession('python', owner);
    if (!opened.ok) throw new Error(opened.error.message);
    return opened.value.id;
  }

  session(id: string): SessionInfo | undefined {
    return this.engine.snapshot().sessions.find((session) => session.id === id);
  }

  #log(): Log {
    const keep = (message: string) => void this.logged.push(message);
    return { debug: () => {}, info: keep, warn: keep, error: keep };
  }

  /** Waits until the session runs a cell. */
  busy(id: string): Promise<void> {
    return until(() => this.session(id)?.state === 'busy');
  }
}
