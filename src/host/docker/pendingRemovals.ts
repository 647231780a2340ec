import type Docker from 'dockerode';
import type { Clock } from '../../base/clock.ts';
import { type Disposable, toDisposable } from '../../base/disposable.ts';
import type { Client } from './client.ts';
import { failureOf } from './problems.ts';

const RETRY_MS = 5_000;

/** Partly created containers: they are removed as soon as Docker can. */
export class PendingRemovals {
  readonly #client: Client;
  readonly #clock: Clock;
  readonly #pending = new Set<Promise<void>>();

  constructor(client: Client, clock: Clock) {
    this.#client = client;
    this.#clock = clock;
  }

  /** Removes a container, with retries until it is gone or the client is disposed. Never rejects. */
  remove(name: string): Promise<void> {
    return this.#track(this.#removeUntilGone(name));
  }

  /** Removes the container of an abandoned creation, if it appears. Never rejects. */
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
      // Docker has answered: there is no container.
      if (failureOf(error).status !== null) return;
      // The connection broke; Docker may still be working on it.
      await this.#pause();
    }
    await this.#removeUntilGone(name);
  }

  async #removeUntilGone(name: string): Promise<void> {
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

const REMOVE_MS = 30_000;
/** Docker gives up 12 s after it has sent SIGKILL. Milliseconds. */
const GIVE_UP_MS = 13_000;
/** A container that has not ended this long after SIGKILL was sent to its first process. Milliseconds. */
const STUCK_MS = 1_500;
/** Kills every process of a container but the first, from inside. */
const KILL_ALL = ['python3', '-I', '-S', '-c', 'import os; os.kill(-1, 9)'];

/**
 * Kills and removes a container; resolves when it is gone, even if another client removed it. Docker kills only the
 * first process, which may get no CPU for its exit beside busy ones: when it does not exit in time, they are killed
 * too. Rejects when Docker gives up. The container is never paused: its first process, once killed, could not exit then.
 * So the container ends by itself, even if no client waits for it any more.
 */
export async function removeContainer(client: Client, clock: Clock, id: string): Promise<void> {
  const stuck = killWhileStuck(client, clock, id);
  try {
    await remove(client, clock, id);
  } finally {
    stuck.dispose();
  }
}

async function remove(client: Client, clock: Clock, id: string): Promise<void> {
  await client.call({
    doing: 'remove a container',
    ms: REMOVE_MS,
    work: async (docker, abortSignal, isPodman) => {
      const container = docker.getContainer(id);
      if (isPodman) await killInPodman(container, abortSignal);
      const options = { force: true, v: true, abortSignal };
      // Someone else, or Docker itself, is removing it: wait for that, and ask again, since that may fail.
      while ((await statusOf(container.remove(options))) === 409) await removedByOthers(container, clock, abortSignal);
    },
  });
}

/** Resolves when a container is gone, at the latest when Docker has given up. */
async function removedByOthers(container: Docker.Container, clock: Clock, signal: AbortSignal): Promise<void> {
  const enough = new AbortController();
  const late = clock.schedule(GIVE_UP_MS, () => enough.abort());
  const abortSignal = AbortSignal.any([signal, enough.signal]);
  await container.wait({ condition: 'removed', abortSignal }).catch(() => {});
  late.dispose();
}

/**
 * Podman refuses to remove what does not end in five seconds, and a second attempt leaves its processes. After a signal of
 * its own it holds the container for stopped, and a removal kills all of them.
 */
async function killInPodman(container: Docker.Container, abortSignal: AbortSignal): Promise<void> {
  try {
    await container.kill({ signal: 'SIGKILL', abortSignal });
  } catch (error) {
    // Podman has answered: it has ended, it is gone, or it did not end in time.
    if (failureOf(error).status === null) throw error;
  }
}

/** Null when the call succeeded, otherwise Docker's 404 or 409; other failures reject. */
async function statusOf(call: Promise<unknown>): Promise<404 | 409 | null> {
  try {
    await call;
    return null;
  } catch (error) {
    const { status } = failureOf(error);
    if (status === 404 || status === 409) return status;
    throw error;
  }
}

/** Kills the processes of a container again and again until disposed: it may have no room for the program that does it. */
function killWhileStuck(client: Client, clock: Clock, id: string): Disposable {
  let isStuck = true;
  let timer = clock.schedule(STUCK_MS, again);
  function again(): void {
    const next = () => {
      if (isStuck) timer = clock.schedule(STUCK_MS, again);
    };
    killAll(client, id).then(next, next);
  }
  return toDisposable(() => {
    isStuck = false;
    timer.dispose();
  });
}

async function killAll(client: Client, id: string): Promise<void> {
  await client.call({
    doing: 'kill the processes of a container',
    work: async (docker, abortSignal, isPodman) => {
      // It starts no program in a container that it has sent a signal to.
      if (isPodman) return;
      const exec = await docker.getContainer(id).exec({ Cmd: KILL_ALL, abortSignal });
      await exec.start({ Detach: true, abortSignal });
    },
  });
}
