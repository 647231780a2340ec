import type { Wall, Walls } from '../sandbox/sandbox.ts';
import type { Engine, Preflight, Result } from './types.ts';

/** What each wall is called where people read it. */
const NAMES: Readonly<Record<keyof Walls, string>> = {
  systemCalls: 'system calls filtered',
  privileges: 'no privileges',
  network: 'no network',
  readOnlyRoot: 'read-only image',
  files: 'writes limited by Landlock',
  hostFiles: 'no writable files of the host',
  signals: 'no signals to the agent',
  memory: 'memory limit',
  processes: 'process limit',
  limits: 'resource limits',
  outOfMemory: 'runs end first without memory',
  environment: 'clean environment',
};

/** The walls of the sandboxes that an engine can start; null where it can start none. */
export async function wallsOf(engine: Engine, found: Preflight, signal?: AbortSignal): Promise<Result<Walls> | null> {
  const ready = found.host.problem ? undefined : found.environments.find(({ problem }) => problem === null);
  return ready ? engine.checkWalls(ready.language, signal) : null;
}

/** A wall as views show it. */
export interface WallRow {
  readonly id: string;
  readonly name: string;
  readonly state: Wall['state'];
  /** `holds`, `not on this host: …` or `off: network.policy`. */
  readonly text: string;
}

/** One row for each wall. The texts may have control characters. */
export function wallRows(walls: Walls): WallRow[] {
  return Object.entries(walls).map(([id, wall]) => ({
    id,
    name: NAMES[id as keyof Walls],
    state: wall.state,
    text: formatState(wall),
  }));
}

function formatState({ state, detail }: Wall): string {
  const text = { holds: 'holds', missing: 'not on this host', off: 'off' }[state];
  return detail ? `${text}: ${detail}` : text;
}
