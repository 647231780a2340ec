import type { EngineProblem, Preflight } from './types.ts';

/** What is in the way, and the language that it is met with. */
export interface Obstacle {
  readonly problem: EngineProblem;
  readonly language: string;
}

/**
 * What keeps code from being run, the worst first. A language without an image is in nobody's way as long as there is
 * another: nobody has to want them all.
 */
export function obstaclesIn({ host, environments }: Preflight): readonly Obstacle[] {
  const found = environments.flatMap(({ problem, language }) => (problem ? [{ problem, language }] : []));
  if (host.problem) return [{ problem: host.problem, language: environments[0]?.language ?? '' }];
  const isMissing = ({ problem }: Obstacle) => problem.kind === 'image_missing';
  const isNothingThere = environments.length > 0 && found.filter(isMissing).length === environments.length;
  return isNothingThere ? found.slice(0, 1) : found.filter((obstacle) => !isMissing(obstacle));
}

/** Which languages can be run, and why the others cannot; `nameOf` gives a language's name for people. */
export function readinessText({ host, environments }: Preflight, nameOf: (language: string) => string): string {
  if (host.problem) return 'Ready for no language.';
  const ready = environments.filter(({ problem }) => problem === null).map(({ language }) => nameOf(language));
  const lacking = environments.flatMap(({ language, problem }) =>
    problem ? [`Not ready for ${nameOf(language)}: ${problem.message}`] : [],
  );
  return [`Ready for ${ready.join(' and ') || 'no language'}.`, ...lacking].join(' ');
}
