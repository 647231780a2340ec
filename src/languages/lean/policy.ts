import { plainError } from '../exit.ts';
import type { CellError } from '../language.ts';
import type { LeanSettings } from './settings.ts';
import { parseHeader } from './text/header.ts';
import { importProblem } from './text/importPolicy.ts';

/** Why the code may not be checked, by what it imports; null when it may. */
export function importRefusal(code: string, settings: LeanSettings): CellError | null {
  const { imports, stray } = parseHeader(code);
  const { allowedImports: allowed, blockedImports: blocked } = settings;
  const problem = importProblem([...imports, ...stray], { allowed, blocked });
  if (!problem) return null;
  const { name } = problem.import;
  const why =
    problem.list === 'blocked' ? 'it is on the list lean.blockedImports' : 'it is not on the list lean.allowedImports';
  return plainError('ImportRefused', `The code may not import ${name}: ${why}.`);
}
