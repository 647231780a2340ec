import { LABEL } from '../host/labels.ts';
import { type ContainerSpec, containerSpec, type SandboxLimits } from '../host/spec.ts';
import type { Identity } from './deps.ts';
import type { Options } from './options.ts';

const MB = 1024 * 1024;

/** What a sandbox may use. */
export function limitsOf({ limits, docker }: Options): SandboxLimits {
  return {
    memoryBytes: limits.memoryMb * MB,
    cpus: limits.cpus,
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

/** How a container of the environment is made. */
export function specOf(options: Options, environment: string, { machine, owner }: Identity): ContainerSpec {
  return containerSpec(options.python.image, limitsOf(options), {
    [LABEL.managed]: 'true',
    [LABEL.machine]: machine,
    [LABEL.owner]: owner,
    [LABEL.environment]: environment,
  });
}

/** Whether warm sandboxes made with one are as good with the other. */
export function sameRecipe(one: Options, other: Options): boolean {
  const recipe = ({ docker, python, limits: { timeoutSeconds: _, ...limits } }: Options) =>
    JSON.stringify([docker, python, limits]);
  return recipe(one) === recipe(other);
}
