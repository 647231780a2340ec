import { randomUUID } from 'node:crypto';
import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { messageOf } from '../../base/log.ts';
import { HostError, type ImageBuild, type ImageBuilder, type ImageInfo } from '../host.ts';
import type { Problem } from '../problem.ts';
import { type Env, makeEnvironment } from './makeEnvironment.ts';
import { makeFolder, storageError } from './storage.ts';

/** What the file of an environment says. */
const Description = z.object({
  id: z.string(),
  createdAt: z.string(),
  sizeBytes: z.number(),
  labels: z.record(z.string(), z.string()),
});

/** The environments of this user, which stand for images: the file `NAME.json` and the folder `ID` of each are in `folder`. */
export class LocalEnvironments implements ImageBuilder {
  readonly #folder: string;
  readonly #env: Env;

  constructor(folder: string, env: Env) {
    this.#folder = folder;
    this.#env = env;
  }

  find(tag: string): Promise<ImageInfo | null> {
    return this.#read(tag);
  }

  /** The folder of its files; null when there is no environment of that name. */
  async filesOf(tag: string): Promise<string | null> {
    const found = await this.#read(tag);
    return found && join(this.#folder, found.id);
  }

  async build(build: ImageBuild, onLine: (line: string) => void, signal?: AbortSignal): Promise<void> {
    const id = randomUUID();
    const files = join(this.#folder, id);
    try {
      await makeFolder(files);
      const sizeBytes = await makeEnvironment({ ...build, env: this.#env, onLine, signal }, files);
      const createdAt = new Date().toISOString();
      await this.#replace(build.tag, { id, createdAt, labels: { ...build.labels }, sizeBytes });
    } catch (error) {
      await rm(files, { recursive: true, force: true });
      const found = storageError(error, this.#folder);
      throw found instanceof HostError ? found : new HostError(buildFailed(build.tag, messageOf(found)));
    }
  }

  async readFolder(): Promise<Record<string, string>> {
    return {};
  }

  async remove(tag: string): Promise<void> {
    const files = await this.filesOf(tag);
    await rm(this.#fileOf(tag), { force: true });
    if (files) await rm(files, { recursive: true, force: true });
  }

  /** Builds leave nothing for later ones. */
  async trimCache(): Promise<number> {
    return 0;
  }

  /** Sandboxes that run keep the files of the one before: the folder is gone only when the last of them has ended. */
  async #replace(tag: string, description: z.infer<typeof Description>): Promise<void> {
    const before = await this.filesOf(tag);
    const draft = `${this.#fileOf(tag)}.${description.id}`;
    await writeFile(draft, JSON.stringify(description), { mode: 0o600 });
    await rename(draft, this.#fileOf(tag));
    if (before) await rm(before, { recursive: true, force: true });
  }

  async #read(tag: string): Promise<z.infer<typeof Description> | null> {
    const text = await readFile(this.#fileOf(tag), 'utf8').catch(() => null);
    return text === null ? null : Description.parse(JSON.parse(text));
  }

  #fileOf(tag: string): string {
    return join(this.#folder, `${encodeURIComponent(tag)}.json`);
  }
}

/** A step of a build has failed; `why` is its last line. */
export function buildFailed(tag: string, why: string): Problem {
  return {
    kind: 'build_failed',
    message: `The environment ${tag} could not be built: ${why}`,
    advice: 'Check the output of the build, and try again.',
  };
}
