import { cp, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { plainText } from '../../base/log.ts';
import { HostError, type ImageBuild } from '../host.ts';
import { LABEL } from '../labels.ts';
import type { Client } from './client.ts';
import { lineSplitter } from './lines.ts';

const BUILD_MS = 30 * 60_000;
const SWEEP_MS = 60_000;

/** Builds an image; `onLine` gets its output. Rejects with `build_failed` and the last line when a step fails. */
export async function buildImage(
  client: Client,
  build: ImageBuild,
  onLine: (line: string) => void,
  signal: AbortSignal | undefined,
): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'hothouse-build-'));
  try {
    await cp(build.context, folder, { recursive: true });
    for (const [name, text] of Object.entries(build.files ?? {})) await writeFile(join(folder, name), text);
    await send(client, { ...build, context: folder }, onLine, signal);
    await sweepUntagged(client, signal);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function send(
  client: Client,
  { tag, context, buildArgs, labels }: ImageBuild,
  onLine: (line: string) => void,
  signal: AbortSignal | undefined,
): Promise<void> {
  const src = await readdir(context);
  const options = { t: tag, buildargs: { ...buildArgs }, labels: { ...labels }, rm: true, forcerm: true };
  await client.call({
    doing: `build the image ${tag}`,
    ms: BUILD_MS,
    signal,
    work: async (docker, abortSignal) => {
      const progress = new Progress(tag, onLine);
      const lines = lineSplitter((line) => progress.take(JSON.parse(line)));
      for await (const chunk of await docker.buildImage({ context, src }, { ...options, abortSignal })) lines(chunk);
    },
  });
}

/** Removes what builds of ours have left without a name: half a gigabyte each time. Images in use stay. */
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

/** One message of the engine's builder. */
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

  /** Passes the message on as lines; throws a `HostError` when it says that the build has failed. */
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
      advice: 'Read the lines of the build above for the cause.',
    } as const;
  }
}
