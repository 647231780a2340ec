import type { ServerResponse } from 'node:http';
import { z } from 'zod';
import type { Engine, SessionInfo } from '../../engine/types.ts';
import type { Site } from './endpoint.ts';
import { pathOf, reject } from './gate.ts';

/** Below this path a person's programs list sessions (GET) and share one with agents (PUT) or no longer (DELETE). */
export const SESSIONS_PREFIX = '/sessions/';

const Item = z.object({
  session_id: z.string(),
  language: z.string(),
  state: z.string(),
  owner: z.string(),
  is_shared: z.boolean(),
});
/** An answer: every session, or the one that was changed. */
export const SessionList = z.object({ sessions: z.array(Item) });
export type ListedSession = z.infer<typeof Item>;

/** What only a person does with sessions, so that it is no tool of agents: their tokens are refused, whatever they name. */
export function sessionSite(engine: Engine): Site {
  return {
    prefix: SESSIONS_PREFIX,
    isPublic: () => false,
    async handle(request, response, viewer) {
      if (!viewer || viewer.kind === 'mcp') {
        return reject(response, { status: 403, message: 'Only a person shares sessions. Ask the user.' });
      }
      const id = decoded(pathOf(request).slice(SESSIONS_PREFIX.length));
      const isRoot = id === '';
      if (isRoot && request.method === 'GET') return answer(response, engine.snapshot().sessions);
      if (isRoot || (request.method !== 'PUT' && request.method !== 'DELETE')) {
        return reject(response, {
          status: 405,
          message: 'Methods are GET for the list, and PUT and DELETE for a session.',
        });
      }
      const shared = await engine.shareSession(id, request.method === 'PUT');
      if (shared.ok) return answer(response, [shared.value]);
      reject(response, { status: 404, message: shared.error.message });
    },
    reject,
  };
}

function answer(response: ServerResponse, sessions: readonly SessionInfo[]): void {
  const items = sessions.map(
    ({ id, language, state, owner, isShared }): ListedSession => ({
      session_id: id,
      language,
      state,
      owner: owner.label,
      is_shared: isShared,
    }),
  );
  const text = JSON.stringify({ sessions: items });
  response.writeHead(200, { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(text) });
  response.end(text);
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
