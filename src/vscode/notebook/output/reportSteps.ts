import type { CodeReport, RunError } from '../../../engine/types.ts';
import type { EditorLanguage } from '../../languages.ts';
import { notice, type OutputStep } from './outputSteps.ts';

type Message = CodeReport['messages'][number];

const RED = '\x1b[31m';
const YELLOW = '\x1b[33m';
const PLAIN = '\x1b[0m';

/** What a report adds to the text that a cell printed, without errors: see `errorOf`. */
export function reportSteps(report: CodeReport, language: EditorLanguage): readonly OutputStep[] {
  const warnings = withSeverity(report, 'warning', 'hint').map((message) => headed(message, YELLOW));
  const details = language.reports?.details(report) ?? [];
  const omitted = report.messageCount - report.messages.length;
  return [
    ...(warnings.length > 0 ? [notice(warnings.join('\n'))] : []),
    ...(details.length > 0 ? [markdown(details)] : []),
    ...(omitted > 0 ? [notice(`${omitted} more messages omitted (setting hothouse.limits.outputKb).`)] : []),
  ];
}

/** All errors of a report as one error; null without errors. */
export function errorOf(report: CodeReport): RunError | null {
  const errors = withSeverity(report, 'error');
  const [first] = errors;
  if (!first) return null;
  const traceback = errors.map((error) => headed(error, RED)).join('\n\n');
  return { name: 'Error', message: `${placeOf(first)}: ${first.text.trimEnd()}`, traceback };
}

/** Everything that a rechecked cell shows, including what it printed. */
export function recheckedSteps(report: CodeReport, language: EditorLanguage): readonly OutputStep[] {
  const printed = withSeverity(report, 'information').map(({ text }) => (text.endsWith('\n') ? text : `${text}\n`));
  const error = errorOf(report);
  return [
    ...(printed.length > 0 ? [{ kind: 'text', stream: 'stdout', text: printed.join('') } as const] : []),
    ...reportSteps(report, language),
    ...(error ? [{ kind: 'error', error } as const] : []),
  ];
}

function withSeverity({ messages }: CodeReport, ...severities: Message['severity'][]): Message[] {
  return messages.filter(({ severity }) => severities.includes(severity));
}

/** A message as compilers print it, without the file name. */
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
