import { MAX_CODE_BYTES, MAX_INPUT_BYTES, type Options } from '../options.ts';
import { invalidRequest, tooLarge } from '../problems.ts';
import type { EngineProblem, RunRequest } from '../types.ts';

const SHORTEST_SECONDS = 0.1;
const LONGEST_SECONDS = 86_400;
/** The largest frame to the agent, less what surrounds the request. */
const MAX_REQUEST_BYTES = 15 * 1024 * 1024;
const LONGEST_ESCAPE = 6;
const MAX_INPUTS = 1_000;

/** The parts of a request that do not depend on where it runs. */
type Content = Omit<RunRequest, 'language' | 'owner'> & Partial<Pick<RunRequest, 'owner'>>;

/** The problem of a request, or null when it is valid. */
export function requestProblem(request: Content): EngineProblem | null {
  return (
    codeProblem(request) ??
    inputProblem(request) ??
    wholeProblem(request) ??
    filesProblem(request) ??
    environmentProblem(request) ??
    limitsProblem(request) ??
    timeoutProblem(request)
  );
}

/** How long the request's run may take, in milliseconds; 0 means no limit. */
export function timeoutMsOf({ timeoutSeconds }: RunRequest, limits: Options['limits']): number {
  return (timeoutSeconds ?? limits.timeoutSeconds) * 1000;
}

function codeProblem({ code, cell }: Content): EngineProblem | null {
  // An empty cell removes its declarations from the session.
  const isEmptied = cell !== undefined;
  if (code.trim() === '' && !isEmptied) return invalidRequest('There is no code to run.', 'Send the code as `code`.');
  return sizeProblem('The code', code, MAX_CODE_BYTES);
}

function inputProblem({ stdin, state, sessionId }: Content): EngineProblem | null {
  if (stdin !== undefined) {
    const problem = sizeProblem('`stdin`', stdin, MAX_INPUT_BYTES);
    if (problem) return problem;
  }
  if (state === undefined) return null;
  if (sessionId !== undefined) {
    return invalidRequest('A run in a session takes no `state`.', 'Leave it out: a session keeps its variables.');
  }
  const json = jsonOf(state);
  if (json === null) return invalidRequest('`state` is not a JSON object.', 'Send an object of JSON values.');
  return sizeProblem('`state`', json, MAX_INPUT_BYTES);
}

/** JSON escapes a control character with six bytes. */
function wholeProblem({ code, stdin = '', state }: Content): EngineProblem | null {
  const longest = (code.length + stdin.length) * LONGEST_ESCAPE;
  const text = state === undefined && longest <= MAX_REQUEST_BYTES ? '' : JSON.stringify([code, stdin, state]);
  return sizeProblem('Code, `stdin` and `state` together, as JSON,', text, MAX_REQUEST_BYTES);
}

function environmentProblem({ environment, sessionId }: Content): EngineProblem | null {
  if (environment === undefined || sessionId === undefined) return null;
  const advice = 'Leave it out, or open a session in that environment.';
  return invalidRequest('A run in a session takes no `environment`: the session has one.', advice);
}

function limitsProblem({ limits, sessionId }: Content): EngineProblem | null {
  if (limits === undefined) return null;
  if (sessionId !== undefined) {
    return invalidRequest(
      'A run in a session takes no `limits`.',
      'Leave them out: a session has those of its sandbox.',
    );
  }
  const wrong = Object.entries(limits).find(([, limit]) => !(limit > 0));
  return wrong ? invalidRequest(`A limit of ${wrong[1]} is not accepted.`, 'Use a number above 0.') : null;
}

function filesProblem({ inputs = [], onFiles, sessionId }: Content): EngineProblem | null {
  if (sessionId !== undefined && (inputs.length > 0 || onFiles)) {
    const advice = 'Put and get them by the files of the session, which stay after a run.';
    return invalidRequest('A run in a session takes no `inputs` and no `onFiles`.', advice);
  }
  if (inputs.length <= MAX_INPUTS) return null;
  return invalidRequest(`There are ${inputs.length} \`inputs\`.`, `Send at most ${MAX_INPUTS}, or an archive of them.`);
}

function timeoutProblem({ timeoutSeconds, sessionId, owner }: Content): EngineProblem | null {
  if (timeoutSeconds === undefined) return null;
  const endless = timeoutSeconds === 0 && sessionId !== undefined && owner?.kind === 'notebook';
  if (endless || (timeoutSeconds >= SHORTEST_SECONDS && timeoutSeconds <= LONGEST_SECONDS)) return null;
  const message = `A timeout of ${timeoutSeconds} s is not accepted.`;
  return invalidRequest(message, `Use ${SHORTEST_SECONDS} to ${LONGEST_SECONDS} seconds.`);
}

function sizeProblem(what: string, text: string, limit: number): EngineProblem | null {
  const bytes = Buffer.byteLength(text);
  return bytes > limit ? tooLarge(what, bytes, limit) : null;
}

function jsonOf(state: unknown): string | null {
  if (typeof state !== 'object' || state === null || Array.isArray(state)) return null;
  try {
    return JSON.stringify(state);
  } catch {
    return null;
  }
}
