import { homedir } from 'node:os';
import path from 'node:path';
import { systemClock } from '../../src/base/clock.ts';
import { silentLog } from '../../src/base/log.ts';
import { createEngine } from '../../src/engine/engine.ts';
import { imageSources } from '../../src/engine/environment/images.ts';
import { Options, type OptionsInput } from '../../src/engine/options.ts';
import type { Engine, Owner, RunResult } from '../../src/engine/types.ts';
import { machineBuildSettings } from '../../src/host/buildSettings.ts';
import { dockerHost } from '../../src/host/docker/dockerHost.ts';
import { machineId, thisOwner } from '../../src/host/identity.ts';
import type { LanguageDefinition } from '../../src/languages/languageDefinition.ts';
import { LANGUAGES } from '../../src/languages/registry.ts';
import { installerPrograms } from '../../src/local/installerPrograms.ts';
import { loadAgent } from '../../src/sandbox/agentBundle.ts';
import { hostIn } from '../host/local/hostIn.ts';

const images = path.resolve(import.meta.dirname, '../../images');

const SURROUNDINGS = { env: process.env, home: homedir() };

export const OWNER: Owner = { id: 'bench', kind: 'cli', label: 'bench' };

/** The languages of an engine that warms nothing but Python. */
export const PYTHON_ALONE: readonly LanguageDefinition[] = LANGUAGES.filter(({ id }) => id === 'python');

/** An engine on the machine's Docker Engine, or without one by `host.kind: local`, with `options` over the defaults. */
export async function realEngine(
  options: OptionsInput,
  languages: readonly LanguageDefinition[] = LANGUAGES,
): Promise<Engine> {
  return createEngine({
    connect: ({ host: { kind }, docker: { host } }) =>
      kind === 'local' ? hostIn(homedir()) : dockerHost({ host, ...SURROUNDINGS, log: silentLog }),
    agent: await loadAgent(path.join(images, 'agent')),
    options: Options.parse(options),
    clock: systemClock,
    log: silentLog,
    identity: { machine: await machineId(), owner: await thisOwner() },
    languages,
    images: imageSources(images, () => machineBuildSettings(process.env)),
    installers: installerPrograms(images),
  });
}

/** A one-shot run or a cell. Throws when it does not end well, so that no failure is timed. */
export async function run(engine: Engine, code: string, sessionId?: string): Promise<RunResult> {
  const result = await engine.run({ language: 'python', code, owner: OWNER, ...(sessionId ? { sessionId } : {}) });
  if (result.status !== 'ok') throw new Error(`${code}: ${result.status} ${result.error?.message}`);
  return result;
}

/** The ids of the containers of an engine's running sandboxes. */
export function containersOf(engine: Engine): string[] {
  const all = engine.snapshot().environments.flatMap(({ sandboxes }) => sandboxes);
  return all.filter(({ state }) => state !== 'booting').map(({ id }) => id);
}

/** Resolves when `count` sandboxes are warm, preloading or the header of Lean included. */
export async function warm(engine: Engine, count: number, header = ''): Promise<void> {
  for (;;) {
    const all = engine.snapshot().environments.flatMap(({ sandboxes }) => sandboxes);
    const idle = all.filter((sandbox) => sandbox.state === 'idle' && sandbox.poolKey.trim() === header);
    if (idle.length >= count) return;
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

/** Time for what a sandbox does by itself once it is warm (preloading); no event marks its end. */
export const SETTLE_MS = 4_000;
