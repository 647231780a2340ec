import { z } from 'zod';
import { plainText } from '../base/log.ts';
import type { SessionInfo } from '../engine/types.ts';

/** A session in the structured content of a result. */
export const SessionAnswer = z.strictObject({
  session_id: z.string(),
  language: z.string(),
  state: z.string().describe('starting, idle, busy or ended'),
  end_reason: z.string().optional().describe('Why the session has ended.'),
  owner: z.string().describe('Client or notebook that opened the session.'),
  opened_at: z.string().describe('ISO 8601'),
  last_used_at: z.string().describe('ISO 8601'),
  runs: z.number(),
  memory_bytes: z.number().optional(),
});
export type SessionAnswer = z.infer<typeof SessionAnswer>;

/** Converts a session of the engine. */
export function sessionFields(session: SessionInfo): SessionAnswer {
  return {
    session_id: session.id,
    language: session.language,
    state: session.state,
    ...(session.endReason !== null && { end_reason: plainText(session.endReason) }),
    owner: plainText(session.owner.label),
    opened_at: new Date(session.openedAt).toISOString(),
    last_used_at: new Date(session.lastUsedAt).toISOString(),
    runs: session.runs,
    ...(session.memoryBytes !== null && { memory_bytes: session.memoryBytes }),
  };
}

/** A session in one line of text. */
export function sessionLine(session: SessionInfo): string {
  const reason = session.endReason === null ? '' : ` (${plainText(session.endReason)})`;
  return `session ${session.id}: ${session.language}, ${session.state}${reason}, runs: ${session.runs}, owner: ${plainText(session.owner.label)}`;
}
