import type { Clock } from '../../base/clock.ts';
import type { CellEnd, CellRequest, Interpreter } from '../../languages/language.ts';
import type { Sandbox } from '../../sandbox/sandbox.ts';
import type { RunOutput } from '../types.ts';
import { Collector } from './outputCollector.ts';
import { Stopper, type StopReason } from './terminator.ts';

/** After a kill that nobody answers, the whole sandbox goes. */
const KILL_GRACE_MS = 500;
/** After an interrupt that does not help, the interpreter goes. */
export const INTERRUPT_GRACE_MS = 3_000;

/** A cell to run under watch. */
export interface Execution {
  readonly interpreter: Interpreter;
  readonly cell: CellRequest;
  readonly stopper: Stopper;
  /** 0 means for ever. */
  readonly timeoutMs: number;
  readonly signal: AbortSignal | undefined;
  readonly outputBytes: number;
  readonly onOutput: (output: RunOutput) => void;
  readonly clock: Clock;
}

/** What became of it. */
export interface Executed {
  readonly end: CellEnd;
  readonly stopped: StopReason | null;
  readonly shown: Collector;
  readonly timeoutMs: number;
  readonly outputBytes: number;
  readonly durationMs: number;
}

/** Stops a one-shot run: nothing of it is worth keeping. */
export function killer(clock: Clock, interpreter: Interpreter, sandbox: Sandbox): Stopper {
  return new Stopper(clock, killSteps(interpreter, sandbox, 0));
}

/** Stops a session's cell: an interrupt keeps the variables, the steps after it don't. */
export function interrupter(clock: Clock, interpreter: Interpreter, sandbox: Sandbox): Stopper {
  const interrupt = { afterMs: 0, act: () => interpreter.interrupt() };
  return new Stopper(clock, [interrupt, ...killSteps(interpreter, sandbox, INTERRUPT_GRACE_MS)]);
}

/** Runs a cell to its end, whatever ends it. Never rejects. */
export async function execute(execution: Execution): Promise<Executed> {
  const { clock, stopper, signal, timeoutMs, outputBytes } = execution;
  const shown = new Collector(outputBytes, execution.onOutput);
  const startedAt = clock.now();
  const running = execution.interpreter.run({ ...execution.cell, outputLimit: outputBytes }, shown.take);
  const timer = timeoutMs > 0 ? clock.schedule(timeoutMs, () => stopper.stop('timeout')) : null;
  const abort = () => stopper.stop('aborted');
  signal?.addEventListener('abort', abort, { once: true });
  if (signal?.aborted) abort();
  const end = await running;
  timer?.dispose();
  stopper.dispose();
  signal?.removeEventListener('abort', abort);
  return { end, stopped: stopper.reason, shown, timeoutMs, outputBytes, durationMs: clock.now() - startedAt };
}

function killSteps(interpreter: Interpreter, sandbox: Sandbox, afterMs: number) {
  return [
    { afterMs, act: () => interpreter.kill() },
    // That it goes is told by its loss; whether its container could be removed is the pool's to find out.
    { afterMs: KILL_GRACE_MS, act: () => void sandbox.dispose().catch(() => {}) },
  ];
}
