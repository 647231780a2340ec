import { LABEL } from '../../host/labels.ts';
import { type ContainerSpec, containerSpec, type SandboxLimits } from '../../host/spec.ts';
import type { Identity } from '../deps.ts';
import type { Options } from '../options.ts';
import type { LanguageId } from '../types.ts';
import { cpusOf, imageOf, memoryMbOf } from './profile.ts';

const MB = 1024 * 1024;

/** What a sandbox of a language may use. */
export function limitsOf(options: Options, language: LanguageId): SandboxLimits {
  const { limits, docker } = options;
  return {
    memoryBytes: memoryMbOf(options, language) * MB,
    cpus: cpusOf(options, language),
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
export function specOf(options: Options, language: LanguageId, { machine, owner }: Identity): ContainerSpec {
  return containerSpec(imageOf(options, language), limitsOf(options, language), {
    [LABEL.managed]: 'true',
    [LABEL.machine]: machine,
    [LABEL.owner]: owner,
    [LABEL.environment]: language,
  });
}

/** Whether sandboxes of a language differ between two sets of options, so that warm ones must be replaced. */
export function specChanged(one: Options, other: Options, language: LanguageId): boolean {
  const specKey = (options: Options) => {
    const { outputKb } = options.limits;
    const preload = language === 'python' ? options.python.preload : [];
    return JSON.stringify([
      options.docker.host,
      imageOf(options, language),
      limitsOf(options, language),
      preload,
      outputKb,
    ]);
  };
  return specKey(one) !== specKey(other);
}
