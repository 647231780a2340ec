import { randomUUID } from 'node:crypto';
import type { Engine, RunRequest, RunResult } from '../../../engine/types.ts';
import { validated } from '../arguments/validated.ts';
import { installForProfile } from '../clientSession.ts';
import { checkArguments, DOCKER_MCP, problemText, toolError } from '../dockerMcp.ts';
import { importRule } from '../importRule.ts';
import { NamedSessions } from '../namedSessions.ts';
import { type Profile, type ProfileCall, type ProfileTools, textAnswer } from '../profile.ts';
import { type ProgramRun, runProgram } from '../programRun.ts';
import { TOOLS } from './tools.ts';

/** python-docker-mcp: Python code, alone or in sessions that the client names. */
export const pythonDockerMcp: Profile = {
  ...DOCKER_MCP,
  id: 'python-docker-mcp',
  serverName: 'python-docker-mcp',
  tools: TOOLS,
  open: (engine) => validated(TOOLS, pythonTools(engine), checkArguments),
};

function pythonTools(engine: Engine): ProfileTools {
  const sessions = new NamedSessions(engine, 'python');
  return {
    async 'execute-transient'({ code, state }, call) {
      const request = { ...python(code), ...(state !== undefined && { state: state as Record<string, unknown> }) };
      const ran = await runProgram(engine, request, call);
      const text = resultText(ran.output, errorOf(ran)) + stateText(ran.run.state);
      return textAnswer(text, ran.run.status !== 'ok');
    },

    async 'execute-persistent'({ code, session_id }, call) {
      const name = String(session_id || randomUUID());
      const session = await sessions.open(name, call.owner, call.signal);
      if (!session.ok) return toolError('execute-persistent', problemText(session.error));
      const ran = await runProgram(engine, { ...python(code), sessionId: session.value }, call);
      const text = resultText(ran.output.trimEnd(), errorOf(ran));
      return textAnswer(`Session ID: ${name}\n\n${text}`, ran.run.status !== 'ok');
    },

    async 'install-package'({ package_name, session_id }, call) {
      const name = String(package_name);
      const installed = await install(engine, sessions, { name, session: session_id }, call);
      return installed.ok
        ? textAnswer(`Package installation result:\n\n${installed.text}`)
        : toolError('install-package', `Error installing package: ${installed.text}`);
    },

    async 'cleanup-session'({ session_id }) {
      await sessions.close(String(session_id));
      return textAnswer(`Session ${session_id} cleaned up successfully`);
    },
  };
}

function python(code: unknown): Pick<RunRequest, 'language' | 'code'> {
  return { language: 'python', code: String(code) };
}

function resultText(output: string, error: string | null): string {
  return `Execution Result:\n\n${output}${error === null ? '' : `\n\nError: ${error}`}`;
}

/** The older server takes the first line that was printed for the error. */
function errorOf({ run, output }: ProgramRun): string | null {
  if (run.status === 'ok') return null;
  const rule = importRule(run);
  if (rule !== null) return rule;
  if (run.status !== 'error') return run.error?.message ?? run.status;
  const [first] = output.split('\n', 1);
  return first ? `Python execution error: ${first}` : 'Python execution error';
}

/** The older server has documented that it returns the state, and never did. */
function stateText(state: RunResult['state']): string {
  return state === null ? '' : `\n\nUpdated state:\n\n${JSON.stringify(state, null, 2)}`;
}

/** A plain name, as the older server requires it: no version, no option, no address, no path. */
const PACKAGE_NAME = /^[A-Za-z0-9]([\w.-]*[A-Za-z0-9])?$/;

/** Installs into the session with that name; without a name into one that is closed at once, to show that it works. */
async function install(
  engine: Engine,
  sessions: NamedSessions,
  { name, session }: { readonly name: string; readonly session: unknown },
  call: ProfileCall,
): Promise<{ readonly ok: boolean; readonly text: string }> {
  if (!PACKAGE_NAME.test(name)) return { ok: false, text: `Invalid package name: ${name}` };
  const target = String(session || randomUUID());
  const opened = await sessions.open(target, call.owner, call.signal);
  if (!opened.ok) return { ok: false, text: problemText(opened.error) };
  const installed = await installForProfile(engine, opened.value, [name], call);
  if (!session) await sessions.close(target);
  if (installed.ok) return { ok: true, text: installed.value.output };
  return { ok: false, text: `Failed to install package: ${problemText(installed.error)}` };
}
