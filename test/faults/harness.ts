import { randomBytes } from 'node:crypto';
import { homedir } from 'node:os';
import path from 'node:path';
import { systemClock } from '../../src/base/clock.ts';
import { silentLog } from '../../src/base/log.ts';
import { createEngine } from '../../src/engine/engine.ts';
import { imageSources } from '../../src/engine/environment/images.ts';
import { Options, type OptionsInput } from '../../src/engine/options.ts';
import type { Engine, Owner, RunOutput, RunRequest, RunResult, SessionStore } from '../../src/engine/types.ts';
import { dockerHost } from '../../src/host/docker/dockerHost.ts';
import type { Host } from '../../src/host/host.ts';
import { thisOwner } from '../../src/host/identity.ts';
import { LABEL } from '../../src/host/labels.ts';
import { LANGUAGES } from '../../src/languages/registry.ts';
import { loadAgent } from '../../src/sandbox/agentBundle.ts';
import { testHost } from '../testHost.ts';

const images = path.resolve(import.meta.dirname, '../../images');

export const OWNER: Owner = { id: 'faults', kind: 'notebook', label: 'faults' };

/** Small and quick to create: no test here needs libraries. */
const SMALL = { limits: { memoryMb: 128 }, python: { preload: [] } } satisfies OptionsInput;

const WARM_MS = 30_000;

/** An engine on a real host, whose containers no other test has. */
export interface FaultBench {
  readonly engine: Engine;
  /** Value of its containers' machine label. */
  readonly machine: string;
  readonly host: Host;
  run(code: string, rest?: Partial<RunRequest>, signal?: AbortSignal): Promise<RunResult>;
  /** Starts a run and waits for its first output, `go`. */
  begin(code: string, rest?: Partial<RunRequest>, signal?: AbortSignal): Promise<{ result: Promise<RunResult> }>;
  /** The same for code that prints something itself. */
  beginPrinting(
    code: string,
    rest?: Partial<RunRequest>,
    signal?: AbortSignal,
  ): Promise<{ result: Promise<RunResult> }>;
  /** The id of a new session. */
  open(): Promise<string>;
  /** Ids of its containers, by the host's own account. */
  containers(): Promise<string[]>;
  /** Sandboxes of its pool that are in a state. */
  slots(state: string): readonly string[];
  /** Runs once and waits until the pool is full. */
  warm(size?: number): Promise<void>;
}

/** `address` as in DOCKER_HOST; the host of the tests when left out. */
export async function faultBench(
  options: OptionsInput = {},
  address = '',
  machine = `faults-${randomBytes(6).toString('hex')}`,
  sessionStore?: SessionStore,
): Promise<FaultBench> {
  const host = address ? dockerHost({ host: address, env: process.env, home: homedir(), log: silentLog }) : testHost();
  const engine = createEngine({
    connect: () => host,
    agent: await loadAgent(path.join(images, 'agent')),
    options: Options.parse({ ...SMALL, ...options }),
    clock: systemClock,
    log: silentLog,
    identity: { machine, owner: await thisOwner() },
    languages: LANGUAGES,
    images: imageSources(images, async () => ({ buildArgs: {} })),
    ...(sessionStore && { sessionStore }),
  });
  return benchOf(engine, host, machine);
}

function benchOf(engine: Engine, host: Host, machine: string): FaultBench {
  const run = (code: string, rest: Partial<RunRequest> = {}, signal?: AbortSignal, onOutput?: (o: RunOutput) => void) =>
    engine.run({ language: 'python', code, owner: OWNER, ...rest }, onOutput, signal);
  const slots = (state: string) =>
    engine
      .snapshot()
      .environments.flatMap(({ sandboxes }) => sandboxes.filter((s) => s.state === state).map((s) => s.id));
  const beginPrinting: FaultBench['beginPrinting'] = async (code, rest, signal) => {
    let result: Promise<RunResult> = new Promise(() => {});
    await new Promise<void>((resolve) => {
      result = run(code, rest, signal, () => resolve());
      void result.then(() => resolve());
    });
    return { result };
  };
  return {
    engine,
    host,
    machine,
    run: (code, rest, signal) => run(code, rest, signal),
    begin: (code, rest, signal) => beginPrinting(`print('go')\n${code}`, rest, signal),
    beginPrinting,
    open: async () => {
      const opened = await engine.openSession('python', OWNER);
      if (!opened.ok) throw new Error(opened.error.message);
      return opened.value.id;
    },
    containers: async () => (await host.list({ [LABEL.machine]: machine })).map(({ id }) => id),
    slots,
    warm: async (size = 2) => {
      const { status, error } = await run('print(1)');
      if (status !== 'ok') throw new Error(`the first run ended as ${status}: ${error?.message}`);
      for (const late = performance.now() + WARM_MS; slots('idle').length !== size; await pause(20)) {
        if (performance.now() > late) throw new Error(`the pool was not full after ${WARM_MS} ms`);
      }
    },
  };
}

/** A call's answer and how long it took, in milliseconds. */
export interface Timed<T> {
  readonly value: T;
  readonly ms: number;
}

export async function timed<T>(call: () => Promise<T>): Promise<Timed<T>> {
  const start = performance.now();
  const value = await call();
  return { value, ms: performance.now() - start };
}

/** The slowest of them, in milliseconds. */
export function slowest(answers: readonly Timed<unknown>[]): number {
  return Math.max(0, ...answers.map(({ ms }) => ms));
}

export function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

/** A number below `limit` from a sequence that is the same in every run. */
export function dice(seed: number): (limit: number) => number {
  let state = seed;
  return (limit) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * limit);
  };
}
