import { plainText } from '../../base/log.ts';
import type { CheckReport } from './report.ts';

/** Longer import lists are cut. */
const IMPORTS_LENGTH = 40;

/** Why proofs are incomplete, as paragraphs of Markdown; the goals of a rejected cell without calling it incomplete. */
export function openGoals({ verdict, sorries, axioms }: CheckReport): string[] {
  const known = sorries.filter(({ goal }) => Boolean(goal));
  if (verdict !== 'incomplete') return known.map(goalAt);
  if (sorries.length > 0) return sorries.map((sorry) => `**Incomplete**: ${goalAt(sorry)}`);
  const dependent = (axioms ?? []).filter((used) => used.axioms?.includes('sorryAx')).map(({ name }) => name);
  if (dependent.length === 0) return ['**Incomplete**: a proof is missing, or an option hides whether one is.'];
  return ['**Incomplete**: these depend on `sorry`.', codeBlock(dependent.join('\n'))];
}

/** Whether a session has added the cell to its document. */
export function isAdded({ verdict }: CheckReport): boolean {
  return verdict === 'accepted' || verdict === 'incomplete';
}

/** The imports of a header, as `imports Lean, Std`; undefined without imports. */
export function formatImports(header: string): string | undefined {
  const lines = header.split('\n').map((line) =>
    plainText(line)
      .trim()
      .replace(/\s+/g, ' ')
      .replace(/^import /, ''),
  );
  const modules = lines.filter(Boolean).join(', ');
  if (modules === '') return undefined;
  return `imports ${modules.length > IMPORTS_LENGTH ? `${modules.slice(0, IMPORTS_LENGTH - 1)}…` : modules}`;
}

/** A `sorry` with its goal, if Lean reported one. */
function goalAt({ line, column, goal }: CheckReport['sorries'][number]): string {
  const place = `\`sorry\` at ${line}:${column}`;
  return goal ? `${place}\n\n${codeBlock(goal)}` : place;
}

/** A Markdown code block with a fence longer than any run of backticks in `code`. */
function codeBlock(code: string): string {
  const runs = code.match(/`+/g) ?? [];
  const fence = '`'.repeat(Math.max(3, ...runs.map(({ length }) => length + 1)));
  return `${fence}lean\n${code}\n${fence}`;
}
