import type { EnvironmentInfo, SandboxInfo, SessionInfo, Snapshot } from '../../src/engine/types.ts';
import { sessionInfo } from '../mcp/stubEngine.ts';

/** The current time of the samples, in ms since the epoch. */
export const NOW = 1_700_000_000_000;

/** An idle sandbox, 90 s old. */
export function sandbox(over: Partial<SandboxInfo> = {}): SandboxInfo {
  return {
    id: 'c0ffee0123456789',
    state: 'idle',
    owner: null,
    sessionId: null,
    poolKey: '',
    createdAt: NOW - 90_000,
    uses: 2,
    memoryBytes: 114 * 1_048_576,
    ...over,
  };
}

/** A notebook's idle session, an hour old. */
export function session(over: Partial<SessionInfo> = {}): SessionInfo {
  return sessionInfo({
    owner: { id: 'notebook/1', kind: 'notebook', label: 'Untitled-1.ipynb' },
    sandboxId: 'c0ffee0123456789',
    openedAt: NOW - 3_600_000,
    lastUsedAt: NOW - 5_000,
    runs: 3,
    ...over,
  });
}

/** A Python environment with these sandboxes. */
export function environment(sandboxes: readonly SandboxInfo[], over: Partial<EnvironmentInfo> = {}): EnvironmentInfo {
  return {
    id: 'python',
    language: 'python',
    isCustom: false,
    image: 'hothouse/python:latest',
    sandboxes,
    waiting: 0,
    runs: 7,
    walls: null,
    network: null,
    ...over,
  };
}

/** A snapshot of a host that is ready. */
export function snapshot(over: Partial<Snapshot> = {}): Snapshot {
  return {
    host: { state: 'ready', name: 'Docker Engine', runtime: 'runc' },
    environments: [],
    sessions: [],
    running: 0,
    network: { policy: 'none', allow: [], decisions: [] },
    ...over,
  };
}
