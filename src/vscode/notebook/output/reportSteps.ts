import type { CellReport, RunError } from '../../../engine/types.ts';
import { notice, type OutputStep } from './outputSteps.ts';

/** What is said of one cell: by its own run, or when a run of an earlier one had it checked again. */
export type CheckReport = CellReport['later'][number]['report'];
type Message = CheckReport['messages'][number];

const RED = '\x1b[31m';
const YELLOW = '\x1b[33m';
const PLAIN = '\x1b[0m';

/** What a report adds to the text that a cell printed; errors are apart, see `errorOf`. */
export function reportSteps(report: CheckReport): readonly OutputStep[] {
  const warnings = withSeverity(report, 'warning', 'hint').map((message) => headed(message, YELLOW));
  const left = leftOut(report);
  const omitted = report.messageCount - report.messages.length;
  return [
    ...(warnings.length > 0 ? [notice(warnings.join('\n'))] : []),
    ...(left.length > 0 ? [markdown(left)] : []),
    ...(omitted > 0 ? [notice(`${omitted} more messages are left out (hothouse.limits.outputKb).`)] : []),
  ];
}

/** A report's errors as one, or null when it has none. */
export function errorOf(report: CheckReport): RunError | null {
  const errors = withSeverity(report, 'error');
  const [first] = errors;
  if (!first) return null;
  const traceback = errors.map((error) => headed(error, RED)).join('\n\n');
  return { name: 'Error', message: `${placeOf(first)}: ${first.text.trimEnd()}`, traceback };
}

/** All that a cell shows that was checked again: what it printed comes from the report, too. */
export function recheckedSteps(report: CheckReport): readonly OutputStep[] {
  const printed = withSeverity(report, 'information').map(({ text }) => (text.endsWith('\n') ? text : `${text}\n`));
  const error = errorOf(report);
  return [
    ...(printed.length > 0 ? [{ kind: 'text', stream: 'stdout', text: printed.join('') } as const] : []),
    ...reportSteps(report),
    ...(error ? [{ kind: 'error', error } as const] : []),
  ];
}

/** What keeps proofs from being complete, as paragraphs of Markdown. */
function leftOut({ verdict, sorries, axioms }: CheckReport): string[] {
  const known = sorries.filter(({ goal }) => Boolean(goal));
  if (verdict !== 'incomplete') return known.map(goalAt);
  if (sorries.length > 0) return sorries.map((sorry) => `**Incomplete**: ${goalAt(sorry)}`);
  const resting = (axioms ?? []).filter((used) => used.axioms?.includes('sorryAx')).map(({ name }) => name);
  if (resting.length === 0) return ['**Incomplete**: a proof is left out, or an option hides whether one is.'];
  return ['**Incomplete**: these rest on `sorry`.', codeBlock(resting.join('\n'))];
}

/** A proof left out, with its goal where Lean told one. */
function goalAt(sorry: CheckReport['sorries'][number]): string {
  const place = `\`sorry\` at ${placeOf(sorry)}`;
  return sorry.goal ? `${place}\n\n${codeBlock(sorry.goal)}` : place;
}

function withSeverity({ messages }: CheckReport, ...severities: Message['severity'][]): Message[] {
  return messages.filter(({ severity }) => severities.includes(severity));
}

/** As Lean prints a message, without the file. */
function headed(message: Message, color: string): string {
  return `${color}${placeOf(message)}: ${message.severity}:${PLAIN} ${message.text.trimEnd()}`;
}

function placeOf({ line, column }: { readonly line: number; readonly column: number }): string {
  return `${line}:${column}`;
}

function markdown(paragraphs: readonly string[]): OutputStep {
  const text = paragraphs.join('\n\n');
  return { kind: 'show', data: { 'text/markdown': text, 'text/plain': text }, id: null };
}

/** Lean code for Markdown, fenced so that no backtick in it ends the fence. */
function codeBlock(code: string): string {
  const runs = code.match(/`+/g) ?? [];
  const fence = '`'.repeat(Math.max(3, ...runs.map(({ length }) => length + 1)));
  return `${fence}lean\n${code}\n${fence}`;
}
