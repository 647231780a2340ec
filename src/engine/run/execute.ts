import type { Clock } from '../../base/clock.ts';
import type { CellEnd, CellRequest, Interpreter } from '../../languages/language.ts';
import type { Sandbox } from '../../sandbox/sandbox.ts';
import type { RunOutput } from '../types.ts';
import { OutputCollector } from './outputCollector.ts';
import { type StopReason, type StopStep, Terminator } from './terminator.ts';

/** After a kill without effect, the sandbox is destroyed. */
const KILL_GRACE_MS = 500;
/** After an interrupt without effect, the interpreter is killed. */
const INTERRUPT_GRACE_MS = 3_000;
/** What a run has at least that another engine has started. */
const CONTINUED_MS = 2_000;

/** The limits of a run and its caller's listeners. */
export interface RunTerms {
  /** 0 means no limit. */
  readonly timeoutMs: number;
  readonly signal: AbortSignal | undefined;
  readonly outputBytes: number;
  readonly onOutput: (output: RunOutput) => void;
  /** Milliseconds since another engine has started it. */
  readonly elapsedMs?: number;
}

/** A cell to run in an interpreter. */
export interface Execution extends ExecutionTerms {
  readonly interpreter: Interpreter;
  readonly cell: CellRequest;
}

/** What every execution has. */
export interface ExecutionTerms extends RunTerms {
  readonly terminator: Terminator;
  readonly clock: Clock;
}

/** How an execution ended. */
export interface Executed {
  readonly end: CellEnd;
  readonly stopped: StopReason | null;
  readonly shown: OutputCollector;
  readonly timeoutMs: number;
  readonly outputBytes: number;
  readonly durationMs: number;
}

/** Kills a one-shot run at once: it has no state worth keeping. */
export function killingTerminator(clock: Clock, interpreter: Interpreter, sandbox: Sandbox): Terminator {
  return new Terminator(clock, killSteps(interpreter, sandbox, 0));
}

/** Interrupts a session's cell, which keeps the variables, and kills it if that has no effect. */
export function interruptingTerminator(clock: Clock, interpreter: Interpreter, sandbox: Sandbox): Terminator {
  const interrupt = { afterMs: 0, act: () => interpreter.interrupt() };
  return new Terminator(clock, [interrupt, ...killSteps(interpreter, sandbox, INTERRUPT_GRACE_MS)]);
}

/** Runs a cell until it ends or is terminated. Never rejects. */
export function execute({ interpreter, cell, ...terms }: Execution): Promise<Executed> {
  return supervise(terms, (take) => interpreter.run({ ...cell, outputLimit: terms.outputBytes }, take));
}

/** Waits for a cell that `begin` starts or continues, until it ends or is terminated. Never rejects. */
export async function supervise(
  terms: ExecutionTerms,
  begin: (take: (output: RunOutput) => void) => Promise<CellEnd>,
): Promise<Executed> {
  const { clock, terminator, signal, timeoutMs, outputBytes, elapsedMs } = terms;
  const shown = new OutputCollector(outputBytes, terms.onOutput);
  const startedAt = clock.now() - (elapsedMs ?? 0);
  const running = begin(shown.take);
  // One that has ended meanwhile says so first.
  const leftMs = elapsedMs === undefined ? timeoutMs : Math.max(timeoutMs - elapsedMs, CONTINUED_MS);
  const timer = timeoutMs > 0 ? clock.schedule(leftMs, () => terminator.stop('timeout')) : null;
  const abort = () => terminator.stop('aborted');
  signal?.addEventListener('abort', abort, { once: true });
  if (signal?.aborted) abort();
  const end = await running;
  timer?.dispose();
  terminator.dispose();
  signal?.removeEventListener('abort', abort);
  return { end, stopped: terminator.reason, shown, timeoutMs, outputBytes, durationMs: clock.now() - startedAt };
}

function killSteps(interpreter: Interpreter, sandbox: Sandbox, afterMs: number): StopStep[] {
  return [
    { afterMs, act: () => interpreter.kill() },
    // The sandbox reports its loss itself, and the pool handles a removal that fails.
    { afterMs: KILL_GRACE_MS, act: () => void sandbox.dispose().catch(() => {}) },
  ];
}
