import type { Engine, RunRequest, RunResult } from '../../engine/types.ts';
import type { ProfileCall } from './profile.ts';

/** A run with what it printed, stdout and stderr in their order, as a terminal shows it. */
export interface ProgramRun {
  readonly run: RunResult;
  /** Ends with the traceback of an uncaught exception. */
  readonly output: string;
}

/** Runs code for a client of an older server. */
export async function runProgram(
  engine: Engine,
  request: Omit<RunRequest, 'owner'>,
  { owner, signal, onOutput }: ProfileCall,
): Promise<ProgramRun> {
  const parts: string[] = [];
  const run = await engine.run(
    { ...request, owner },
    (output) => {
      if (output.kind === 'stdout' || output.kind === 'stderr') parts.push(output.text);
      onOutput(output);
    },
    signal,
  );
  return { run, output: parts.join('') + (run.error?.traceback ?? '') };
}
