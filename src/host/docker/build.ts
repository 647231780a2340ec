import { plainText } from '../../base/log.ts';
import { HostError, type ImageBuild } from '../host.ts';
import { LABEL } from '../labels.ts';
import type { Problem } from '../problem.ts';
import { packContext } from './buildContext.ts';
import { BuildProgress } from './buildProgress.ts';
import type { Client } from './client.ts';
import { lineSplitter } from './lines.ts';

const BUILD_MS = 30 * 60_000;
const SWEEP_MS = 60_000;

/** Builds an image; `onLine` gets its output. Rejects with `build_failed` and the last lines when a step fails. */
export async function buildImage(
  client: Client,
  build: ImageBuild,
  onLine: (line: string) => void,
  signal: AbortSignal | undefined,
): Promise<void> {
  await send(client, build, onLine, signal);
  // The image is there. Docker refuses a second sweep while one runs, which may be another program's; the next build repeats it.
  await sweepUntagged(client, signal).catch(() => {});
}

async function send(
  client: Client,
  build: ImageBuild,
  onLine: (line: string) => void,
  signal: AbortSignal | undefined,
): Promise<void> {
  const { tag, buildArgs, labels, hasMounts, deadlineMs = BUILD_MS } = build;
  // As a number: for the string, Docker's client opens a gRPC session of its own, which only private registries need.
  const version: object = hasMounts ? { version: 2 } : {};
  const options = { t: tag, buildargs: { ...buildArgs }, labels: { ...labels }, rm: true, forcerm: true, ...version };
  const deadline = AbortSignal.timeout(deadlineMs);
  await client.call({
    doing: `build the image ${tag}`,
    // The deadline comes first: a hung build does not mean a hung Docker.
    ms: deadlineMs + SWEEP_MS,
    signal,
    work: async (docker, abortSignal, isPodman) => {
      // Podman takes a step from its cache although what is mounted there has changed: another list of packages, the old ones.
      const cache: object = isPodman && hasMounts ? { nocache: true } : {};
      const progress = new BuildProgress(tag, onLine);
      const lines = lineSplitter((line) => progress.take(JSON.parse(line)));
      const context = packContext(build);
      let unread: Error | null = null;
      // Docker would wait for the rest of a context that cannot be read to its end.
      const broken = new AbortController();
      context.once('error', (error) => {
        unread = error;
        broken.abort();
      });
      const any = AbortSignal.any([abortSignal, broken.signal, deadline]);
      try {
        for await (const chunk of await docker.buildImage(context, { ...options, ...cache, abortSignal: any }))
          lines(chunk);
      } catch (error) {
        if (unread) throw new HostError(unreadable(tag, unread));
        throw deadline.aborted && !abortSignal.aborted ? new HostError(tooLate(tag, deadlineMs, progress.last)) : error;
      } finally {
        context.destroy();
      }
    },
  });
}

function unreadable(tag: string, cause: Error): Problem {
  return {
    kind: 'build_failed',
    message: `The image ${tag} could not be built: ${plainText(cause.message)}`,
    advice: 'Check that every file of its context can be read.',
  };
}

function tooLate(tag: string, ms: number, last: string): Problem {
  return {
    kind: 'build_failed',
    message: `The image ${tag} was not built within ${Math.round(ms / 1000)} s (after: ${last}).`,
    advice: 'Check whether the package indexes can be reached, and try again: completed steps are kept.',
  };
}

/** Removes untagged images of earlier builds: half a gigabyte each. Images in use stay. */
async function sweepUntagged(client: Client, signal: AbortSignal | undefined): Promise<void> {
  for (const label of [LABEL.stage, LABEL.language]) {
    const filters = { dangling: ['true'], label: [label] };
    await client.call({
      doing: 'remove images without a name',
      ms: SWEEP_MS,
      signal,
      work: (docker, abortSignal) => docker.pruneImages({ filters, abortSignal }),
    });
  }
}
