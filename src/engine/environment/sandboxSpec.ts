import { LABEL } from '../../host/labels.ts';
import { type ContainerSpec, containerSpec, type SandboxLimits } from '../../host/spec.ts';
import type { LanguageDefinition } from '../../languages/languageDefinition.ts';
import type { Identity } from '../deps.ts';
import type { Options } from '../options.ts';
import { type Profile, profileOf } from './profile.ts';

const MB = 1024 * 1024;

/** What a sandbox of a language may use. */
function limitsOf({ limits, docker }: Options, { memory, cpus }: Profile): SandboxLimits {
  return {
    memoryBytes: memory.mb * MB,
    cpus,
    pids: limits.pids,
    workspaceBytes: limits.workspaceMb * MB,
    tmpBytes: limits.tmpMb * MB,
    network: limits.network,
    readOnlyRoot: limits.readOnly,
    runtime: docker.runtime || null,
  };
}

/**
 * How the pool is run. A reset empties mounts; with a writable root there are other places that it does not see, so then
 * nothing is used twice.
 */
export function poolOptionsOf({ pool, limits }: Options): Options['pool'] {
  return limits.readOnly ? pool : { ...pool, reuse: 'never' };
}

/** How a container of a language's default environment is made. */
export function specOf(language: LanguageDefinition, options: Options, { machine, owner }: Identity): ContainerSpec {
  const profile = profileOf(language, options);
  const labels = {
    [LABEL.managed]: 'true',
    [LABEL.machine]: machine,
    [LABEL.owner]: owner,
    [LABEL.environment]: language.id,
  };
  return containerSpec(profile.image, limitsOf(options, profile), labels, language.environment(profile.cpus));
}

/** Whether sandboxes made with one would differ from those made with the other, in what they are or what they keep warm. */
export function specChanged(one: Options, other: Options, language: LanguageDefinition): boolean {
  const made = (options: Options) => {
    const profile = profileOf(language, options);
    const { image, warmOptions } = profile;
    return JSON.stringify([
      options.host.kind,
      options.docker.host,
      image,
      limitsOf(options, profile),
      warmOptions,
      options.limits.outputKb,
    ]);
  };
  return made(one) !== made(other);
}
