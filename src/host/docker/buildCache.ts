import type { Client } from './client.ts';

const MS = 60_000;
/** What BuildKit calls the steps and caches of an environment's build. */
const OWN =
  /^(?:mount \/|cached mount \/cache\/\w+) from exec \/bin\/sh -c (?:sh|python3 -I) \/machine\/\w+\.(?:sh|py)\b/;

/** A record of the cache, as Docker lists it. */
interface CacheRecord {
  readonly ID: string;
  readonly Description: string;
  readonly InUse: boolean;
  /** With an image: removing it frees nothing. */
  readonly Shared: boolean;
  readonly Size: number;
  readonly LastUsedAt?: string | null;
}

/**
 * Removes what builds of environments have left in Docker's build cache, the least recently used first, until it takes at
 * most `maxBytes`. What other builds have left stays, as does what is in use. Resolves with the bytes that were freed.
 */
export async function trimBuildCache(client: Client, maxBytes: number, signal?: AbortSignal): Promise<number> {
  const own = (await records(client, signal)).filter(({ Description, Shared }) => OWN.test(Description) && !Shared);
  own.sort((one, other) => timeOf(one) - timeOf(other));
  let size = own.reduce((sum, { Size }) => sum + Size, 0);
  let freed = 0;
  // Docker keeps a record that later steps build on until these are gone, so the first may go in another pass.
  for (let before = -1; size > maxBytes && before !== freed; ) {
    before = freed;
    for (const { ID, InUse } of own) {
      if (size <= maxBytes) break;
      const removed = InUse ? 0 : await removeRecord(client, ID, signal);
      size -= removed;
      freed += removed;
    }
  }
  return freed;
}

async function records(client: Client, signal: AbortSignal | undefined): Promise<readonly CacheRecord[]> {
  const usage: { BuildCache?: readonly CacheRecord[] | null } = await client.call({
    doing: 'read the build cache',
    ms: MS,
    signal,
    work: (docker) => docker.df(),
  });
  return usage.BuildCache ?? [];
}

async function removeRecord(client: Client, id: string, signal: AbortSignal | undefined): Promise<number> {
  const query = { all: true, filters: JSON.stringify({ id: { [id]: true } }) };
  const { SpaceReclaimed = 0 } = await client.call({
    doing: 'remove a record of the build cache',
    ms: MS,
    signal,
    work: ({ modem }) =>
      // Dockerode's `pruneBuilder` drops the filters, and would empty the cache of all builds.
      new Promise<{ SpaceReclaimed?: number }>((resolve, reject) => {
        const statusCodes = { 200: true, 500: 'server error' };
        const request = { path: '/build/prune?', method: 'POST', options: { _query: query, _body: {} }, statusCodes };
        modem.dial(request, (error, answer) =>
          error ? reject(error) : resolve(answer as { SpaceReclaimed?: number }),
        );
      }),
  });
  return SpaceReclaimed;
}

function timeOf({ LastUsedAt }: CacheRecord): number {
  return LastUsedAt ? Date.parse(LastUsedAt) : 0;
}
