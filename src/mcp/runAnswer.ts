import type { CallToolResult } from '@modelcontextprotocol/server';
import { z } from 'zod';
import { type Steps, slices } from '../base/slices.ts';
import type { RunResult } from '../engine/types.ts';
import { clip, type DescribedReport, MAX_TEXT, type ReportFormat } from '../languages/languageTools.ts';
import { DisplayAnswer, displaysOf, type Picture } from './displays.ts';
import { MadeFiles, resourceLinks } from './files/madeFiles.ts';
import { outOfRange } from './outOfRange.ts';
import { printable } from './printable.ts';
import { runText } from './runText.ts';

/** The structured content of a run's result. */
export const RunAnswer = z.strictObject({
  run_id: z.string(),
  status: z.enum(['ok', 'error', 'timeout', 'interrupted', 'out_of_memory', 'sandbox_lost', 'rejected']),
  exit_code: z.int().nullable(),
  stdout: z.string(),
  stderr: z.string(),
  result: z.string().nullable().describe('Value of the last expression as text, or null.'),
  error: z.strictObject({ name: z.string(), message: z.string(), traceback: z.string() }).nullable(),
  displays: z.array(DisplayAnswer),
  state: z.looseObject({}).nullable().describe('JSON-serializable variables, if state was given.'),
  files: MadeFiles.optional(),
  notes: z.array(z.string()).optional().describe('Further remarks, if any.'),
  truncated: z.boolean().describe('Whether output or a report was cut.'),
  duration_ms: z.number(),
  peak_memory_bytes: z.number(),
  session_id: z.string().nullable(),
});
export type RunAnswer = z.infer<typeof RunAnswer>;

/** The description of a run without a report. */
const NO_REPORT: DescribedReport = { fields: {}, verdict: null, hasErrors: false, texts: [] };

/** The schema of answers: each answer has the fields of its own language's reports only. */
export function runAnswerSchema(formats: readonly ReportFormat[]): z.ZodObject {
  const own = formats.map(({ fields }) => z.object(fields).partial().shape);
  return RunAnswer.extend(Object.assign({}, ...own)).strict();
}

/**
 * The result of a run. Structured content holds everything but the bytes of images. The text is written for a reader and
 * does not repeat the JSON: a client with structured content would pay twice for it, and in other clients a model reads
 * unescaped output and tracebacks better. It contains everything that a model acts on.
 */
export function runAnswer(
  run: RunResult,
  report: DescribedReport = NO_REPORT,
  files: MadeFiles | null = null,
): Promise<CallToolResult> {
  return slices.run(answerOf(run, report, files));
}

function* answerOf(run: RunResult, report: DescribedReport, files: MadeFiles | null): Steps<CallToolResult> {
  const pictures: Picture[] = [];
  const { fields, text } = yield* describedRun(run, pictures, report, files);
  const content = [...contentOf(text, pictures), ...resourceLinks(files)];
  return { content, structuredContent: fields, isError: run.status !== 'ok' };
}

/** A run as structured content and as text; its images are added to `pictures`. */
export function* describedRun(
  run: RunResult,
  pictures: Picture[],
  report: DescribedReport = NO_REPORT,
  files: MadeFiles | null = null,
): Steps<{ readonly fields: Record<string, unknown>; readonly text: string }> {
  const displays = yield* displaysOf(run, pictures);
  const answer = yield* fieldsOf(run, displays, files);
  return { fields: { ...answer, ...report.fields }, text: yield* runText(answer, report) };
}

/** The content of an answer: its text, then its images. */
export function contentOf(text: string, pictures: readonly Picture[]): CallToolResult['content'] {
  return [{ type: 'text', text }, ...pictures.map((picture) => ({ type: 'image' as const, ...picture }))];
}

function* fieldsOf(run: RunResult, displays: DisplayAnswer[], files: MadeFiles | null): Steps<RunAnswer> {
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
    ...(files && { files }),
    ...(notes.length > 0 && { notes }),
    truncated: run.truncated || (result ?? '').length > MAX_TEXT,
    duration_ms: Math.round(run.durationMs * 10) / 10,
    peak_memory_bytes: run.peakMemoryBytes,
    session_id: run.sessionId,
  };
}

/** The variables that JSON can hold, and a note on each of the others. */
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
