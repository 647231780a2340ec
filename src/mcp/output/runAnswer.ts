import type { CallToolResult } from '@modelcontextprotocol/server';
import { z } from 'zod';
import { type Steps, slices } from '../../base/slices.ts';
import type { RunResult } from '../../engine/types.ts';
import { clip, type DescribedReport, type ReportFormat } from '../../languages/languageTools.ts';
import { MadeFiles, resourceLinks } from '../files/madeFiles.ts';
import { outOfRange } from '../outOfRange.ts';
import { printable } from '../printable.ts';
import { DisplayAnswer, type DisplayTargets, displaysOf, MAX_DISPLAYS, type Picture } from './displays.ts';
import { LongTexts, OutputLink } from './longTexts.ts';
import { runText } from './runText.ts';

/** The structured content of a run's result. What says nothing is absent: no output, no value, no error, nothing cut. */
export const RunAnswer = z.strictObject({
  run_id: z.string(),
  status: z.enum(['ok', 'error', 'timeout', 'interrupted', 'out_of_memory', 'sandbox_lost', 'rejected']),
  exit_code: z.int().optional(),
  stdout: z.string().optional(),
  stderr: z.string().optional(),
  result: z.string().optional().describe('Value of the last expression as text.'),
  error: z.strictObject({ name: z.string(), message: z.string(), traceback: z.string().optional() }).optional(),
  displays: z.array(DisplayAnswer).optional(),
  state: z.looseObject({}).optional().describe('JSON-serializable variables, if state was given.'),
  files: MadeFiles.optional(),
  links: z
    .array(OutputLink)
    .optional()
    .describe('Texts that are shortened above, and HTML. read_file with uri and resources/read return them whole.'),
  notes: z.array(z.string()).optional().describe('Further remarks.'),
  truncated: z.boolean().optional().describe('Whether output or a report was cut.'),
  duration_ms: z.number(),
  peak_memory_bytes: z.number().optional(),
  session_id: z.string().optional(),
});
export type RunAnswer = z.infer<typeof RunAnswer>;

/** The description of a run without a report. */
const NO_REPORT: DescribedReport = { fields: {}, verdict: null, hasErrors: false, texts: [] };

/** The schema of answers: each answer has the fields of its own language's reports only. */
export function runAnswerSchema(formats: readonly ReportFormat[]): z.ZodObject {
  const own = formats.map(({ fields }) => z.object(fields).partial().shape);
  return RunAnswer.extend(Object.assign({}, ...own)).strict();
}

/** What an answer says beside its run. */
export interface RunExtras {
  readonly report?: DescribedReport | undefined;
  readonly files?: MadeFiles | null;
  /** Gets the texts that are to be kept as resources. */
  readonly texts?: LongTexts;
}

/**
 * The result of a run. Structured content holds everything but the bytes of images and long texts. The text is written
 * for a reader and does not repeat the JSON: a client with structured content would pay twice for it, and in other clients
 * a model reads unescaped output and tracebacks better. It contains everything that a model acts on.
 */
export function runAnswer(run: RunResult, extras: RunExtras = {}): Promise<CallToolResult> {
  return slices.run(answerOf(run, extras));
}

function* answerOf(run: RunResult, extras: RunExtras): Steps<CallToolResult> {
  const targets = { pictures: [], texts: extras.texts ?? new LongTexts(run.runId) };
  const { fields, text } = yield* describedRun(run, targets, extras);
  const content = [
    ...contentOf(text, targets.pictures),
    ...resourceLinks(extras.files ?? null),
    ...targets.texts.content(),
  ];
  return { content, structuredContent: fields, isError: run.status !== 'ok' };
}

/** A run as structured content and as text; its images and long texts go to `targets`. */
export function* describedRun(
  run: RunResult,
  targets: DisplayTargets,
  { report = NO_REPORT, files = null }: RunExtras = {},
): Steps<{ readonly fields: Record<string, unknown>; readonly text: string }> {
  const displays = yield* displaysOf(run, targets);
  const answer = yield* fieldsOf(run, displays, targets.texts, files);
  return { fields: { ...answer, ...telling(report.fields) }, text: yield* runText(answer, report) };
}

/** The content of an answer: its text, then its images. */
export function contentOf(text: string, pictures: readonly Picture[]): CallToolResult['content'] {
  return [{ type: 'text', text }, ...pictures.map((picture) => ({ type: 'image' as const, ...picture }))];
}

/** The fields that say something: not those that are null, false, 0, or empty. */
function telling(fields: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => (Array.isArray(value) ? value[0] : value)));
}

function* fieldsOf(
  run: RunResult,
  displays: DisplayAnswer[],
  texts: LongTexts,
  files: MadeFiles | null,
): Steps<RunAnswer> {
  const plain = (name: string, text: string | undefined) => text && texts.shown(name, 'text/plain', text);
  const stdout = plain('stdout.txt', run.stdout);
  const stderr = plain('stderr.txt', run.stderr);
  const result = plain('result.txt', run.result ? String(run.result['text/plain'] ?? '') : undefined);
  const error = run.error && {
    name: clip(run.error.name),
    message: texts.shown('error.txt', 'text/plain', run.error.message),
    ...(run.error.traceback && { traceback: texts.shown('traceback.txt', 'text/plain', run.error.traceback) }),
  };
  yield;
  const { state, leftOut } = yield* stateOf(run);
  const omitted = run.displays.length - MAX_DISPLAYS;
  const notes = [...(run.report?.notes ?? []), ...leftOut, ...(omitted > 0 ? [`${omitted} more displays.`] : [])];
  return {
    run_id: run.runId,
    status: run.status,
    ...(run.exitCode !== null && { exit_code: run.exitCode }),
    ...(stdout && { stdout }),
    ...(stderr && { stderr }),
    ...(run.result && { result: result ?? '' }),
    ...(error && { error }),
    ...(displays.length > 0 && { displays }),
    ...(state && { state }),
    ...(files && { files }),
    ...(texts.links.length > 0 && { links: texts.links }),
    ...(notes.length > 0 && { notes }),
    ...((run.truncated || texts.omitted > 0 || omitted > 0) && { truncated: true }),
    duration_ms: Math.round(run.durationMs * 10) / 10,
    ...(run.peakMemoryBytes > 0 && { peak_memory_bytes: run.peakMemoryBytes }),
    ...(run.sessionId !== null && { session_id: run.sessionId }),
  };
}

/** The variables that JSON can hold, and a note on each of the others. */
function* stateOf({ state, stateLeftOut }: RunResult): Steps<{ state?: RunAnswer['state']; leftOut: string[] }> {
  if (!state) return { leftOut: [] };
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
