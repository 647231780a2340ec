import type { InterpreterEvent } from '../../protocol/interpreter.ts';
import type { Exit } from '../../protocol/messages.ts';
import type { ChannelEnd, SandboxLoss } from '../../sandbox/sandbox.ts';
import { cellEnd, lossEnd, plainError, violentEnd } from '../exit.ts';
import type { CellEnd, CellError } from '../language.ts';

/** A process's report of its cell's end. */
export type Done = Extract<InterpreterEvent, { type: 'done' }>;

/** What a cell's process has reported so far. */
export interface Progress {
  readonly error: CellError | null;
  readonly done: Done | null;
  readonly state: CellEnd['state'];
  /** Variables that `state` lacks. */
  readonly leftOut: readonly string[];
  /** Events that were rejected. */
  readonly refused: number;
  readonly stdoutBytes: number;
  readonly stderrBytes: number;
}

type Exited = Extract<ChannelEnd, { kind: 'exit' }>;

/** A cell whose process has exited. */
export function endOfExit({ exit, eventsDropped }: Exited, progress: Progress, killed: boolean): CellEnd {
  const { status, error } = verdict(exit, progress, killed);
  return {
    status,
    exitCode: exit.code,
    state: progress.state,
    stateLeftOut: progress.leftOut,
    error,
    report: null,
    stdoutBytes: exit.stdoutBytes,
    stderrBytes: exit.stderrBytes,
    eventsDropped: eventsDropped + (progress.done?.dropped ?? 0) + progress.refused,
    peakMemoryBytes: Math.max(exit.peakMemoryBytes, progress.done?.peakMemoryBytes ?? 0),
    alive: false,
  };
}

function verdict(exit: Exit, { done, error }: Progress, killed: boolean): Pick<CellEnd, 'status' | 'error'> {
  const violent = violentEnd(exit, killed);
  if (violent) return violent;
  // Only an exit by the driver reports its status; after os._exit there is no report, and the process status counts.
  if (done) return { status: done.status, error };
  const message = `The process left with exit status ${exit.code} before its code had ended.`;
  return exit.code === 0
    ? { status: 'ok', error: null }
    : { status: 'error', error: error ?? plainError('ProcessExit', message) };
}

/** The end of a cell whose sandbox is lost. */
export function endOfLoss(loss: SandboxLoss, { stdoutBytes, stderrBytes, refused }: Progress): CellEnd {
  return cellEnd({ ...lossEnd(loss), alive: false, stdoutBytes, stderrBytes, eventsDropped: refused });
}

/** The end of a cell that its process has reported. */
export function endOfCell(progress: Progress, done: Done, once: boolean): CellEnd {
  return {
    status: done.status,
    exitCode: done.exitCode ?? (once ? Number(done.status !== 'ok') : null),
    state: progress.state,
    stateLeftOut: progress.leftOut,
    error: progress.error,
    report: null,
    stdoutBytes: progress.stdoutBytes,
    stderrBytes: progress.stderrBytes,
    eventsDropped: done.dropped + progress.refused,
    peakMemoryBytes: done.peakMemoryBytes,
    ...(done.filesChanged !== undefined && { filesChanged: done.filesChanged }),
    alive: !once,
  };
}
