import type { CallToolResult } from '@modelcontextprotocol/server';
import { z } from 'zod';
import { type Steps, slices } from '../base/slices.ts';
import type { RunResult } from '../engine/types.ts';
import { clip, DisplayAnswer, displaysOf, MAX_TEXT } from './displays.ts';
import { outOfRange } from './outOfRange.ts';
import { type DescribedReport, NO_REPORT, type ReportPart } from './reportPart.ts';
import { runText } from './runText.ts';

/** What has no place on a line: controls, ends of lines, what turns the direction of writing. */
const UNPRINTABLE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;
/** Characters of a variable's name in a note. */
const MAX_NAME = 200;

/** A run's end as clients read it. */
export const RunAnswer = z.strictObject({
  run_id: z.string(),
  status: z.enum(['ok', 'error', 'timeout', 'interrupted', 'out_of_memory', 'sandbox_lost', 'rejected']),
  exit_code: z.int().nullable(),
  stdout: z.string(),
  stderr: z.string(),
  result: z.string().nullable().describe('Value of the last expression as text, or null.'),
  error: z.strictObject({ name: z.string(), message: z.string(), traceback: z.string() }).nullable(),
  displays: z.array(DisplayAnswer),
  state: z.looseObject({}).nullable().describe('The JSON-able variables, when state was given.'),
  notes: z.array(z.string()).optional().describe('What else there is to know, if anything.'),
  truncated: z.boolean().describe('Output, or a report on the code, was more than is kept.'),
  duration_ms: z.number(),
  peak_memory_bytes: z.number(),
  session_id: z.string().nullable(),
});
export type RunAnswer = z.infer<typeof RunAnswer>;

/** The schema of answers when these languages have reports: each answer has the fields of its own language only. */
export function runAnswerSchema(parts: readonly ReportPart[]): z.ZodObject {
  const own = parts.map(({ fields }) => z.object(fields).partial().shape);
  return RunAnswer.extend(Object.assign({}, ...own)).strict();
}

/**
 * A run's end as a call's answer. Structured content holds everything but the bytes of pictures. The text is for a
 * reader, not the JSON once more: clients that know structured content would pay twice for it, and in the others a
 * model reads output and tracebacks better unescaped. It leaves out nothing that a model acts on.
 */
export function runAnswer(run: RunResult, report: DescribedReport = NO_REPORT): Promise<CallToolResult> {
  return slices.run(answerOf(run, report));
}

function* answerOf(run: RunResult, report: DescribedReport): Steps<CallToolResult> {
  const { displays, pictures } = yield* displaysOf(run);
  const answer = yield* fieldsOf(run, displays);
  return {
    content: [
      { type: 'text', text: yield* runText(answer, report) },
      ...pictures.map((picture) => ({ type: 'image' as const, ...picture })),
    ],
    structuredContent: { ...answer, ...report.fields },
    isError: run.status !== 'ok',
  };
}

function* fieldsOf(run: RunResult, displays: DisplayAnswer[]): Steps<RunAnswer> {
  const result = run.result && String(run.result['text/plain'] ?? '');
  const { state, leftOut } = yield* stateOf(run);
  const notes = [...(run.report?.notes ?? []), ...leftOut];
  return {
    run_id: run.runId,
    status: run.status,
    exit_code: run.exitCode,
    stdout: run.stdout,
    stderr: run.stderr,
    result: result === null ? null : clip(result),
    error: run.error && { ...run.error },
    displays,
    state,
    ...(notes.length > 0 && { notes }),
    truncated: run.truncated || (result ?? '').length > MAX_TEXT,
    duration_ms: Math.round(run.durationMs * 10) / 10,
    peak_memory_bytes: run.peakMemoryBytes,
    session_id: run.sessionId,
  };
}

/** The variables without those that JSON cannot carry, and a note on each of these. */
function* stateOf({ state, stateLeftOut }: RunResult): Steps<{ state: RunAnswer['state']; leftOut: string[] }> {
  if (!state) return { state: null, leftOut: [] };
  const kept: [string, unknown][] = [];
  const leftOut: string[] = [];
  for (const [name, value] of Object.entries(state)) {
    const place = outOfRange({ [name]: value });
    if (place === null) kept.push([name, value]);
    else leftOut.push(`Left out of state: ${printable(place)} is beyond 1.8e308.`);
    yield;
  }
  const large = stateLeftOut.map((name) => `Left out of state: ${printable(name)} is too large, or no JSON.`);
  return { state: Object.fromEntries(kept), leftOut: leftOut.concat(large) };
}

/** A name as code chose it, which might look like lines of ours. */
function printable(name: string): string {
  const text = name.replace(UNPRINTABLE, (it) => `\\u{${it.codePointAt(0)?.toString(16)}}`);
  return text.length > MAX_NAME ? `${text.slice(0, MAX_NAME).toWellFormed()}…` : text;
}
