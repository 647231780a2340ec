import { z } from 'zod';
import { LANGUAGES } from '../../engine/types.ts';
import { SessionAnswer, sessionFields, sessionLine } from '../sessionAnswer.ts';
import { defineTool, refused, success } from '../tool.ts';

const SessionId = z.strictObject({ session_id: z.string().describe('From open_session or list_sessions.') });

/** Opens a session that later runs share. */
export const openSession = defineTool({
  name: 'open_session',
  title: 'Open a session',
  description:
    'Opens an interpreter of its own in a sandbox of its own and returns its session_id. Runs with this session_id share variables, imports, functions and files until close_session. Sessions are limited in number: close what is no longer needed. One that is not used for eight hours may be closed.',
  annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: false },
  input: z.strictObject({ language: z.enum(LANGUAGES).describe('Language of the session.') }),
  output: SessionAnswer,
  async call({ language }, { engine, owner, signal }) {
    const opened = await engine.openSession(language, owner, signal);
    if (!opened.ok) return refused(opened.error);
    return success(sessionFields(opened.value), `Opened ${sessionLine(opened.value)}`);
  },
});

/** Ends a session and all it holds. */
export const closeSession = defineTool({
  name: 'close_session',
  title: 'Close a session',
  description: 'Ends a session. Its variables, files and running code are gone for good.',
  annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: false },
  input: SessionId,
  output: SessionAnswer,
  async call({ session_id }, { engine }) {
    const closed = await engine.closeSession(session_id);
    if (!closed.ok) return refused(closed.error);
    return success(sessionFields(closed.value), `Closed ${sessionLine(closed.value)}`);
  },
});

/** Stops what a session runs and keeps the session. */
export const interruptSession = defineTool({
  name: 'interrupt_session',
  title: 'Interrupt a session',
  description:
    'Interrupts the code that a session is running, like Ctrl+C; variables are kept. Code that goes on for three seconds is stopped hard, and the answer to its run_code says what was lost.',
  annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  input: SessionId,
  output: SessionAnswer,
  async call({ session_id }, { engine }) {
    const interrupted = await engine.interruptSession(session_id);
    if (!interrupted.ok) return refused(interrupted.error);
    return success(sessionFields(interrupted.value), `Interrupted ${sessionLine(interrupted.value)}`);
  },
});

/** Names every open session, of agents and of people. */
export const listSessions = defineTool({
  name: 'list_sessions',
  title: 'List sessions',
  description: 'Lists the open sessions, those of people and of other agents too; each can be used by its session_id.',
  annotations: { readOnlyHint: true, openWorldHint: false },
  input: z.strictObject({}),
  output: z.strictObject({ sessions: z.array(SessionAnswer) }),
  async call(_input, { engine }) {
    const { sessions } = engine.snapshot();
    const text = sessions.length === 0 ? 'No session is open.' : sessions.map(sessionLine).join('\n');
    return success({ sessions: sessions.map(sessionFields) }, text);
  },
});
