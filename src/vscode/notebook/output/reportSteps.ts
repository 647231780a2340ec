import type { LanguageReport, RunError } from '../../../engine/types.ts';
import { notice, type OutputStep } from './outputSteps.ts';

/** The report on one cell, from its own run or from a recheck after an earlier cell ran. */
export type CheckReport = LanguageReport['rechecked'][number]['report'];
type Message = CheckReport['messages'][number];

const RED = '\x1b[31m';
const YELLOW = '\x1b[33m';
const PLAIN = '\x1b[0m';

/** What a report adds to the text that a cell printed, without errors: see `errorOf`. */
export function reportSteps(report: CheckReport): readonly OutputStep[] {
  const warnings = withSeverity(report, 'warning', 'hint').map((message) => headed(message, YELLOW));
  const gaps = incompleteness(report);
  const omitted = report.messageCount - report.messages.length;
  return [
    ...(warnings.length > 0 ? [notice(warnings.join('\n'))] : []),
    ...(gaps.length > 0 ? [markdown(gaps)] : []),
    ...(omitted > 0 ? [notice(`${omitted} more messages omitted (setting hothouse.limits.outputKb).`)] : []),
  ];
}

/** All errors of a report as one error; null without errors. */
export function errorOf(report: CheckReport): RunError | null {
  const errors = withSeverity(report, 'error');
  const [first] = errors;
  if (!first) return null;
  const traceback = errors.map((error) => headed(error, RED)).join('\n\n');
  return { name: 'Error', message: `${placeOf(first)}: ${first.text.trimEnd()}`, traceback };
}

/** Everything that a rechecked cell shows, including what it printed. */
export function recheckedSteps(report: CheckReport): readonly OutputStep[] {
  const printed = withSeverity(report, 'information').map(({ text }) => (text.endsWith('\n') ? text : `${text}\n`));
  const error = errorOf(report);
  return [
    ...(printed.length > 0 ? [{ kind: 'text', stream: 'stdout', text: printed.join('') } as const] : []),
    ...reportSteps(report),
    ...(error ? [{ kind: 'error', error } as const] : []),
  ];
}

/** Why proofs are incomplete, as paragraphs of Markdown. */
function incompleteness({ verdict, sorries, axioms }: CheckReport): string[] {
  const known = sorries.filter(({ goal }) => Boolean(goal));
  if (verdict !== 'incomplete') return known.map(goalAt);
  if (sorries.length > 0) return sorries.map((sorry) => `**Incomplete**: ${goalAt(sorry)}`);
  const dependent = (axioms ?? []).filter((used) => used.axioms?.includes('sorryAx')).map(({ name }) => name);
  if (dependent.length === 0) return ['**Incomplete**: a proof is missing, or an option hides whether one is.'];
  return ['**Incomplete**: these depend on `sorry`.', codeBlock(dependent.join('\n'))];
}

/** A `sorry` with its goal, if Lean reported one. */
function goalAt(sorry: CheckReport['sorries'][number]): string {
  const place = `\`sorry\` at ${placeOf(sorry)}`;
  return sorry.goal ? `${place}\n\n${codeBlock(sorry.goal)}` : place;
}

function withSeverity({ messages }: CheckReport, ...severities: Message['severity'][]): Message[] {
  return messages.filter(({ severity }) => severities.includes(severity));
}

/** A message as Lean prints it, without the file name. */
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

/** A Markdown code block with a fence longer than any run of backticks in `code`. */
function codeBlock(code: string): string {
  const runs = code.match(/`+/g) ?? [];
  const fence = '`'.repeat(Math.max(3, ...runs.map(({ length }) => length + 1)));
  return `${fence}lean\n${code}\n${fence}`;
}
