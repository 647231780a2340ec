import type { Options } from '../options.ts';
import { invalidRequest } from '../problems.ts';
import { requestProblem } from '../run/validateRequest.ts';
import type { EngineProblem } from '../types.ts';
import { type Candidate, FIRST_OK, MAX_CANDIDATES, type TryOptions } from './types.ts';

const MAX_ID = 200;

/** A candidate with its id. */
export type NamedCandidate = Required<Candidate>;

/** The candidates with their ids. */
export function named(candidates: readonly Candidate[]): NamedCandidate[] {
  return candidates.map(({ id, code }, index) => ({ id: id ?? String(index + 1), code }));
}

/** The problem of a request to try code, or null when it is valid. */
export function trialProblem(
  candidates: readonly NamedCandidate[],
  { timeoutSeconds, keep }: TryOptions,
): EngineProblem | null {
  if (candidates.length === 0 || candidates.length > MAX_CANDIDATES) {
    return invalidRequest(`There are ${candidates.length} candidates.`, `Send 1 to ${MAX_CANDIDATES}.`);
  }
  const ids = candidates.map(({ id }) => id);
  const idProblem = problemOfIds(ids) ?? problemOfKeep(keep, ids);
  if (idProblem) return idProblem;
  const time = timeoutSeconds === undefined ? {} : { timeoutSeconds };
  for (const { code } of candidates) {
    const problem = requestProblem({ code, ...time });
    if (problem) return problem;
  }
  return null;
}

/** How long each candidate may take, in milliseconds. */
export function trialTimeoutMs({ timeoutSeconds }: TryOptions, limits: Options['limits']): number {
  return (timeoutSeconds ?? limits.timeoutSeconds) * 1000;
}

function problemOfIds(ids: readonly string[]): EngineProblem | null {
  const wrong = ids.find((id, index) => id.length > MAX_ID || id === FIRST_OK || ids.indexOf(id) !== index);
  if (wrong === undefined) return null;
  const advice = `Use ids of at most ${MAX_ID} characters, each once, and not ${FIRST_OK}.`;
  return invalidRequest(`The id ${JSON.stringify(wrong.slice(0, MAX_ID))} cannot name a candidate.`, advice);
}

function problemOfKeep(keep: string | undefined, ids: readonly string[]): EngineProblem | null {
  if (keep === undefined || keep === FIRST_OK || ids.includes(keep)) return null;
  const message = `There is no candidate ${JSON.stringify(keep.slice(0, MAX_ID))} to keep.`;
  return invalidRequest(message, `Name the id of a candidate, or ${FIRST_OK}.`);
}
