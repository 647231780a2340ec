import type { Client } from './client.ts';
import { failureOf } from './problems.ts';

const REMOVE_MS = 30_000;

/** Kills and removes a container; resolves when it is gone, whoever removed it. */
export async function removeContainer(client: Client, id: string): Promise<void> {
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
