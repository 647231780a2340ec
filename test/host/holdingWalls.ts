import type { Wall, Walls } from '../../src/protocol/messages.ts';

const HOLDS: Wall = { state: 'holds', detail: '' };

/** The report of an agent on a host where every wall holds. */
export const HOLDING_WALLS: Walls = {
  systemCalls: HOLDS,
  privileges: HOLDS,
  network: HOLDS,
  readOnlyRoot: HOLDS,
  files: HOLDS,
  hostFiles: HOLDS,
  signals: HOLDS,
  memory: HOLDS,
  processes: HOLDS,
  limits: HOLDS,
  outOfMemory: HOLDS,
  environment: HOLDS,
};
