import { homedir } from 'node:os';
import path from 'node:path';
import { systemClock } from '../../src/base/clock.ts';
import { silentLog } from '../../src/base/log.ts';
import { specOf } from '../../src/engine/environment/sandboxSpec.ts';
import { DEFAULT_OPTIONS } from '../../src/engine/options.ts';
import { dockerHost } from '../../src/host/docker/dockerHost.ts';
import { machineId, thisOwner } from '../../src/host/identity.ts';
import { LANGUAGES } from '../../src/languages/registry.ts';
import { loadAgent } from '../../src/sandbox/agentBundle.ts';
import { bootSandbox } from '../../src/sandbox/boot.ts';
import type { Sandbox } from '../../src/sandbox/sandbox.ts';
import { python } from '../languages/python/language.ts';
import { type Timing, timing } from './stats.ts';

/** Of the whole reset as the engine waits for it, and of the agent's part: killing, wiping and looking. */
export interface ResetTimings {
  readonly whole: Timing;
  readonly agent: Timing;
}

const BYTES = 1024 * 1024;
const WARM_UP = 20;
const PRELOADED_FOR_MS = 1_000;
const PACE_MS = 25;
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** Times `count` resets, each after a run of `code`, with these modules preloaded. Throws when one is not clean. */
export function resetTimings(code: string, count: number, preload: readonly string[]): Promise<ResetTimings> {
  return withResets(preload, (times) => times(code, count));
}

/** Lends what times `count` resets of one sandbox with these modules preloaded, each after a run of `code`. */
export async function withResets<T>(
  preload: readonly string[],
  use: (times: (code: string, count: number) => Promise<ResetTimings>) => Promise<T>,
): Promise<T> {
  const host = dockerHost({ env: process.env, home: homedir(), log: silentLog });
  const identity = { machine: await machineId(), owner: await thisOwner() };
  const agent = await loadAgent(path.resolve(import.meta.dirname, '../../images/agent'));
  const spec = specOf(LANGUAGES[0], DEFAULT_OPTIONS, identity);
  const sandbox = await bootSandbox(host, {
    spec,
    agent,
    outputBytes: BYTES,
    eventBytes: BYTES,
    events: 1000,
    clock: systemClock,
  });
  try {
    await sandbox.request({ op: 'preload', modules: [...preload] });
    await pause(PRELOADED_FOR_MS);
    return await use((code, count) => timesOf(sandbox, code, count));
  } finally {
    await sandbox.dispose();
    await host.dispose();
  }
}

async function timesOf(sandbox: Sandbox, code: string, count: number): Promise<ResetTimings> {
  const cell = { code, name: '<code>', stdin: '', state: null };
  const samples: { whole: number; agent: number }[] = [];
  for (let turn = -WARM_UP; turn < count; turn += 1) {
    await pause(PACE_MS);
    const { status } = await python.open(sandbox, { once: true, code }).run(cell, () => {});
    const started = performance.now();
    const { clean, leftovers, durationMs } = await sandbox.reset(DEFAULT_OPTIONS.pool.resetDeadlineMs);
    if (status !== 'ok' || !clean) throw new Error(`${code}: ${status}, left: ${leftovers.join(', ')}`);
    if (turn >= 0) samples.push({ whole: performance.now() - started, agent: durationMs });
  }
  return { whole: timing(samples.map(({ whole }) => whole)), agent: timing(samples.map(({ agent: own }) => own)) };
}
