import { randomBytes } from 'node:crypto';
import path from 'node:path';
import { expect } from 'vitest';
import { systemClock } from '../../src/base/clock.ts';
import { silentLog } from '../../src/base/log.ts';
import type { EngineDependencies } from '../../src/engine/deps.ts';
import { createEngine } from '../../src/engine/engine.ts';
import { imageSources } from '../../src/engine/environment/images.ts';
import { Options, type OptionsInput } from '../../src/engine/options.ts';
import type { Engine, Owner, RunRequest, RunResult } from '../../src/engine/types.ts';
import type { Host } from '../../src/host/host.ts';
import { thisOwner } from '../../src/host/identity.ts';
import { LABEL } from '../../src/host/labels.ts';
import { LANGUAGES } from '../../src/languages/registry.ts';
import { loadAgent } from '../../src/sandbox/agentBundle.ts';
import { testHost } from '../testHost.ts';

/** Where the agent's sources are. */
export const AGENT = path.resolve(import.meta.dirname, '../../images/agent');

export const OWNER: Owner = { id: 'attacker', kind: 'mcp', label: 'attacker' };

/** An engine of the test's own. */
export interface Isolated {
  readonly engine: Engine;
  /** Ids of the containers that it has now, as the host lists them. */
  containers(): Promise<string[]>;
  /** Removes everything. */
  dispose(): Promise<void>;
}

/** An engine on real containers: one warm sandbox, so that a second run meets what the first one left. */
export async function isolationEngine(
  options: OptionsInput = {},
  deps: Partial<Pick<EngineDependencies, 'agent' | 'log'>> & { readonly connect?: () => Host } = {},
): Promise<Isolated> {
  const { log = silentLog } = deps;
  const connect = deps.connect ?? (() => testHost(log));
  const machine = `isolation-${randomBytes(8).toString('hex')}`;
  const engine = createEngine({
    connect,
    agent: deps.agent ?? (await loadAgent(AGENT)),
    options: Options.parse({
      ...options,
      python: { preload: [], ...options.python },
      // A slow machine must not turn a clean reset into a lost one.
      pool: { size: 1, resetDeadlineMs: 5_000, ...options.pool },
    }),
    clock: systemClock,
    log,
    identity: { machine, owner: await thisOwner() },
    languages: LANGUAGES,
    images: imageSources(path.resolve(import.meta.dirname, '../../images'), async () => ({ buildArgs: {} })),
  });
  const host = connect();
  return {
    engine,
    containers: async () => (await host.list({ [LABEL.machine]: machine })).map(({ id }) => id),
    dispose: async () => {
      await engine.dispose();
      await host.dispose();
    },
  };
}

/** A one-shot run. */
export function run(
  { engine }: Isolated,
  code: string,
  rest: Partial<RunRequest> = {},
  signal?: AbortSignal,
): Promise<RunResult> {
  return engine.run({ language: 'python', owner: OWNER, code, ...rest }, undefined, signal);
}

/** The state variable `seen` of a run that must succeed. */
export async function look(isolated: Isolated, code: string, rest: Partial<RunRequest> = {}): Promise<unknown> {
  const result = await run(isolated, code, { state: {}, ...rest });
  expect(result).toMatchObject({ status: 'ok', error: null });
  return result.state?.seen;
}

/** Runs `attack`, then `looking` in the same sandbox after its reset; returns the findings of `looking`. */
export async function lookAfter(isolated: Isolated, attack: string, looking: string): Promise<unknown> {
  expect(await run(isolated, attack)).toMatchObject({ status: 'ok', error: null });
  const before = sandboxes(isolated);
  const seen = await look(isolated, looking);
  expect(sandboxes(isolated)).toEqual(before);
  return seen;
}

/** Ids of the pool's sandboxes. */
export function sandboxes({ engine }: Isolated): string[] {
  return engine.snapshot().environments.flatMap((environment) => environment.sandboxes.map(({ id }) => id));
}

/** Python that counts every process of its sandbox. */
export const PROCESSES = 'import os\nseen = sum(name.isdigit() for name in os.listdir("/proc"))';
