import type { Environment } from './environment/environment.ts';
import type { Hosts } from './environment/hostManager.ts';
import type { MemoryPoll } from './memory.ts';
import type { Session } from './session/session.ts';
import type { Snapshot } from './types.ts';

/** Everything as it is now, as plain data. */
export function snapshotOf(
  hosts: Hosts,
  all: readonly Environment[],
  sessions: readonly Session[],
  memory: MemoryPoll,
  running: number,
): Snapshot {
  const holders = new Map(sessions.map(({ id, sandboxId }) => [sandboxId, id]));
  const environments = all.map((environment) =>
    environment.info({
      memoryOf: (sandbox) => memory.of(sandbox),
      sessionOf: (sandboxId) => holders.get(sandboxId) ?? null,
    }),
  );
  const bytes = new Map(
    environments.flatMap(({ sandboxes }) => sandboxes.map(({ id, memoryBytes }) => [id, memoryBytes])),
  );
  return {
    host: hosts.state,
    environments,
    sessions: sessions.map((session) => session.info(bytes.get(session.sandboxId ?? '') ?? null)),
    running,
  };
}
