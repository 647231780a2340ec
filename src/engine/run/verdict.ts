import type { CellEnd } from '../../languages/language.ts';
import type { MemoryLimit } from '../environment/profile.ts';
import type { OutcomeStatus, RunError } from '../types.ts';
import type { Executed } from './execute.ts';
import type { StopReason } from './terminator.ts';

/** How a run ended: by the facts of its end, and by who stopped it. */
export function statusOf({ status }: CellEnd, stopped: StopReason | null): OutcomeStatus {
  if (status === 'out_of_memory') return status;
  // Nobody may take it for stopped, whoever asked for that.
  if (status === 'unstopped') return 'sandbox_lost';
  // Code that ends well after its time was over is late all the same.
  if (stopped === 'timeout') return 'timeout';
  if (stopped === 'aborted') return 'interrupted';
  if (status === 'ok' || status === 'error') return status;
  if (stopped === 'interrupted') return 'interrupted';
  return status === 'killed' ? 'error' : status;
}

/** The error that goes with a status: cause, subject, and where it helps the next step. */
export function errorOf({ end, timeoutMs }: Executed, status: OutcomeStatus, memory: MemoryLimit): RunError | null {
  const traceback = end.error?.traceback ?? '';
  switch (status) {
    case 'timeout': {
      const message = `The run took longer than ${timeoutMs / 1000} s and was stopped. Give it more time or less to do.`;
      return { name: 'Timeout', message, traceback };
    }
    case 'out_of_memory': {
      const message = `The run needed more than the ${memory.mb} MB that a sandbox has. Use less, or raise ${memory.option}.`;
      return { name: 'OutOfMemory', message, traceback };
    }
    case 'interrupted':
      if (end.status === 'interrupted' && end.error) return end.error;
      return { name: 'Interrupted', message: 'The run was interrupted.', traceback };
    case 'sandbox_lost':
      return {
        name: 'SandboxLost',
        message: end.error?.message ?? 'The sandbox was lost. Run it again.',
        traceback,
      };
    default:
      return end.error;
  }
}
