import type { Host, HostInfo, ImageInfo } from '../host/host.ts';
import type { Environment } from './environment.ts';
import { problemOf } from './problems.ts';
import type { EngineProblem, Preflight } from './types.ts';

/** Looks at the host and at the environments' images. */
export async function preflight(
  host: Host,
  environments: readonly Environment[],
  signal?: AbortSignal,
): Promise<Preflight> {
  const found = await attempt<HostInfo>(() => host.info(signal));
  const looks = environments.map((environment) => look(host, environment, found.problem !== null, signal));
  return { host: { info: found.value, problem: found.problem }, environments: await Promise.all(looks) };
}

async function look(host: Host, { id, language, image }: Environment, skip: boolean, signal?: AbortSignal) {
  const base = { id, language: language.id, imageName: image };
  // Without a host nothing is known of its images, and its own problem is the one to mend.
  if (skip) return { ...base, image: null, problem: null };
  const { value, problem } = await attempt<ImageInfo | null>(() => host.image(image, signal));
  return { ...base, image: value, problem: problem ?? (value ? null : imageMissing(image, language.id)) };
}

function imageMissing(image: string, language: string): EngineProblem {
  return {
    kind: 'image_missing',
    message: `There is no image ${image}.`,
    advice: `Build it with \`hothouse build ${language}\`.`,
    command: `hothouse build ${language}`,
  };
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
