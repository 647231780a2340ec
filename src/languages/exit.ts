import type { Exit } from '../protocol/messages.ts';
import type { SandboxLoss } from '../sandbox/sandbox.ts';
import type { CellEnd, CellError } from './language.ts';

const SIGKILL = 9;
const SIGNAL_NAMES: Readonly<Record<number, string>> = {
  4: 'SIGILL',
  6: 'SIGABRT',
  7: 'SIGBUS',
  8: 'SIGFPE',
  9: 'SIGKILL',
  11: 'SIGSEGV',
  13: 'SIGPIPE',
  15: 'SIGTERM',
  31: 'SIGSYS',
};

/** What the end of a process means that did not exit by itself; null when it did. `killed`: the engine killed it. */
export function violentEnd(exit: Exit, killed: boolean): Pick<CellEnd, 'status' | 'error'> | null {
  if (exit.failure !== null) return { status: 'error', error: plainError('StartFailed', exit.failure) };
  if (exit.signal === SIGKILL && exit.oomKills > 0) {
    return {
      status: 'out_of_memory',
      error: plainError('OutOfMemory', "The run needed more memory than its sandbox's limit."),
    };
  }
  if (exit.signal === null) return null;
  const name = SIGNAL_NAMES[exit.signal] ?? `signal ${exit.signal}`;
  return { status: killed ? 'killed' : 'error', error: plainError(name, `The process was ended by ${name}.`) };
}

/** What the loss of a sandbox means for what ran in it. */
export function lossEnd(loss: SandboxLoss): Pick<CellEnd, 'status' | 'error'> {
  const { outOfMemory, reason, mayStillRun, isOverLimit } = loss;
  const message = `The sandbox was ${isOverLimit ? 'ended' : 'lost'}: ${reason}.${isOverLimit ? '' : ' Run it again.'}`;
  if (mayStillRun) return { status: 'unstopped', error: plainError('SandboxLost', message) };
  return outOfMemory
    ? { status: 'out_of_memory', error: plainError('OutOfMemory', message) }
    : { status: 'sandbox_lost', error: plainError('SandboxLost', message) };
}

/** The end of a cell with the given fields; all other fields are empty. */
export function cellEnd(given: Pick<CellEnd, 'status' | 'alive'> & Partial<CellEnd>): CellEnd {
  return {
    exitCode: null,
    state: null,
    error: null,
    report: null,
    stdoutBytes: 0,
    stderrBytes: 0,
    eventsDropped: 0,
    peakMemoryBytes: 0,
    ...given,
  };
}

/** An error without a traceback. */
export function plainError(name: string, message: string): CellError {
  return { name, message, traceback: '' };
}
