import { LABEL } from '../labels.ts';
import type { Client } from './client.ts';
import { failureOf } from './problems.ts';

/** As `Host.removeUnusedVolumes`. A volume that a container has taken meanwhile stays. Rejects with a `HostError`. */
export async function removeUnusedVolumes(client: Client, labels: Readonly<Record<string, string>>): Promise<void> {
  // Those that are kept under a name have no owner.
  const label = [LABEL.owner, ...Object.entries(labels).map(([name, value]) => `${name}=${value}`)];
  const filters = JSON.stringify({ dangling: ['true'], label });
  const { Volumes } = await client.call({
    doing: 'list volumes',
    work: (docker, abortSignal) => docker.listVolumes({ filters, abortSignal }),
  });
  // Null when there is none.
  for (const { Name } of Volumes ?? []) await removeVolume(client, Name);
}

async function removeVolume(client: Client, name: string): Promise<void> {
  await client.call({
    doing: 'remove a volume',
    work: async (docker, abortSignal) => {
      try {
        await docker.getVolume(name).remove({ abortSignal });
      } catch (error) {
        const { status } = failureOf(error);
        if (status !== 404 && status !== 409) throw error;
      }
    },
  });
}
