import { z } from 'zod';
import type { Client } from './client.ts';

const MS = 60_000;
/** What BuildKit calls the steps and caches of an environment's build. */
const OWN =
  /^(?:mount \/|cached mount \/cache\/\w+) from exec \/bin\/sh -c (?:sh|python3 -I) \/machine\/\w+\.(?:sh|py)\b/;

const Usage = z.object({
  BuildCache: z
    .array(
      z.object({
        ID: z.string().regex(/^\w+$/),
        Description: z.string(),
        InUse: z.boolean(),
        /** With an image: removing it frees nothing. */
        Shared: z.boolean(),
        Size: z.number(),
        LastUsedAt: z.string().nullish(),
      }),
    )
    .nullish(),
});
type CacheRecord = NonNullable<z.output<typeof Usage>['BuildCache']>[number];

/**
 * Removes what builds of environments have left in Docker's build cache, the least recently used first, until it takes at
 * most `maxBytes`. What other builds have left stays, as does what is in use. Resolves with the bytes that were freed.
 */
export async function trimBuildCache(client: Client, maxBytes: number, signal?: AbortSignal): Promise<number> {
  const usage = await client.call({ doing: 'read the build cache', ms: MS, signal, work: (docker) => docker.df() });
  const { BuildCache } = Usage.parse(usage);
  const own = (BuildCache ?? []).filter(({ Description, Shared }) => OWN.test(Description) && !Shared);
  own.sort((one, other) => timeOf(one) - timeOf(other));
  const size = own.reduce((sum, { Size }) => sum + Size, 0);
  let freed = 0;
  for (const { ID, InUse } of own) {
    if (size - freed <= maxBytes) break;
    // A record with later steps cannot be removed before them; they were used as late, so they usually come first.
    if (!InUse) freed += await removeRecord(client, ID, signal);
  }
  return freed;
}

async function removeRecord(client: Client, id: string, signal: AbortSignal | undefined): Promise<number> {
  const query = { all: true, filters: JSON.stringify({ id: { [id]: true } }) };
  const removed = await client.call({
    doing: 'remove a record of the build cache',
    ms: MS,
    signal,
    work: ({ modem }) =>
      // Dockerode's `pruneBuilder` drops the filters, and would empty the cache of all builds.
      new Promise<unknown>((resolve, reject) => {
        const statusCodes = { 200: true, 500: 'server error' };
        const request = { path: '/build/prune?', method: 'POST', options: { _query: query, _body: {} }, statusCodes };
        modem.dial(request, (error, answer) => (error ? reject(error) : resolve(answer)));
      }),
  });
  return z.object({ SpaceReclaimed: z.number().default(0) }).parse(removed).SpaceReclaimed;
}

function timeOf({ LastUsedAt }: CacheRecord): number {
  return LastUsedAt ? Date.parse(LastUsedAt) : 0;
}
