import { z } from 'zod';
import type { LanguageDefinition } from '../../languages/languageDefinition.ts';
import { SessionAnswer, sessionFields, sessionLine } from '../sessionAnswer.ts';
import { defineTool, languageArgument, refused, success, type Tool } from '../tool.ts';

const SessionId = z.strictObject({ session_id: z.string().describe('From open_session or list_sessions.') });

/** `open_session`. */
export function openSession(languages: readonly LanguageDefinition[]): Tool {
  return defineTool({
    name: 'open_session',
    title: 'New Session',
    description:
      'Starts an interpreter in its own sandbox and returns its session_id. Runs with this session_id share variables, imports, functions and files until close_session. The number of sessions is limited: close sessions you no longer need. Sessions unused for eight hours may be closed.',
    annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: false },
    input: z.strictObject({
      language: languageArgument(languages, 'Language of the session.'),
      environment: z
        .string()
        .optional()
        .describe('From create_environment or list_environments. Default: that of the language.'),
    }),
    output: SessionAnswer,
    async call({ language, environment }, { engine, owner, signal }) {
      const opened = await engine.openSession(language, owner, signal, environment);
      if (!opened.ok) return refused(opened.error);
      return success(sessionFields(opened.value), `Opened ${sessionLine(opened.value)}`);
    },
  });
}

/** `close_session`. */
export const closeSession = defineTool({
  name: 'close_session',
  title: 'Session End',
  description: 'Ends a session and deletes its variables, files and running code.',
  annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: false },
  input: SessionId,
  output: SessionAnswer,
  async call({ session_id }, { engine }) {
    const closed = await engine.closeSession(session_id);
    if (!closed.ok) return refused(closed.error);
    return success(sessionFields(closed.value), `Closed ${sessionLine(closed.value)}`);
  },
});

/** `interrupt_session`. */
export const interruptSession = defineTool({
  name: 'interrupt_session',
  title: 'Session Interrupt',
  description:
    'Interrupts the running code of a session, like Ctrl+C. Variables are kept. Code that ignores the interrupt is killed after three seconds; the result of its run_code says what was lost.',
  annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  input: SessionId,
  output: SessionAnswer,
  async call({ session_id }, { engine }) {
    const interrupted = await engine.interruptSession(session_id);
    if (!interrupted.ok) return refused(interrupted.error);
    return success(sessionFields(interrupted.value), `Interrupted ${sessionLine(interrupted.value)}`);
  },
});

/** `list_sessions`. */
export const listSessions = defineTool({
  name: 'list_sessions',
  title: 'Sessions',
  description:
    'Lists the sessions that you have opened, and those that people share with agents. Any of them can be used by its session_id.',
  annotations: { readOnlyHint: true, openWorldHint: false },
  input: z.strictObject({}),
  output: z.strictObject({ sessions: z.array(SessionAnswer) }),
  async call(_input, { engine }) {
    const { sessions } = engine.snapshot();
    const text = sessions.length === 0 ? 'No session is open.' : sessions.map(sessionLine).join('\n');
    return success({ sessions: sessions.map(sessionFields) }, text);
  },
});
