import { randomUUID } from 'node:crypto';
import type { Engine, RunResult } from '../../../engine/types.ts';
import { validated } from '../arguments/validated.ts';
import { checkArguments, DOCKER_MCP, problemText, toolError } from '../dockerMcp.ts';
import { importRule } from '../importRule.ts';
import { NamedSessions } from '../namedSessions.ts';
import { type Profile, type ProfileTools, textAnswer } from '../profile.ts';
import { TOOLS } from './tools.ts';

/** lean-docker-mcp: Lean code, alone or in sessions that the client names. */
export const leanDockerMcp: Profile = {
  ...DOCKER_MCP,
  id: 'lean-docker-mcp',
  serverName: 'lean-docker-mcp',
  tools: TOOLS,
  open: (engine) => validated(TOOLS, leanTools(engine), checkArguments),
};

function leanTools(engine: Engine): ProfileTools {
  const sessions = new NamedSessions(engine, 'lean');
  return {
    async 'execute-lean'({ code }, { owner, signal, onOutput }) {
      const run = await engine.run({ language: 'lean', code: String(code), owner }, onOutput, signal);
      return textAnswer(resultText(run), !isSuccess(run));
    },

    async 'execute-lean-persistent'({ code, session_id }, { owner, signal, onOutput }) {
      const name = String(session_id || randomUUID());
      const session = await sessions.open(name, owner, signal);
      if (!session.ok) return toolError('execute-lean-persistent', problemText(session.error));
      const request = { language: 'lean', code: String(code), owner, sessionId: session.value };
      const run = await engine.run(request, onOutput, signal);
      return textAnswer(`Session ID: ${name}\n\n${resultText(run)}`, !isSuccess(run));
    },

    async 'cleanup-session'({ session_id }) {
      const closed = await sessions.close(String(session_id));
      const detail = closed
        ? `Session ${session_id} cleaned up successfully`
        : `No session found with ID ${session_id}`;
      return textAnswer(`Session ${session_id} cleaned up successfully: ${detail}`);
    },
  };
}

function isSuccess(run: RunResult): boolean {
  return run.status === 'ok';
}

function resultText(run: RunResult): string {
  const output = outputOf(run).trimEnd();
  return [
    `Status: ${isSuccess(run) ? 'success' : 'error'}`,
    `Exit Code: ${exitCodeOf(run)}`,
    '',
    output === '' ? 'No output' : `Output:\n${output}`,
    ...(isSuccess(run) ? [] : ['', `Error: ${errorOf(run)}`]),
  ].join('\n');
}

/** That of `main`, otherwise 1 for code with errors; -1 for code that did not run to its end, or not at all. */
function exitCodeOf(run: RunResult): number {
  if (run.exitCode !== null) return run.exitCode;
  if (isSuccess(run)) return 0;
  return run.status === 'error' && importRule(run) === null ? 1 : -1;
}

/** Errors and warnings as Lean prints them, then what the code and `main` have printed. */
function outputOf({ report, stdout, stderr }: RunResult): string {
  const messages = (report?.messages ?? [])
    .filter(({ severity }) => severity === 'error' || severity === 'warning')
    .map(({ line, column, severity, text }) => `Script.lean:${line}:${column}: ${severity}: ${text.trimEnd()}\n`);
  return [...messages, stdout, stderr].join('');
}

function errorOf(run: RunResult): string {
  const rule = importRule(run);
  if (rule !== null) return rule;
  const message = run.report?.messages.find(({ severity }) => severity === 'error')?.text;
  const [first] = (message ?? run.error?.message ?? '').split('\n', 1);
  return first || 'Lean execution error';
}
