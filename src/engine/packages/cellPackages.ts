import type { CellInstalls } from '../../languages/packages.ts';
import type { Environment } from '../environment/environment.ts';
import { invalidRequest } from '../problems.ts';
import { NOTHING_RAN, notRun } from '../run/result.ts';
import { type Run, runInSession } from '../run/run.ts';
import type { LiveInterpreter } from '../session/lifecycle.ts';
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
  if (installs?.problem) return endOf(run, invalidRequest(installs.problem, 'Correct the command.'));
  const { runId, request } = run;
  let shown = '';
  let stopped: EngineProblem | null = null;
  const show = (text: string) => {
    shown += text;
    run.onOutput({ kind: 'stdout', text });
  };
  const install = async (live: LiveInterpreter, signal: AbortSignal) => {
    const place = { session, live, environment, signal };
    stopped = await packages.restore({ ...place, onOutput: show });
    for (const { packages: names, files, upgrade, quiet } of installs?.installs ?? []) {
      if (stopped) return stopped;
      const { owner, mayInstall = false } = request;
      const { areReferences } = installs ?? {};
      const wanted = {
        sessionId: session.id,
        owner,
        packages: names,
        files,
        upgrade,
        areReferences,
        isApproved: mayInstall,
      };
      const installed = await packages.installHere(wanted, { ...place, onOutput: quiet ? () => {} : show });
      if (!installed.ok) stopped = installed.error;
      else show(remarksOn(installed.value));
    }
    return stopped;
  };
  const cell = installs ? { ...run, request: { ...request, code: installs.code } } : run;
  const result = await runInSession(cell, environment, session, (live) =>
    installs || packages.hasLost(session, live) ? (signal) => install(live, signal) : null,
  );
  return withText(stopped ? endOf(run, stopped) : { ...result, runId }, shown);
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
