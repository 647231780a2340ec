import { LABEL } from '../../host/labels.ts';
import type { ContainerNetwork } from '../../host/network.ts';
import { type ContainerSpec, containerSpec, type SandboxLimits, type VolumeSpec } from '../../host/spec.ts';
import type { LanguageDefinition } from '../../languages/languageDefinition.ts';
import type { Identity } from '../deps.ts';
import { VIEW } from '../files/types.ts';
import type { Options } from '../options.ts';
import { type CustomEnvironment, type Profile, profileOf } from './profile.ts';

const MB = 1024 * 1024;

/** Where a session has its packages: root owns all of it. */
export const PACKAGES = '/packages';
const PACKAGES_VOLUME: VolumeSpec = { path: PACKAGES, name: null, isWritable: false };
/** Where a session can have a view of a folder: root owns all of it. */
const VIEW_VOLUME: VolumeSpec = { path: VIEW, name: null, isWritable: false };

/** Above the ids of people and services, outside of those that sandboxes get, and one that every user namespace has. */
/** An installer's own volume; `images/installers` names it too. */
export const INSTALLER_FOLDER = '/installer';
const INSTALLER_USER = 65_000;
const INSTALLER_LIMITS = {
  memoryBytes: 1024 * MB,
  cpus: 2,
  pids: 256,
  workspaceBytes: 512 * MB,
  tmpBytes: 64 * MB,
};

/** The limits of a language's sandboxes. */
function limitsOf({ limits, docker }: Options, { memory, cpus }: Profile, network: ContainerNetwork): SandboxLimits {
  return {
    memoryBytes: memory.mb * MB,
    cpus,
    pids: limits.pids,
    workspaceBytes: limits.workspaceMb * MB,
    tmpBytes: limits.tmpMb * MB,
    network,
    readOnlyRoot: limits.readOnly,
    runtime: docker.runtime || null,
  };
}

/**
 * The options of the pool. A reset empties only the mounts, so with a writable root no sandbox is used twice; nor with a
 * network, where connections outlive the processes that have opened them.
 */
export function poolOptionsOf({ pool, limits, network }: Options): Options['pool'] {
  const isSealed = network.policy === 'none' || network.policy === 'packages';
  return limits.readOnly && isSealed ? pool : { ...pool, reuse: 'never' };
}

/** The spec of the containers of an environment. */
export function specOf(
  language: LanguageDefinition,
  options: Options,
  { machine, owner }: Identity,
  custom?: CustomEnvironment,
  network: ContainerNetwork = 'none',
): ContainerSpec {
  const profile = profileOf(language, options, custom);
  const labels = {
    [LABEL.managed]: 'true',
    [LABEL.machine]: machine,
    [LABEL.owner]: owner,
    [LABEL.environment]: profile.environment,
    ...(custom && { [LABEL.language]: language.id }),
  };
  return containerSpec(profile.image, limitsOf(options, profile, network), labels, {
    variables: { ...profile.variables, ...language.environment(profile.cpus) },
    volumes: [...(language.packages ? [PACKAGES_VOLUME] : []), ...(language.editor.enterFolder ? [VIEW_VOLUME] : [])],
    reservesMemory: language.reservesMemory ?? false,
  });
}

/** The spec of a container that installs packages for sessions of a language: it has a network, and nothing of theirs. */
export function installerSpec(
  language: LanguageDefinition,
  image: string,
  withCache: boolean,
  options: Options,
  { machine, owner }: Identity,
  network: ContainerNetwork,
): ContainerSpec {
  const labels = {
    [LABEL.managed]: 'true',
    [LABEL.machine]: machine,
    [LABEL.owner]: owner,
    [LABEL.environment]: language.id,
  };
  const limits = {
    ...INSTALLER_LIMITS,
    network,
    readOnlyRoot: true,
    runtime: options.docker.runtime || null,
  };
  const work = { path: INSTALLER_FOLDER, name: null, isWritable: true };
  const cache = { path: '/cache', name: `hothouse-packages-${machine}`, isWritable: true };
  return containerSpec(image, limits, labels, {
    volumes: withCache ? [work, cache] : [work],
    // Always the same: installers share the cache.
    user: INSTALLER_USER,
    reservesMemory: language.reservesMemory ?? false,
  });
}

/** Whether sandboxes of one profile differ from those of the other, in their spec or in what they keep warm. */
export function specChanged(one: Options, other: Options, language: LanguageDefinition): boolean {
  const made = (options: Options) => {
    const profile = profileOf(language, options);
    const { image, warmOptions } = profile;
    return JSON.stringify([
      options.host.kind,
      options.docker.host,
      image,
      limitsOf(options, profile, 'none'),
      options.network,
      warmOptions,
      options.limits.outputKb,
    ]);
  };
  return made(one) !== made(other);
}
