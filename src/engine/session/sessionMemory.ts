import { type Log, messageOf } from '../../base/log.ts';
import type { Sandbox } from '../../sandbox/sandbox.ts';
import type { Environment } from '../environment/environment.ts';
import type { MemoryLimit } from '../environment/profile.ts';
import type { Owner } from '../types.ts';

const MB = 1024 * 1024;

/** The memory limit of a session: a person's notebook has more than the warm sandboxes, where its host can change limits. */
export class SessionMemory {
  readonly #environment: Pick<Environment, 'memory' | 'notebookMemory'>;
  readonly #isNotebook: boolean;
  readonly #log: Log;
  #given: MemoryLimit | null = null;

  constructor(environment: Pick<Environment, 'memory' | 'notebookMemory'>, { kind }: Owner, log: Log) {
    this.#environment = environment;
    this.#isNotebook = kind === 'notebook';
    this.#log = log;
  }

  /** The limit of its last sandbox. */
  get limit(): MemoryLimit {
    return this.#given ?? this.#environment.memory;
  }

  /** Gives a sandbox the session's limit. Never rejects: a sandbox that cannot have it keeps its own. */
  async give(sandbox: Sandbox): Promise<void> {
    this.#given = null;
    const { memory, notebookMemory } = this.#environment;
    if (!this.#isNotebook || notebookMemory.mb <= memory.mb) return;
    try {
      if (await sandbox.limit?.({ memoryBytes: notebookMemory.mb * MB })) this.#given = notebookMemory;
    } catch (error) {
      this.#log.warn(`Sandbox ${sandbox.id} keeps its limit of ${memory.mb} MB of memory: ${messageOf(error)}`);
    }
  }
}
