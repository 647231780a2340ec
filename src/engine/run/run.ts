import { randomUUID } from 'node:crypto';
import type { Clock } from '../../base/clock.ts';
import { deferred } from '../../base/deferred.ts';
import type { CellEnd, LanguageTask } from '../../languages/language.ts';
import type { Lease, Release } from '../../pool/lease.ts';
import type { Environment } from '../environment/environment.ts';
import type { MemoryLimit } from '../environment/profile.ts';
import { workspaceFiles } from '../files/sessionFiles.ts';
import type { ChangedFiles } from '../files/types.ts';
import { Workspace } from '../files/workspace.ts';
import type { Options } from '../options.ts';
import { otherLanguage, refusalOf } from '../problems.ts';
import type { CellAnswer, ContinuedCell, Preparation, Session } from '../session/session.ts';
import type { EngineProblem, RunOutput, RunRequest, RunResult } from '../types.ts';
import { type Executed, execute, killingTerminator, type RunTerms } from './execute.ts';
import { lowerLimits } from './lowerLimits.ts';
import { notRun, resultOf } from './result.ts';
import { timeoutMsOf } from './validateRequest.ts';

/** A check that takes longer than this releases its slot in the pool. */
const SLOT_RELEASE_MS = 1_000;

/** How long `onFiles` may read; a slow machine gives it longer. */
const ON_FILES_MS = 30_000;

/** A valid request on its way. */
export interface Run {
  readonly runId: string;
  readonly request: RunRequest;
  readonly onOutput: (output: RunOutput) => void;
  readonly signal: AbortSignal | undefined;
  /** A language's own question. */
  readonly task?: LanguageTask;
  /** The limits when it arrived. */
  readonly limits: Options['limits'];
}

/** A new run's id: `run-9b1c04d27a5e`. */
export function newRunId(): string {
  // Node.js makes these in batches; each call of randomBytes asks the system.
  return `run-${randomUUID().replace('-', '').slice(0, 12)}`;
}

/** Runs in a sandbox of its own, which is reset after the answer. Never rejects. */
export async function runOnce(run: Run, environment: Environment, clock: Clock): Promise<RunResult> {
  const first = await runLeased(run, environment, clock);
  // A warm interpreter may have ended before the run; another one takes it.
  const last = first.executed?.end.unstarted ? await runLeased(run, environment, clock) : first;
  if (!last.executed) return last.refusal;
  const { executed, files, memory } = last;
  return resultOf(executed, { runId: run.runId, memory, sessionId: null, loss: null, files });
}

/** The outcome of one lease. */
type Leased =
  | { readonly executed: Executed; readonly files: ChangedFiles | null; readonly memory: MemoryLimit }
  /** There was no sandbox. */
  | { readonly executed: null; readonly refusal: RunResult };

async function runLeased(run: Run, environment: Environment, clock: Clock): Promise<Leased> {
  const key = environment.keyFor(run.request.code, run.task);
  const grant = await environment.lease(run.request.owner, 'run', { key, signal: run.signal });
  if (grant.kind !== 'granted') return { executed: null, refusal: notRun(run.runId, refusalOf(grant)) };
  environment.countRun();
  // Long checks must not keep other requests waiting.
  const late = run.task ? clock.schedule(SLOT_RELEASE_MS, () => grant.lease.releaseSlot()) : null;
  const workspace = new Workspace(grant.lease.sandbox, clock);
  const { inputs, reportFiles, limits } = run.request;
  const refused = (problem: EngineProblem, release: Release): Leased => {
    late?.dispose();
    grant.lease.release(release);
    return { executed: null, refusal: notRun(run.runId, problem) };
  };
  const lowered = limits
    ? await lowerLimits(grant.lease.sandbox, environment, limits).catch((cause: unknown) => ({ cause }))
    : { isLowered: false, memory: environment.memory };
  if ('cause' in lowered) return refused(refusalOf({ kind: 'failed', ...lowered }), 'destroy');
  const problem = inputs ? await workspace.putInputs(inputs, run.signal) : null;
  if (problem) return refused(problem, lowered.isLowered ? 'destroy' : 'reset');
  const executed = await executeOnce(run, environment, grant.lease, clock, workspace.mark);
  const files = reportFiles ? await reportOf(run, workspace, executed.end, clock) : null;
  late?.dispose();
  grant.lease.release(lowered.isLowered ? 'destroy' : releaseAfter(executed.end));
  return { executed, files, memory: lowered.memory };
}

