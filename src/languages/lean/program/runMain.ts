import { randomBytes } from 'node:crypto';
import type { Sandbox } from '../../../sandbox/sandbox.ts';
import { plainError, violentEnd } from '../../exit.ts';
import type { CellEnd, CellOutput } from '../../language.ts';
import type { SegmentedDocument } from '../check/segmentedDocument.ts';
import type { NoAnswer } from '../lsp/document.ts';
import { tokensOf } from '../text/tokens.ts';
import { evaluated, evaluation } from './evaluation.ts';
import { runProgram } from './leanRun.ts';
import { type OpenPipes, openPipes } from './pipes.ts';

/** How a program ended. */
export interface ProgramEnd extends Pick<CellEnd, 'status' | 'error' | 'exitCode'> {
  readonly kind: 'ended';
}

/** Receives what a program writes. */
export interface ProgramOutput {
  readonly say: (output: CellOutput) => void;
  /** Counts bytes that the program wrote and that are not passed on. */
  drop(kind: 'stdout' | 'stderr', bytes: number): void;
}

/** Where a program runs. */
export interface ProgramPlace {
  readonly sandbox: Sandbox;
  readonly document: SegmentedDocument;
  /** The whole document; the program is its only `main`. */
  readonly segments: readonly string[];
  /** No cell has an error; otherwise the program can run only in Lean's process for the document. */
  readonly isSound: boolean;
  readonly stdin: string;
  readonly output: ProgramOutput;
  /** The maximum of bytes of its stdout that are passed on. */
  readonly limit: number;
  readonly signal: AbortSignal;
}

/** Runs the document's `main`: in Lean's process for the document where possible, which is fast, else by `lean --run`. */
export async function runMain(place: ProgramPlace): Promise<ProgramEnd | NoAnswer> {
  if (place.stdin === '' && !needsProcess(place.segments)) {
    const end = await evaluate(place, 'live');
    if (end) return end;
  }
  return (place.isSound ? null : await evaluate(place, 'atEnd')) ?? runAlone(place);
}

/** Null when the program cannot be evaluated, or its output cannot be live. */
async function evaluate(place: ProgramPlace, output: 'live' | 'atEnd'): Promise<ProgramEnd | NoAnswer | null> {
  const { sandbox, document, segments, output: sink, limit, signal } = place;
  const mark = randomBytes(16).toString('hex');
  const name = mark.slice(0, 8);
  const pipes = output === 'live' ? await openPipes(sandbox, { name, limit, say: sink.say }) : null;
  try {
    signal.throwIfAborted();
    document.become([...segments, evaluation(mark, pipes)]);
    const settled = await document.settled(signal);
    if (settled.kind !== 'settled') return settled;
    const result = evaluated(settled.diagnostics, document.lineOf(segments.length), mark);
    if (!result) return null;
    await close(pipes, sink);
    if (result.stdout !== '') sink.say({ kind: 'stdout', text: result.stdout });
    if (result.exception !== null) sink.say({ kind: 'stderr', text: `uncaught exception: ${result.exception}\n` });
    return endOfCode(result.exitCode);
  } finally {
    void pipes?.close();
  }
}

async function close(pipes: OpenPipes | null, sink: ProgramOutput): Promise<void> {
  const dropped = await pipes?.close();
  sink.drop('stdout', dropped?.stdout ?? 0);
  sink.drop('stderr', dropped?.stderr ?? 0);
}

async function runAlone(place: ProgramPlace): Promise<ProgramEnd | NoAnswer> {
  const { sandbox, document, segments, stdin, output: sink, limit, signal } = place;
  const program = { text: segments.join(''), stdin, leanBytes: document.lean.diagnosticBytes, limit };
  const passed = { stdout: 0, stderr: 0 };
  const running = await runProgram(sandbox, program, (output) => {
    if (output.kind === 'stdout' || output.kind === 'stderr') passed[output.kind] += Buffer.byteLength(output.text);
    sink.say(output);
  });
  const kill = () => running.kill();
  signal.addEventListener('abort', kill, { once: true });
  if (signal.aborted) kill();
  const { end, leanBytes } = await running.ended;
  signal.removeEventListener('abort', kill);
  if (end.kind === 'lost') return { kind: 'lost', reason: end.loss.reason };
  sink.drop('stdout', Math.max(0, end.exit.stdoutBytes - leanBytes - passed.stdout));
  sink.drop('stderr', Math.max(0, end.exit.stderrBytes - passed.stderr));
  const violent = violentEnd(end.exit, false);
  return violent ? { kind: 'ended', ...violent, exitCode: end.exit.code } : endOfCode(end.exit.code ?? 1);
}

function endOfCode(exitCode: number): ProgramEnd {
  if (exitCode === 0) return { kind: 'ended', status: 'ok', error: null, exitCode };
  const error = plainError('ExitStatus', `The program ended with exit status ${exitCode}.`);
  return { kind: 'ended', status: 'error', error, exitCode };
}

/**
 * Whether code may do what Lean's process for the document must not: end the process, or let another process or thread
 * write to its stdout, which carries the protocol.
 */
function needsProcess(segments: readonly string[]): boolean {
  return segments.some((segment) => {
    if (!/exit|spawn|Task/i.test(segment)) return false;
    return tokensOf(segment).some(
      ({ kind, start, end }) => kind === 'name' && NEEDING_PROCESS.test(segment.slice(start, end)),
    );
  });
}

const NEEDING_PROCESS = /(^|\.)(exit|forceExit|spawn|asTask|mapTask|bindTask)$/;
