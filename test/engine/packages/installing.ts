import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { systemClock } from '../../../src/base/clock.ts';
import { silentLog } from '../../../src/base/log.ts';
import { createEngine } from '../../../src/engine/engine.ts';
import { imageSources } from '../../../src/engine/environment/images.ts';
import { Options, type OptionsInput } from '../../../src/engine/options.ts';
import type { Engine, Owner, RunResult, SessionStore } from '../../../src/engine/types.ts';
import { machineBuildSettings } from '../../../src/host/buildSettings.ts';
import { dockerHost } from '../../../src/host/docker/dockerHost.ts';
import type { Host } from '../../../src/host/host.ts';
import { thisOwner } from '../../../src/host/identity.ts';
import { LANGUAGES } from '../../../src/languages/registry.ts';
import { installerPrograms } from '../../../src/local/installerPrograms.ts';
import { loadAgent } from '../../../src/sandbox/agentBundle.ts';

const IMAGES = path.resolve(import.meta.dirname, '../../../images');
export const PERSON: Owner = { id: 'person', kind: 'notebook', label: 'notebook' };

/** An engine that installs packages, with a label of its own for what it makes. */
export async function installingEngine(
  machine: string,
  options: OptionsInput,
  sessionStore?: SessionStore,
  through: (host: Host) => Host = (host) => host,
): Promise<Engine> {
  return createEngine({
    connect: ({ docker: { host } }) =>
      through(dockerHost({ host, env: process.env, home: process.env.HOME ?? '/', log: silentLog })),
    agent: await loadAgent(path.join(IMAGES, 'agent')),
    options: Options.parse({ python: { preload: [] }, pool: { size: 1 }, ...options }),
    clock: systemClock,
    log: silentLog,
    identity: { machine, owner: await thisOwner() },
    languages: LANGUAGES,
    images: imageSources(IMAGES, () => machineBuildSettings(process.env)),
    installers: installerPrograms(IMAGES),
    certificates: (file) => readFile(file, 'utf8'),
    ...(sessionStore && { sessionStore }),
  });
}

/** The id of a new session. */
export async function openSession(engine: Engine, language = 'python'): Promise<string> {
  const opened = await engine.openSession(language, PERSON);
  if (!opened.ok) throw new Error(opened.error.message);
  return opened.value.id;
}

/** Runs a cell. */
export function cell(engine: Engine, sessionId: string, code: string, language = 'python'): Promise<RunResult> {
  return engine.run({ language, code, owner: PERSON, sessionId });
}
