import type { InstallReport } from '../../engine/packages/types.ts';
import type { Engine, Result } from '../../engine/types.ts';
import type { ProfileCall } from './profile.ts';

/** Whether a session is there and has not ended. */
export function isOpenSession(engine: Engine, sessionId: string): boolean {
  return engine.snapshot().sessions.some(({ id, state }) => id === sessionId && state !== 'ended');
}

/**
 * Installs packages into a session without a question: the user has chosen a profile with a tool that installs.
 * `packages.agents: deny` still refuses.
 */
export function installForProfile(
  engine: Engine,
  sessionId: string,
  packages: readonly string[],
  { owner, signal, onOutput }: ProfileCall,
): Promise<Result<InstallReport>> {
  const request = { sessionId, owner, packages, isApproved: true };
  return engine.installPackages(request, (text) => onOutput({ kind: 'stdout', text }), signal);
}
