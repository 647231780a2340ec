import type { RunResult } from '../engine/types.ts';

/** The arguments are invalid. */
export const USAGE_STATUS = 2;
/** The command failed for a reason outside the program that it ran. */
export const FAILURE_STATUS = 1;

/** The exit statuses of `hothouse run`, as its help shows them. */
export const STATUS_HELP = `Exit status:
    0  the program succeeded
    1  the program failed; if it ended with a status of its own, that status
    2  invalid usage
   64  rejected, nothing was run
   70  the sandbox was lost
  124  timeout
  130  interrupted
  137  out of memory
  143  terminated by SIGTERM`;

/** The exit status for the outcome of a run. */
export function exitStatus({ status, exitCode }: Pick<RunResult, 'status' | 'exitCode'>): number {
  switch (status) {
    case 'ok':
      return 0;
    case 'error':
      return exitCode === null ? 1 : exitCode & 255 || 1;
    case 'rejected':
      return 64;
    case 'sandbox_lost':
      return 70;
    case 'timeout':
      return 124;
    case 'interrupted':
      return 130;
    case 'out_of_memory':
      return 137;
  }
}
