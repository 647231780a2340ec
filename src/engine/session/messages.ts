import type { CellEnd } from '../../languages/language.ts';
import type { SandboxLoss } from '../../sandbox/sandbox.ts';
import { cancelled, engineClosed, invalidRequest, overloaded, stillAsked } from '../problems.ts';
import type { Executed } from '../run/execute.ts';
import { statusOf } from '../run/result.ts';
import type { EngineProblem } from '../types.ts';

/** Why a call did not get its turn; `refusal` is that of the session. */
export function noTurn(
  kind: 'aborted' | 'full' | 'rejected' | 'stuck',
  id: string,
  refusal: EngineProblem | null,
): EngineProblem {
  if (kind === 'aborted') return cancelled();
  if (kind === 'stuck') return stillAsked(id);
  if (kind === 'full') return overloaded(`Too many runs wait for session ${id} already.`);
  const message = `Session ${id} was restarted before this run began.`;
  return refusal ?? invalidRequest(message, 'Run it again in the new interpreter.');
}

/** Why a session without an interpreter cannot run a cell. */
export function notLive(refusal: EngineProblem | null): EngineProblem {
  return refusal ?? engineClosed();
}

/** Why a session ends with its sandbox. */
export function reasonOfLoss({ outOfMemory, reason }: SandboxLoss): string {
  return outOfMemory ? 'it ran out of memory' : `its sandbox was lost (${reason})`;
}

/** Why a session ends with its interpreter, between cells. */
export function reasonOfExit({ status, exitCode, error }: CellEnd): string {
  if (status === 'out_of_memory') return 'it ran out of memory';
  if (exitCode !== null) return `its interpreter left with exit status ${exitCode}`;
  return error ? `its interpreter left (${error.message})` : 'its interpreter left';
}

/** Why a session ends with a cell. */
export function reasonOfCell({ end, stopped, timeoutMs }: Executed): string {
  switch (statusOf(end, stopped)) {
    case 'timeout':
      return `a run took longer than ${timeoutMs / 1000} s and did not stop when it was interrupted`;
    case 'interrupted':
      return 'a run did not stop when it was interrupted';
    case 'out_of_memory':
      return 'it ran out of memory';
    case 'sandbox_lost':
      return 'its sandbox was lost';
    default:
      return 'its interpreter left';
  }
}
