import type { Host, HostInfo, ImageInfo } from '../host/host.ts';
import { LABEL } from '../host/labels.ts';
import { imageMissing } from '../host/problem.ts';
import type { Environment } from './environment/environment.ts';
import { problemOf } from './problems.ts';
import type { EngineProblem, Preflight } from './types.ts';

/** Looks at the host, at the runtime chosen (empty: the default) and at the environments' images. */
export async function preflight(
  host: Host,
  runtime: string,
  environments: readonly Environment[],
  signal?: AbortSignal,
): Promise<Preflight> {
  const found = await attempt<HostInfo>(() => host.info(signal));
  const looks = environments.map((environment) => look(host, environment, found.problem !== null, signal));
  const { value: info } = found;
  return {
    host: { info, problem: found.problem ?? (await runtimeProblem(host, runtime, signal)) },
    runtime: runtime || (info?.defaultRuntime ?? null),
    environments: await Promise.all(looks),
  };
}

async function runtimeProblem(host: Host, runtime: string, signal?: AbortSignal): Promise<EngineProblem | null> {
  if (runtime === '') return null;
  const { value, problem } = await attempt(() => host.runtimeProblem(runtime, signal));
  return value ?? problem;
}

async function look(host: Host, { id, definition, image }: Environment, skip: boolean, signal?: AbortSignal) {
  const base = { id, language: definition.id, imageName: image };
  const { images } = host;
  // Without a host nothing is known of its images, and its own problem is the one to mend.
  if (skip || !images) return { ...base, image: null, problem: null };
  const { value, problem } = await attempt<ImageInfo | null>(() => images.find(image, signal));
  return { ...base, image: value, problem: problem ?? (value ? null : missing(image, definition.id)) };
}

function missing(image: string, language: string): EngineProblem {
  return imageMissing({ image, labels: { [LABEL.environment]: language } }, `There is no image ${image}.`);
}

async function attempt<T>(
  ask: () => Promise<T>,
): Promise<{ readonly value: T | null; readonly problem: EngineProblem | null }> {
  try {
    return { value: await ask(), problem: null };
  } catch (error) {
    return { value: null, problem: problemOf(error) };
  }
}
