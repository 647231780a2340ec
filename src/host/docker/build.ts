import { plainText } from '../../base/log.ts';
import { HostError, type ImageBuild } from '../host.ts';
import { LABEL } from '../labels.ts';
import { packContext } from './buildContext.ts';
import type { Client } from './client.ts';
import { lineSplitter } from './lines.ts';

const BUILD_MS = 30 * 60_000;
const SWEEP_MS = 60_000;
const FAILED_ADVICE =
  'Read the lines of the build above for the cause. Where no registry can be reached, name an image that Docker has in the option docker.baseImage.';

/** Builds an image; `onLine` gets its output. Rejects with `build_failed` and the last line when a step fails. */
export async function buildImage(
  client: Client,
  build: ImageBuild,
  onLine: (line: string) => void,
  signal: AbortSignal | undefined,
): Promise<void> {
  await send(client, build, onLine, signal);
  await sweepUntagged(client, signal);
}

async function send(
  client: Client,
  build: ImageBuild,
  onLine: (line: string) => void,
  signal: AbortSignal | undefined,
): Promise<void> {
  const { tag, buildArgs, labels } = build;
  const options = { t: tag, buildargs: { ...buildArgs }, labels: { ...labels }, rm: true, forcerm: true };
  await client.call({
    doing: `build the image ${tag}`,
    ms: BUILD_MS,
    signal,
    work: async (docker, abortSignal) => {
      const progress = new Progress(tag, onLine);
      const lines = lineSplitter((line) => progress.take(JSON.parse(line)));
      const context = packContext(build);
      let unread: Error | null = null;
      // Docker would wait for the rest of a context that cannot be read to its end.
      const broken = new AbortController();
      context.once('error', (error) => {
        unread = error;
        broken.abort();
      });
      const either = AbortSignal.any([abortSignal, broken.signal]);
      try {
        for await (const chunk of await docker.buildImage(context, { ...options, abortSignal: either })) lines(chunk);
      } catch (error) {
        throw unread ? new HostError(unreadable(tag, unread)) : error;
      } finally {
        context.destroy();
      }
    },
  });
}

function unreadable(tag: string, cause: Error) {
  return {
    kind: 'build_failed',
    message: `The image ${tag} could not be built: ${plainText(cause.message)}`,
    advice: 'Check that every file of its context can be read.',
  } as const;
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

/** One message of Docker's builder. */
interface BuildMessage {
  readonly stream?: string;
  readonly status?: string;
  readonly id?: string;
  readonly progressDetail?: object;
  readonly error?: string;
}

class Progress {
  #last = '';
  readonly #tag: string;
  readonly #output: (text: string) => void;

  constructor(tag: string, onLine: (line: string) => void) {
    this.#tag = tag;
    this.#output = lineSplitter((line) => {
      this.#last = plainText(line);
      onLine(this.#last);
    });
  }

  /** Emits the message as lines; throws a `HostError` when the build has failed. */
  take({ stream, status, id, progressDetail, error }: BuildMessage): void {
    if (error !== undefined) throw new HostError(this.#failed(error));
    if (stream !== undefined) this.#output(stream);
    // Moving progress bars would be thousands of lines.
    if (status !== undefined && !progressDetail) this.#output(`${id ? `${id}: ` : ''}${status}\n`);
  }

  #failed(error: string) {
    return {
      kind: 'build_failed',
      message: `The image ${this.#tag} could not be built: ${plainText(error)} (after: ${this.#last})`,
      advice: FAILED_ADVICE,
    } as const;
  }
}
