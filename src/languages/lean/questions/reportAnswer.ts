import { z } from 'zod';
import { clip, MAX_TEXT, type ReportFormat } from '../../languageTools.ts';
import { type CheckReport, leanReport } from '../report.ts';
import { verdictOf } from './proofs.ts';

/** Positions as Lean counts them: lines from 1, columns from 0 in code points, in the given code. */
const Line = z.int().describe('From 1.');
const Column = z.int().describe('From 0, in code points.');

export const Message = z.strictObject({
  severity: z.enum(['error', 'warning', 'information', 'hint']),
  line: Line,
  column: Column,
  end_line: z.int(),
  end_column: z.int(),
  text: z.string(),
});

export const Verdict = z
  .enum(['accepted', 'incomplete', 'rejected', 'timeout'])
  .describe(
    'accepted: checked completely, no error, no sorry. incomplete: depends on sorry, or may because an option hides it. rejected: an error.',
  );

/** The size of a report. */
export const MessageTotals = {
  messages_total: z.int().describe('Number of messages.'),
  messages_omitted: z.int().describe('Number of messages omitted to limit the size; errors are omitted last.'),
  truncated: z.boolean().describe('Whether something was omitted or cut to limit the size.'),
};

/** Lean's report on a piece of code. */
export const ReportAnswer = z.strictObject({
  verdict: Verdict.nullable().describe('null when there is none: Lean was lost.'),
  messages: z.array(Message),
  sorries: z.array(z.strictObject({ line: Line, column: Column, goal: z.string().nullable() })),
  axioms: z
    .array(z.strictObject({ name: z.string(), axioms: z.array(z.string()).nullable() }))
    .nullable()
    .describe('Axioms of each declaration, if requested; sorryAx: not proved. null for a name: unknown.'),
  ...MessageTotals,
});
export type ReportAnswer = z.infer<typeof ReportAnswer>;

/** A report's fields; `axioms` only when the caller wants them. */
export function reportFields(
  report: CheckReport | null,
  verdict: ReportAnswer['verdict'],
  withAxioms: boolean,
): ReportAnswer {
  return {
    verdict,
    messages: (report?.messages ?? []).map(messageFields),
    sorries: (report?.sorries ?? []).map((sorry) => ({ ...sorry, goal: sorry.goal && clip(sorry.goal) })),
    axioms: withAxioms
      ? (report?.axioms ?? []).map(({ name, axioms }) => ({ name, axioms: axioms && [...axioms] }))
      : null,
    ...totalsOf(report ?? { messages: [], messageCount: 0, truncated: false }),
  };
}

/** The totals of a report's messages. */
export function totalsOf({
  messages,
  messageCount,
  truncated,
}: Pick<CheckReport, 'messages' | 'messageCount' | 'truncated'>) {
  const isClipped = messages.some(({ text }) => text.length > MAX_TEXT);
  return {
    messages_total: messageCount,
    messages_omitted: messageCount - messages.length,
    truncated: truncated || isClipped,
  };
}

/** A message of Lean in structured content. */
export function messageFields({ severity, line, column, endLine, endColumn, text }: CheckReport['messages'][number]) {
  return { severity, line, column, end_line: endLine, end_column: endColumn, text: clip(text) };
}

const RecheckedCell = ReportAnswer.omit({ axioms: true }).extend({ cell: z.string() }).strict();

/** Lean's reports in answers of `run_code` and in `hothouse run --json`. */
export const leanReports: ReportFormat = {
  arguments: {
    axioms: z.boolean().optional().describe('Lean: whether to return the axioms of each declaration.'),
  },
  fields: {
    ...ReportAnswer.omit({ truncated: true }).shape,
    rechecked_cells: z
      .array(RecheckedCell)
      .describe('Later cells of a Lean session that were checked again with a different result.'),
  },
  describe(run, given) {
    const report = leanReport(run.report);
    const withAxioms = given ? given.axioms === true : Boolean(report?.axioms);
    const { truncated, ...fields } = reportFields(report, verdictOf(run), withAxioms);
    const rechecked = (report?.rechecked ?? []).map(({ cell, report }) => recheckedFields(cell, report));
    return {
      fields: { ...fields, rechecked_cells: rechecked },
      verdict: fields.verdict,
      hasErrors: fields.messages.some(({ severity }) => severity === 'error'),
      texts: [reportText(fields, true), ...rechecked.map(recheckedText)],
    };
  },
};

function recheckedFields(cell: string, report: CheckReport): z.infer<typeof RecheckedCell> {
  const { axioms, ...fields } = reportFields(report, report.verdict, false);
  return { cell, ...fields };
}

function recheckedText(cell: z.infer<typeof RecheckedCell>): string {
  const text = reportText({ ...cell, axioms: null }, false) || 'nothing more to say';
  return `[${cell.cell}, checked again: ${cell.verdict}]\n${text}`;
}

/** A report as text, without information messages that are part of the printed output. */
export function reportText(report: Omit<ReportAnswer, 'truncated'>, isPrinted: boolean): string {
  return [
    ...report.messages
      .filter(({ severity }) => !isPrinted || severity !== 'information')
      .map(({ severity, line, column, text }) => `${line}:${column}: ${severity}: ${text.trimEnd()}`),
    ...report.sorries.map(({ line, column, goal }) => `${line}:${column}: sorry${goal ? `\n${goal}` : ''}`),
    ...(report.axioms ?? []).map(({ name, axioms }) => `${name} depends on ${axiomsText(axioms)}`),
    ...(report.messages_omitted > 0 ? [`[${report.messages_omitted} more messages]`] : []),
  ].join('\n');
}

function axiomsText(axioms: readonly string[] | null): string {
  if (axioms === null) return 'axioms that Lean does not report';
  return axioms.length === 0 ? 'no axioms' : axioms.join(', ');
}
