import { z } from 'zod';

/**
 * What another engine needs to find a session and its sandbox again: plain JSON, the same from the session's start to its
 * end. It holds the sandbox's secret, so keep it where only this user can read it.
 */
export const SessionRecord = z.strictObject({
  version: z.literal(1),
  sessionId: z.string().min(1).max(200),
  /** Id of the language, and of its environment. */
  language: z.string(),
  environment: z.string(),
  owner: z.strictObject({ id: z.string(), kind: z.enum(['mcp', 'notebook', 'cli']), label: z.string() }),
  sandboxId: z.string().min(1).max(200),
  /** 256 random bits as hex. */
  secret: z.string().regex(/^[0-9a-f]{64}$/),
  /** Milliseconds since the epoch. */
  openedAt: z.number(),
});
export type SessionRecord = z.infer<typeof SessionRecord>;

/**
 * Keeps the records of an engine's sessions. `save` is called once a session has its sandbox, again when a restart gives
 * it another, and `remove` when the session has ended. The engine waits for neither longer than the call takes; a
 * rejection is logged, and that session cannot be resumed.
 */
export interface SessionStore {
  /** Whether sessions of this owner are kept; without it all are. */
  accepts?(owner: SessionRecord['owner']): boolean;
  save(record: SessionRecord): Promise<void>;
  remove(sessionId: string): Promise<void>;
}
