import type { RunResult } from '../engine/types.ts';

/** The command line could not be understood. */
export const USAGE_STATUS = 2;
/** What was asked could not be done, for a reason outside the program that was run. */
export const FAILURE_STATUS = 1;

/** The statuses as `--help` tells them. */
export const STATUS_HELP = [
  'Exit status of run: 0 ok; 1 error, or the status that the program itself ended with; 64 rejected, nothing was run;',
  '70 the sandbox was lost; 124 timeout; 130 interrupted; 137 out of memory; 143 ended by SIGTERM.',
  'All commands: 2 for a command line that cannot be understood.',
];

/** The exit status that tells how a run ended. */
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
