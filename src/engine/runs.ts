import type { Clock } from '../base/clock.ts';
import type { Lease } from '../pool/lease.ts';
import type { Environment } from './environment.ts';
import { type Executed, execute, killer } from './execute.ts';
import type { Options } from './options.ts';
import { otherLanguage, refusalOf } from './problems.ts';
import { timeoutMsOf } from './request.ts';
import { notRun, resultOf } from './results.ts';
import type { Session } from './session.ts';
import type { RunOutput, RunRequest, RunResult } from './types.ts';

/** A request that was found sound, on its way. */
export interface Run {
  readonly runId: string;
  readonly request: RunRequest;
  readonly onOutput: (output: RunOutput) => void;
  readonly signal: AbortSignal | undefined;
  /** Those in force when it came. */
  readonly limits: Options['limits'];
}

/** Runs in a sandbox that is the run's own while it lasts; its reset goes on behind the answer. Never rejects. */
export async function runOnce(run: Run, environment: Environment, clock: Clock): Promise<RunResult> {
  const grant = await environment.lease(run.request.owner, 'run', run.signal);
  if (grant.kind !== 'granted') return notRun(run.runId, refusalOf(grant));
  environment.countRun();
  const executed = await executeOnce(run, environment, grant.lease, clock);
  grant.lease.release(executed.end.status === 'sandbox_lost' ? 'destroy' : 'reset');
  return resultOf(executed, { runId: run.runId, memoryMb: run.limits.memoryMb, sessionId: null, loss: null });
}

/** Runs as the session's next cell. Never rejects. */
export async function runInSession(run: Run, environment: Environment, session: Session): Promise<RunResult> {
  const { runId, request, limits } = run;
  if (session.language !== request.language) {
    return notRun(runId, otherLanguage(session.id, session.language), session.id);
  }
  const answer = await session.run({ code: request.code, stdin: request.stdin ?? '', ...termsOf(run) });
  if (answer.kind === 'refused') return notRun(runId, answer.problem, session.id);
  environment.countRun();
  return resultOf(answer.executed, { runId, memoryMb: limits.memoryMb, sessionId: session.id, loss: answer.loss });
}

function executeOnce(run: Run, { language }: Environment, { sandbox }: Lease, clock: Clock): Promise<Executed> {
  const { code, stdin = '', state = null } = run.request;
  const interpreter = language.open(sandbox, { once: true });
  const stopper = killer(clock, interpreter, sandbox);
  return execute({ ...termsOf(run), clock, interpreter, stopper, cell: { code, name: '<code>', stdin, state } });
}

function termsOf({ request, limits, signal, onOutput }: Run) {
  return { timeoutMs: timeoutMsOf(request, limits), outputBytes: limits.outputKb * 1024, signal, onOutput };
}
