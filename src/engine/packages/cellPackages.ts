import type { CellInstalls } from '../../languages/packages.ts';
import type { Environment } from '../environment/environment.ts';
import { invalidRequest } from '../problems.ts';
import { NOTHING_RAN, notRun } from '../run/result.ts';
import { type Run, runInSession } from '../run/run.ts';
import type { Session } from '../session/session.ts';
import type { EngineProblem, RunResult } from '../types.ts';
import type { SessionPackages } from './sessionPackages.ts';
import type { InstallReport } from './types.ts';

/**
 * Runs a cell once the packages are there that its session had before a restart, and those that the cell itself installs:
 * commands such as `%pip install` are read from its text, so no value of a running program can get into one.
 */
export async function runWithPackages(
  run: Run,
  environment: Environment,
  session: Session,
  packages: SessionPackages,
): Promise<RunResult> {
  const installs = cellInstalls(run, environment);
  // At once, since its place among the session's cells is that of its arrival.
  if (!installs && !packages.hasLost(session)) return runInSession(run, environment, session);
  const { runId, signal } = run;
  let shown = '';
  const show = (text: string) => {
    shown += text;
    run.onOutput({ kind: 'stdout', text });
  };
  const problem = installs?.problem ? invalidRequest(installs.problem, 'Correct the command.') : null;
  const stopped = problem ?? (await packages.restore(session, environment, show, signal));
  if (stopped) return withText(endOf(run, stopped), shown);
  for (const { packages: names, files, upgrade, quiet } of installs?.installs ?? []) {
    const { owner, mayInstall = false } = run.request;
    const request = { sessionId: session.id, owner, packages: names, files, upgrade, isApproved: mayInstall };
    const installed = await packages.install(request, session, environment, quiet ? () => {} : show, signal);
    if (!installed.ok) return withText(endOf(run, installed.error), shown);
    const remarks = remarksOn(installed.value);
    if (remarks) show(remarks);
  }
  const cell = installs ? { ...run, request: { ...run.request, code: installs.code } } : run;
  const result = await runInSession(cell, environment, session);
  return withText({ ...result, runId }, shown);
}

/** What the code of a run asks to install, or null. */
export function cellInstalls({ request }: Pick<Run, 'request'>, { definition }: Environment): CellInstalls | null {
  return definition.packages?.installsIn(request.code) ?? null;
}

/** A run without a session cannot install. */
export function sessionNeeded(): EngineProblem {
  return invalidRequest(
    'Packages are installed into sessions, and this run has none.',
    'Open a session, and install them in it.',
  );
}

function endOf({ runId, request }: Run, problem: EngineProblem): RunResult {
  if (problem.kind !== 'install_failed') return notRun(runId, problem, request.sessionId);
  const error = { name: 'InstallError', message: `${problem.message}\n${problem.advice}`, traceback: '' };
  return { runId, status: 'error', error, sessionId: request.sessionId ?? null, ...NOTHING_RAN };
}

function remarksOn({ notes }: InstallReport): string {
  return notes.map((note) => `Note: ${note}\n`).join('');
}

/** The result with the installers' words before its own output. */
function withText(result: RunResult, text: string): RunResult {
  if (text === '') return result;
  const bytes = Buffer.byteLength(text);
  return { ...result, stdout: text + result.stdout, stdoutBytes: result.stdoutBytes + bytes };
}
