import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { systemClock } from '../base/clock.ts';
import type { Log } from '../base/log.ts';
import type { HostOptions } from '../engine/deps.ts';
import { createEngine } from '../engine/engine.ts';
import { imageSources } from '../engine/environment/images.ts';
import type { Options } from '../engine/options.ts';
import type { Engine, SessionStore } from '../engine/types.ts';
import { machineBuildSettings } from '../host/buildSettings.ts';
import { chosenHost } from '../host/chosenHost.ts';
import { dockerHost } from '../host/docker/dockerHost.ts';
import type { Host } from '../host/host.ts';
import { processIdentity } from '../host/identity.ts';
import { localHost } from '../host/local/localHost.ts';
import type { LanguageDefinition } from '../languages/languageDefinition.ts';
import { LANGUAGES } from '../languages/registry.ts';
import { loadAgent } from '../sandbox/agentBundle.ts';
import { environmentFiles } from './environmentFiles.ts';
import { installerPrograms } from './installerPrograms.ts';
import { useBoard } from './useBoard.ts';

/** What an engine needs from its process. */
export interface LocalEngineSettings {
  /** Default: every language. */
  readonly languages?: readonly LanguageDefinition[];
  readonly options: Options;
  readonly log: Log;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The user's home folder. */
  readonly home: string;
  /** The folder `images` of this installation: the agent, and what each language's image is built from. */
  readonly imagesFolder: string;
  readonly sessionStore?: SessionStore;
  /** Whether it serves for long: it then leaves warm sandboxes to the user's engine that is in use. Default: no. */
  readonly isLasting?: boolean;
}

type Surroundings = Pick<LocalEngineSettings, 'env' | 'home' | 'log' | 'imagesFolder'>;

function connect({ host: { kind }, docker: { host, runtime } }: HostOptions, surroundings: Surroundings): Host {
  const { env, home, log } = surroundings;
  if (kind === 'local') return localHost(surroundings);
  const engine = dockerHost({ host, env, home, log });
  // An engine that the user has named is meant, and so is a runtime.
  const isNamed = [host, runtime, env.DOCKER_HOST, env.DOCKER_CONTEXT].some(Boolean);
  if (kind === 'docker' || isNamed || process.platform !== 'linux') return engine;
  return chosenHost(engine, localHost(surroundings), log);
}

/**
 * An engine for this process: the editor and the command line compose it here. Rejects when the agent cannot be read.
 */
export async function createLocalEngine(settings: LocalEngineSettings): Promise<Engine> {
  const { languages = LANGUAGES, options, log, env, home, imagesFolder, sessionStore, isLasting } = settings;
  const [agent, identity] = await Promise.all([loadAgent(join(imagesFolder, 'agent')), processIdentity()]);
  const board = isLasting ? await useBoard(join(home, '.hothouse', 'used'), identity.owner, log) : null;
  return createEngine({
    connect: (wanted) => connect(wanted, { env, home, log, imagesFolder }),
    agent,
    languages,
    options,
    clock: systemClock,
    log,
    identity,
    environments: environmentFiles(join(home, '.hothouse', 'environments')),
    installers: installerPrograms(imagesFolder),
    certificates: (path) => readFile(path, 'utf8'),
    images: imageSources(imagesFolder, () => machineBuildSettings(env)),
    ...(sessionStore && { sessionStore }),
    ...(board && { useBoard: board }),
  });
}
