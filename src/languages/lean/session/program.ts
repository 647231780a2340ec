import { randomBytes } from 'node:crypto';
import type { Sandbox } from '../../../sandbox/sandbox.ts';
import { plainError, violentEnd } from '../../exit.ts';
import type { CellEnd, CellOutput } from '../../language.ts';
import type { NoAnswer } from '../lsp/document.ts';
import { tokensOf } from '../text/tokens.ts';
import { runProgram } from '../worker/program.ts';
import { evaluated, evaluation } from './evaluation.ts';
import type { SessionDocument } from './sessionDocument.ts';

/** How a program ended. */
export interface ProgramEnd extends Pick<CellEnd, 'status' | 'error' | 'exitCode'> {
  readonly kind: 'ended';
}

/** What a program runs in. */
export interface ProgramPlace {
  readonly sandbox: Sandbox;
  readonly document: SessionDocument;
  /** The whole document, in which the program is the only `main`. */
  readonly segments: readonly string[];
  readonly stdin: string;
  readonly say: (output: CellOutput) => void;
  readonly signal: AbortSignal;
}

/** Runs the document's `main`: in Lean's worker where that can be done, which takes no time, and else by `lean --run`. */
export async function runMain(place: ProgramPlace): Promise<ProgramEnd | NoAnswer> {
  if (place.stdin === '' && !exits(place.segments)) {
    const end = await evaluate(place);
    if (end) return end;
  }
  return runByItself(place);
}

/** Null where it cannot be evaluated. */
async function evaluate({ document, segments, say, signal }: ProgramPlace): Promise<ProgramEnd | NoAnswer | null> {
  const mark = randomBytes(16).toString('hex');
  signal.throwIfAborted();
  document.become([...segments, evaluation(mark)]);
  const settled = await document.settled(signal);
  if (settled.kind !== 'settled') return settled;
  const result = evaluated(settled.diagnostics, document.lineOf(segments.length), mark);
  if (!result) return null;
  if (result.stdout !== '') say({ kind: 'stdout', text: result.stdout });
  if (result.exception !== null) say({ kind: 'stderr', text: `uncaught exception: ${result.exception}\n` });
  return endOfCode(result.exitCode);
}

async function runByItself({ sandbox, segments, stdin, say, signal }: ProgramPlace): Promise<ProgramEnd | NoAnswer> {
  const running = await runProgram(sandbox, { text: segments.join(''), stdin }, say);
  const kill = () => running.kill();
  signal.addEventListener('abort', kill, { once: true });
  if (signal.aborted) kill();
  const end = await running.ended;
  signal.removeEventListener('abort', kill);
  if (end.kind === 'lost') return { kind: 'lost', reason: end.loss.reason };
  const violent = violentEnd(end.exit, false);
  return violent ? { kind: 'ended', ...violent, exitCode: end.exit.code } : endOfCode(end.exit.code ?? 1);
}

function endOfCode(exitCode: number): ProgramEnd {
  if (exitCode === 0) return { kind: 'ended', status: 'ok', error: null, exitCode };
  const error = plainError('ExitStatus', `The program ended with exit status ${exitCode}.`);
  return { kind: 'ended', status: 'error', error, exitCode };
}

/** Whether some code may end its process, which must not be Lean's worker. */
function exits(segments: readonly string[]): boolean {
  return segments.some((segment) => {
    if (!segment.includes('exit')) return false;
    return tokensOf(segment).some(
      ({ kind, start, end }) => kind === 'name' && /(^|\.)(exit|forceExit)$/.test(segment.slice(start, end)),
    );
  });
}
