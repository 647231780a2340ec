import type { Owner, SessionInfo } from '../types.ts';

/** An owner as far as it decides what it sees. */
export type Viewer = Pick<Owner, 'id' | 'kind'>;

/** A person's view. */
export const ANYONE: Viewer = { id: '', kind: 'cli' };

/** Whether a viewer sees what the owner with that id has made: an agent sees its own, and a person sees all. */
export function sees({ id, kind }: Viewer, ownerId: string): boolean {
  return kind !== 'mcp' || id === ownerId;
}

/** Whether the viewer owns a session, is a person, or the session is shared. */
export function isVisible({ owner, isShared }: Pick<SessionInfo, 'owner' | 'isShared'>, viewer: Viewer): boolean {
  return isShared || sees(viewer, owner.id);
}
