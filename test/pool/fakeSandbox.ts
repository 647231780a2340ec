import { deferred } from '../../src/base/deferred.ts';
import { PROTOCOL_VERSION, type ResetReport } from '../../src/protocol/messages.ts';
import type { Channel, Sandbox, SandboxLoss } from '../../src/sandbox/sandbox.ts';
import { HOLDING_WALLS } from '../host/holdingWalls.ts';

export const CLEAN: ResetReport = {
  clean: true,
  leftovers: [],
  killed: 0,
  fds: 8,
  memoryBytes: 1,
  durationMs: 1,
};

/** A sandbox for a pool: it can be lost, and its resets end as the test decides. */
export class FakeSandbox implements Sandbox {
  readonly ready = { version: PROTOCOL_VERSION, interpreter: '3.13', walls: HOLDING_WALLS } as const;
  readonly #lost = deferred<SandboxLoss>();
  readonly lost = this.#lost.promise;
  readonly owners = new Set<string>();
  resets = 0;
  disposed = false;
  onReset: () => Promise<ResetReport> = async () => CLEAN;
  onDispose: () => Promise<void> = async () => {};

  constructor(readonly id: string) {}

  reset(): Promise<ResetReport> {
    this.resets += 1;
    return this.onReset();
  }

  /** Ends it from outside. */
  lose(reason = 'its container was removed'): void {
    this.#lost.resolve({ outOfMemory: false, reason });
  }

  dispose(): Promise<void> {
    this.disposed = true;
    this.lose('it was stopped');
    return this.onDispose();
  }

  start(): Channel {
    throw new Error('a pool starts nothing');
  }

  measure(): Promise<never> {
    throw new Error('a pool measures nothing');
  }

  putArchive(): Promise<never> {
    throw new Error('a pool unpacks nothing');
  }

  getArchive(): Promise<never> {
    throw new Error('a pool packs nothing');
  }

  request(): Promise<never> {
    throw new Error('a pool asks nothing');
  }
}
