import type { Clock } from '../../base/clock.ts';
import type { Client } from './client.ts';
import { failureOf } from './problems.ts';

const REMOVE_MS = 30_000;
/** A container that has not ended this long after SIGKILL was sent to its first process. Milliseconds. */
const STUCK_MS = 1_500;
/** Kills every process of a container but the first, from inside. */
const KILL_ALL = ['python3', '-I', '-S', '-c', 'import os; os.kill(-1, 9)'];

/**
 * Kills and removes a container; resolves when it is gone, whoever removed it. The engine kills the first process alone,
 * which gets no CPU to end with when others take it all: where it does not end in time, they are killed too.
 */
export async function removeContainer(client: Client, clock: Clock, id: string): Promise<void> {
  const stuck = clock.schedule(STUCK_MS, () => void killAll(client, id));
  try {
    await remove(client, id);
  } finally {
    stuck.dispose();
  }
}

async function remove(client: Client, id: string): Promise<void> {
  await client.call({
    doing: 'remove a container',
    ms: REMOVE_MS,
    work: async (docker, abortSignal) => {
      const container = docker.getContainer(id);
      const status = await statusOf(container.remove({ force: true, v: true, abortSignal }));
      // Somebody else, or the engine itself, is removing it: wait for that.
      if (status === 409) await statusOf(container.wait({ condition: 'removed', abortSignal }));
    },
  });
}

/** Null when the call succeeded, otherwise the engine's 404 or 409; other failures reject. */
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

/** Never rejects: what it cannot do, the next attempt to remove the container tries again. */
async function killAll(client: Client, id: string): Promise<void> {
  try {
    await client.call({
      doing: 'kill the processes of a container',
      work: async (docker, abortSignal) => {
        const exec = await docker.getContainer(id).exec({ Cmd: KILL_ALL, abortSignal });
        await exec.start({ Detach: true, abortSignal });
      },
    });
  } catch {
    await freeze(client, id);
  }
}

/** At least it uses no CPU any more. */
async function freeze(client: Client, id: string): Promise<void> {
  const doing = 'freeze a container';
  await client.call({ doing, work: (docker) => docker.getContainer(id).pause() }).catch(() => {});
}
