import type { Clock } from '../../base/clock.ts';
import type { Client } from './client.ts';
import { failureOf } from './problems.ts';
import { removeContainer } from './removal.ts';

const RETRY_MS = 5_000;

/** Containers that were half made when something failed: removed as soon as the engine lets it be done. */
export class Leftovers {
  readonly #client: Client;
  readonly #clock: Clock;
  readonly #pending = new Set<Promise<void>>();

  constructor(client: Client, clock: Clock) {
    this.#client = client;
    this.#clock = clock;
  }

  /** Removes a container, again and again until it is gone or the client is disposed. Never rejects. */
  remove(name: string): Promise<void> {
    return this.#track(this.#insist(name));
  }

  /** Removes what may come of a creation that nobody waits for any more. Never rejects. */
  abandon(name: string, creation: Promise<unknown>): Promise<void> {
    return this.#track(this.#removeAfter(name, creation));
  }

  /** Resolves when nothing is left to remove now. */
  async settled(): Promise<void> {
    await Promise.all(this.#pending);
  }

  #track(removal: Promise<void>): Promise<void> {
    this.#pending.add(removal);
    void removal.then(() => this.#pending.delete(removal));
    return removal;
  }

  async #removeAfter(name: string, creation: Promise<unknown>): Promise<void> {
    try {
      await creation;
    } catch (error) {
      // The engine has answered: there is no container.
      if (failureOf(error).status !== null) return;
      // The connection broke; an engine that lives may still be at it.
      await this.#pause();
    }
    await this.#insist(name);
  }

  async #insist(name: string): Promise<void> {
    while (!this.#client.isDisposed) {
      try {
        return await removeContainer(this.#client, this.#clock, name);
      } catch {
        await this.#pause();
      }
    }
  }

  #pause(): Promise<void> {
    return new Promise((resolve) => this.#clock.schedule(RETRY_MS, resolve));
  }
}
