import { randomUUID } from 'node:crypto';
import { readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { messageOf } from '../../base/log.ts';
import { HostError, type ImageBuild, type ImageBuilder, type ImageInfo } from '../host.ts';
import type { Problem } from '../problem.ts';
import { contentId } from './environmentContent.ts';
import { type Env, type LocalBuild, machineFacts, makeEnvironment, sizeOf } from './makeEnvironment.ts';
import { makeFolder, storageError } from './storage.ts';

/** What the file of an environment says. */
const Description = z.object({
  id: z.string(),
  createdAt: z.string(),
  sizeBytes: z.number(),
  labels: z.record(z.string(), z.string()),
});

/** The environments of this user, which stand for images: the file `NAME.json` of each is in `folder`, and the folder `ID`
 * of what it is made of, which it shares with others of the same content. */
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
    try {
      const local = { ...build, env: this.#env, onLine, signal };
      const id = await contentId(build, null, await machineFacts(local));
      const sizeBytes = (await this.#sizeOf(id)) ?? (await this.#make(id, local));
      const createdAt = new Date().toISOString();
      await this.#replace(build.tag, { id, createdAt, labels: { ...build.labels }, sizeBytes });
    } catch (error) {
      const found = storageError(error, this.#folder);
      throw found instanceof HostError ? found : new HostError(buildFailed(build.tag, messageOf(found)));
    }
  }

  async readFolder(): Promise<Record<string, string>> {
    return {};
  }

  async remove(tag: string): Promise<void> {
    const found = await this.#read(tag);
    await rm(this.#fileOf(tag), { force: true });
    if (found) await this.#removeUnused(found.id);
  }

  /** Builds leave nothing for later ones. */
  async trimCache(): Promise<number> {
    return 0;
  }

  /** Bytes of an environment that is there already; null when it is not. */
  async #sizeOf(id: string): Promise<number | null> {
    const known = (await this.#list()).find((one) => one.id === id);
    if (known) return known.sizeBytes;
    const isThere = await stat(join(this.#folder, id)).catch(() => null);
    return isThere && sizeOf(join(this.#folder, id));
  }

  /** Makes the folder of an environment. Under its own name it is complete. */
  async #make(id: string, build: LocalBuild): Promise<number> {
    const draft = join(this.#folder, `${id}.${randomUUID()}`);
    try {
      await makeFolder(draft);
      await makeEnvironment(build, draft);
      const sizeBytes = await sizeOf(draft);
      await rename(draft, join(this.#folder, id)).catch(unlessThere);
      return sizeBytes;
    } finally {
      await rm(draft, { recursive: true, force: true });
    }
  }

  async #replace(tag: string, description: z.infer<typeof Description>): Promise<void> {
    const before = await this.#read(tag);
    const draft = `${this.#fileOf(tag)}.${randomUUID()}`;
    await writeFile(draft, JSON.stringify(description), { mode: 0o600 });
    await rename(draft, this.#fileOf(tag));
    if (before) await this.#removeUnused(before.id);
  }

  /** Removes the folder of an environment that has no name any more. */
  async #removeUnused(id: string): Promise<void> {
    const isUsed = (await this.#list()).some((one) => one.id === id);
    if (!isUsed) await rm(join(this.#folder, id), { recursive: true, force: true });
  }

  async #list(): Promise<z.infer<typeof Description>[]> {
    const names = await readdir(this.#folder).catch(() => []);
    const tags = names.filter((name) => name.endsWith('.json')).map((name) => decodeURIComponent(name.slice(0, -5)));
    return (await Promise.all(tags.map((tag) => this.#read(tag)))).flatMap((found) => found ?? []);
  }

  async #read(tag: string): Promise<z.infer<typeof Description> | null> {
    const text = await readFile(this.#fileOf(tag), 'utf8').catch(() => null);
    return text === null ? null : Description.parse(JSON.parse(text));
  }

  #fileOf(tag: string): string {
    return join(this.#folder, `${encodeURIComponent(tag)}.json`);
  }
}

/** Another build has made the same meanwhile. */
function unlessThere(error: NodeJS.ErrnoException): void {
  if (error.code !== 'ENOTEMPTY' && error.code !== 'EEXIST') throw error;
}

/** A step of a build has failed; `why` is its last line. */
export function buildFailed(tag: string, why: string): Problem {
  return {
    kind: 'build_failed',
    message: `The environment ${tag} could not be built: ${why}`,
    advice: 'Check the output of the build, and try again.',
  };
}
