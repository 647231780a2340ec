import { formatList } from '../base/list.ts';
import type { Host, HostInfo, ImageInfo } from '../host/host.ts';
import { LABEL } from '../host/labels.ts';
import type { Environment } from './environment/environment.ts';
import { problemOf } from './problems.ts';
import type { EngineProblem, Preflight } from './types.ts';

/** Checks the host, the runtime (empty: the default) and the environments' images. */
export async function preflight(
  host: Host,
  runtime: string,
  environments: readonly Environment[],
  signal?: AbortSignal,
): Promise<Preflight> {
  const found = await attempt<HostInfo>(() => host.info(signal));
  const checks = environments.map((environment) => checkImage(host, environment, found.problem !== null, signal));
  const { value: info } = found;
  return {
    host: { info, problem: found.problem ?? (await runtimeProblem(host, runtime, signal)) },
    runtime: runtime || (info?.defaultRuntime ?? null),
    environments: await Promise.all(checks),
  };
}

async function runtimeProblem(host: Host, runtime: string, signal?: AbortSignal): Promise<EngineProblem | null> {
  if (runtime === '') return null;
  const { value, problem } = await attempt(() => host.runtimeProblem(runtime, signal));
  return value ?? problem;
}

async function checkImage(host: Host, { id, definition, image }: Environment, skip: boolean, signal?: AbortSignal) {
  const base = { id, language: definition.id, imageName: image };
  const { images } = host;
  // Without a host its images are unknown, and its own problem comes first.
  if (skip || !images) return { ...base, image: null, problem: null };
  const { value, problem } = await attempt<ImageInfo | null>(() => images.find(image, signal));
  const missing = () => images.missing({ image, labels: { [LABEL.environment]: definition.id } });
  return { ...base, image: value, problem: problem ?? (value ? null : await missing()) };
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

/** A problem that keeps code from running, and the language it concerns. */
export interface BlockingProblem {
  readonly problem: EngineProblem;
  readonly language: string;
}

/** The problems that keep code from running, the worst first. A missing image does not block while another language works. */
export function blockingProblems({ host, environments }: Preflight): readonly BlockingProblem[] {
  const found = environments.flatMap(({ problem, language }) => (problem ? [{ problem, language }] : []));
  if (host.problem) return [{ problem: host.problem, language: environments[0]?.language ?? '' }];
  const isMissing = ({ problem: { kind } }: BlockingProblem) => kind === 'image_missing' || kind === 'needs_engine';
  const isNothingThere = environments.length > 0 && found.filter(isMissing).length === environments.length;
  return isNothingThere ? found.slice(0, 1) : found.filter((blocking) => !isMissing(blocking));
}

/** Which languages can run, and why the others cannot; `nameOf` returns a language's display name. */
export function readinessText({ host, environments }: Preflight, nameOf: (language: string) => string): string {
  if (host.problem) return 'Ready for no language.';
  const ready = environments.filter(({ problem }) => problem === null).map(({ language }) => nameOf(language));
  const lacking = environments.flatMap(({ language, problem }) =>
    problem ? [`Not ready for ${nameOf(language)}: ${problem.message}`] : [],
  );
  return [`Ready for ${formatList(ready, 'and') || 'no language'}.`, ...lacking].join(' ');
}
