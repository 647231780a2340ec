import { randomInt } from 'node:crypto';
import type { Client } from './client.ts';
import { dockerInfo, mapsUsers } from './info.ts';

/** From `first` up to but not including `end`. */
interface IdRange {
  readonly first: number;
  readonly end: number;
}

/** Far above the ids of people, services and other containers, and below where 32-bit programs see negative numbers. */
const OWN: IdRange = { first: 2 ** 30, end: 2 ** 31 - 1 };
/** A user namespace maps 65,536 ids as a rule; those above the usual ones of an image. */
const MAPPED: IdRange = { first: 10_000, end: 65_000 };

/**
 * User ids for sandboxes, each its own: the kernel counts descriptors in flight, watches, timers, pipe buffers and
 * processes for each user id, for all containers together, so that one sandbox could starve the others. The group has
 * the same number.
 */
export class UserIds {
  readonly #client: Client;
  readonly #used = new Set<number>();
  #range: Promise<IdRange> | null = null;

  constructor(client: Client) {
    this.#client = client;
  }

  /** An id that no other sandbox of this host gets until it is released. Rejects with a `HostError`. */
  async take(): Promise<number> {
    this.#range ??= this.#look();
    const { first, end } = await this.#range.catch((error: unknown) => {
      this.#range = null;
      throw error;
    });
    let id = randomInt(first, end);
    while (this.#used.has(id)) id = randomInt(first, end);
    this.#used.add(id);
    return id;
  }

  /** Notes the id of a sandbox that another process has created. */
  keep(id: number): void {
    this.#used.add(id);
  }

  /**
   * Releases the id of a sandbox that is gone or was not created. Then Docker's configuration may differ and is read
   * again.
   */
  giveBack(id: number, isMade: boolean): void {
    this.#used.delete(id);
    if (!isMade) this.#range = null;
  }

  async #look(): Promise<IdRange> {
    return mapsUsers(await dockerInfo(this.#client)) ? MAPPED : OWN;
  }
}