/** What the run has changed, once its caller has seen it or has had `ON_FILES_MS` for it. */
async function reportOf(
  { request }: Run,
  workspace: Workspace,
  end: CellEnd,
  clock: Clock,
): Promise<ChangedFiles | null> {
  const files = await workspace.changesAfter(end);
  const { onFiles } = request;
  if (!onFiles || !files || files.count === 0) return files;
  const over = new AbortController();
  const late = deferred<void>();
  const timer = clock.schedule(ON_FILES_MS * clock.slowness(), () => late.resolve());
  // What it throws at once counts as thrown later.
  const showFiles = async () => onFiles(files, workspaceFiles(workspace, over.signal));
  await Promise.race([showFiles().catch(() => {}), late.promise]);
  timer.dispose();
  // The sandbox may serve another run from now on.
  over.abort();
  return files;
}

/** Runs as the session's next cell, which `prepare` prepares in its turn. Never rejects. */
export async function runInSession(
  run: Run,
  environment: Environment,
  session: Session,
  prepare?: Preparation,
): Promise<RunResult> {
  const { runId, request } = run;
  if (session.language !== request.language) {
    return notRun(runId, otherLanguage(session.id, session.language), session.id);
  }
  const { code, stdin = '', cell, onInput } = request;
  const answer = await session.run(
    { runId, code, stdin, ...(cell !== undefined && { cell }), ...(onInput && { onInput }) },
    termsOf(run),
    request.reportFiles,
    prepare,
  );
  return resultOfCell(runId, answer, environment, session);
}

/** The result of a run that another engine has started in the session. Never rejects. */
export async function continueRun(cell: ContinuedCell, environment: Environment, session: Session): Promise<RunResult> {
  return resultOfCell(cell.runId, await cell.answer, environment, session);
}

function resultOfCell(runId: string, answer: CellAnswer, environment: Environment, session: Session): RunResult {
  if (answer.kind === 'refused') return notRun(runId, answer.problem, session.id);
  environment.countRun();
  const { memory, id: sessionId } = session;
  const context = { runId, memory, sessionId, loss: answer.loss, files: answer.files };
  return resultOf(answer.executed, context);
}

/** How a sandbox goes back after a one-shot run. */
function releaseAfter({ status, alive, unstarted }: CellEnd): Release {
  if (status === 'sandbox_lost' || status === 'unstopped' || unstarted) return 'destroy';
  return alive ? 'keep' : 'reset';
}

function executeOnce(
  run: Run,
  environment: Environment,
  { sandbox }: Lease,
  clock: Clock,
  mark: string,
): Promise<Executed> {
  const { code, stdin = '', onInput, state = null, reportFiles, fileName } = run.request;
  const onKey = (key: string) => environment.keepWarm(key);
  const awaited = environment.isWaiting;
  const owner = run.request.owner.id;
  const interpreter = environment.language.open(sandbox, { once: true, awaited, code, onKey, owner });
  const { task } = run;
  const cell = {
    code,
    name: fileName ?? '<code>',
    stdin,
    state,
    ...(fileName !== undefined && { file: `/workspace/${fileName}` }),
    ...(onInput && { onInput }),
    ...(task && { task }),
    ...(reportFiles && { changesSince: mark }),
  };
  const terminator = killingTerminator(clock, interpreter, sandbox);
  return execute({ ...termsOf(run), clock, interpreter, terminator, cell });
}

function termsOf({ request, limits, signal, onOutput }: Run): RunTerms {
  return { timeoutMs: timeoutMsOf(request, limits), outputBytes: limits.outputKb * 1024, signal, onOutput };
}
