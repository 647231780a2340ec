import { randomUUID } from 'node:crypto';
import { readdir, readFile, realpath, rename, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { z } from 'zod';
import { messageOf } from '../../base/log.ts';
import { HostError, type ImageBuild, type ImageBuilder, type ImageInfo } from '../host.ts';
import { isOwnImage, LABEL } from '../labels.ts';
import { type ImageUse, imageMissing, type Problem } from '../problem.ts';
import { addPackages, addsPackages, engineNeeded, trimCache } from './addPackages.ts';
import type { LocalFolders } from './arguments.ts';
import { draftName, isAbandoned } from './drafts.ts';
import { contentId } from './environmentContent.ts';
import { hasPython3 } from './interpreter.ts';
import {
  canMake,
  type Env,
  type LocalBuild,
  machineFacts,
  makeEnvironment,
  onlyWithEngine,
  sizeOf,
} from './makeEnvironment.ts';
import type { Python3 } from './python3.ts';
import type { SandboxFiles } from './sandboxFiles.ts';
import { isOld, makeFolder, removeFolder, storageError } from './storage.ts';

const ID = /^[0-9a-f]{32}$/;
/** So long a folder may be without the name or the sandbox that is about to have it. */
const NEW_MS = 60_000;

const NO_BASE = 'Only a container engine builds on a base image.';
const WITHOUT_BASE = 'Leave the option docker.baseImage empty and --build-arg BASE out';

/** What the file of an environment says. */
const Description = z.object({
  /** Name of its folder. */
  id: z.string(),
  /** Name of the folder of the environment that it is built on. */
  base: z.string().nullable().default(null),
  /** Version of the Python that it was built with; null where it has none, or was built before this was noted. */
  python3: z.string().nullable().default(null),
  createdAt: z.string(),
  sizeBytes: z.number(),
  labels: z.record(z.string(), z.string()),
});

/** Where the files of an environment are. */
export type EnvironmentFolders = Pick<LocalFolders, 'environment' | 'base'>;

/** What environments are made from and with. */
export interface EnvironmentSettings {
  readonly env: Env;
  /** What each language's environment is built from, by its name. */
  readonly imagesFolder: string;
}

/** The environments of this user, which stand for images: the file `NAME.json` of each is in `folder`, and the folder `ID`
 * of what it is made of, which it shares with others of the same content. */
export class LocalEnvironments implements ImageBuilder {
  readonly #folder: string;
  /** What builds have downloaded. */
  readonly #cache: string;
  readonly #settings: EnvironmentSettings;
  readonly #sandboxes: SandboxFiles;
  readonly #ready: () => Promise<{ readonly python3: Python3 }>;

  /** `ready` resolves with the Python of new environments. It rejects where no program can be started in namespaces. */
  constructor(
    folder: string,
    settings: EnvironmentSettings,
    sandboxes: SandboxFiles,
    ready: () => Promise<{ readonly python3: Python3 }>,
  ) {
    this.#folder = folder;
    this.#cache = join(dirname(folder), 'cache');
    this.#settings = settings;
    this.#sandboxes = sandboxes;
    this.#ready = ready;
  }

  async find(tag: string): Promise<ImageInfo | null> {
    if (!isOwnImage(tag)) throw new HostError(foreign(tag));
    return this.#read(tag);
  }

  async missing(use: ImageUse): Promise<Problem> {
    const { image, labels } = use;
    if (!isOwnImage(image)) return foreign(image);
    const environment = labels[LABEL.environment];
    if (labels[LABEL.language] !== undefined) return notHere(environment ?? image);
    const canBuild = environment === undefined || (await canMake(join(this.#settings.imagesFolder, environment)));
    return canBuild ? imageMissing(use, true) : onlyWithEngine(image);
  }

  /** The folders of its files; null when there is no environment of that name. */
  async foldersOf(tag: string): Promise<EnvironmentFolders | null> {
    const found = await this.#read(tag);
    if (!found) return null;
    return { environment: this.#pathOf(found.id), base: found.base && this.#pathOf(found.base) };
  }

  async build(build: ImageBuild, onLine: (line: string) => void, signal?: AbortSignal): Promise<void> {
    if (build.buildArgs.BASE !== undefined) throw new HostError(engineNeeded(NO_BASE, WITHOUT_BASE));
    const { python3: machine } = await this.#ready();
    try {
      const local = { ...build, env: this.#settings.env, onLine, signal };
      const base = build.base === undefined ? null : await this.#baseOf(build.base);
      // What adds packages to another one has its Python.
      const facts = base === null ? await machineFacts(local, machine.path) : '';
      const isBase = base !== null && !addsPackages(build);
      const id = isBase ? base.id : await contentId(build, base?.id ?? null, facts);
      const on = isBase ? base.base : (base?.id ?? null);
      const sizeBytes = (await this.#sizeOf(id)) ?? (await this.#make(id, on, local, machine.path));
      const python3 = base ? base.python3 : (await hasPython3(this.#pathOf(id))) ? machine.version : null;
      const createdAt = new Date().toISOString();
      await this.#replace(build.tag, { id, base: on, python3, createdAt, labels: { ...build.labels }, sizeBytes });
    } catch (error) {
      const found = storageError(error, this.#folder);
      throw found instanceof HostError ? found : new HostError(buildFailed(build.tag, messageOf(found)));
    }
  }

  async readFolder(tag: string, path: string): Promise<Record<string, string>> {
    const found = await this.foldersOf(tag);
    if (!found) return {};
    const folder = join(found.environment, path);
    const names = await readdir(folder).catch(() => []);
    const texts = names.map(async (name) => [name, await ownText(found.environment, join(path, name))] as const);
    return Object.fromEntries(
      (await Promise.all(texts)).flatMap(([name, text]) => (text === null ? [] : [[name, text]])),
    );
  }

  async remove(tag: string): Promise<void> {
    const found = await this.#read(tag);
    await rm(this.#fileOf(tag), { force: true });
    if (found && !(await this.#used()).has(this.#pathOf(found.id))) await removeFolder(this.#pathOf(found.id));
  }

  /** A sentence for each environment that an older Python was built into than this one. */
  async olderThan({ version }: Python3): Promise<string[]> {
    if (version === null) return [];
    return (await this.#list()).flatMap(({ tag, python3 }) =>
      python3 !== null && minorOf(python3) < minorOf(version)
        ? [
            `${tag} has python3 ${python3} until it is built again; it would get ${version}, as this machine has it now.`,
          ]
        : [],
    );
  }

  /** The folders that no name leads to any more and no sandbox of this user has, and those of builds that were killed. */
  async unused(): Promise<string[]> {
    const unused: string[] = [];
    for (const name of await readdir(this.#folder).catch(() => [])) {
      const path = this.#pathOf(name);
      const isUnused = ID.test(name) && (await isOld(path, NEW_MS)) && !(await this.#used()).has(path);
      if (isUnused || (await isAbandoned(this.#folder, name))) unused.push(path);
    }
    return unused;
  }

  async trimCache(maxBytes: number): Promise<number> {
    return trimCache(this.#cache, maxBytes);
  }

  /** Bytes of an environment that is there already; null when it is not. */
  async #sizeOf(id: string): Promise<number | null> {
    const known = (await this.#list()).find((one) => one.id === id);
    if (known) return known.sizeBytes;
    return (await this.#touch(id)) ? sizeOf(this.#pathOf(id)) : null;
  }

  async #baseOf(tag: string): Promise<z.infer<typeof Description>> {
    const base = await this.#read(tag);
    if (!base) throw new Error(`There is no environment ${tag}.`);
    return base;
  }

  /** Makes the folder of an environment. Under its own name it is complete. */
  async #make(id: string, base: string | null, build: LocalBuild, python3: string): Promise<number> {
    const draft = this.#pathOf(await draftName(id));
    try {
      await makeFolder(draft);
      if (base === null) await makeEnvironment(build, python3, draft);
      else await addPackages(build, { base: this.#pathOf(base), files: draft, cache: this.#cache });
      const sizeBytes = await sizeOf(draft);
      await rename(draft, this.#pathOf(id)).catch(unlessThere);
      await this.#touch(id);
      return sizeBytes;
    } finally {
      await removeFolder(draft);
    }
  }

  async #replace(tag: string, description: z.infer<typeof Description>): Promise<void> {
    const before = await this.#read(tag);
    const draft = `${this.#fileOf(tag)}.${randomUUID()}`;
    await writeFile(draft, JSON.stringify(description), { mode: 0o600 });
    // A sandbox of another process may be about to start with it: a later sweep removes it.
    if (before) await this.#touch(before.id);
    await rename(draft, this.#fileOf(tag));
  }

  /** The folders that a name leads to or a sandbox has. */
  async #used(): Promise<ReadonlySet<string>> {
    const ids = (await this.#list()).flatMap(({ id, base }) => [id, base ?? []].flat());
    const sandboxes = await this.#sandboxes.list();
    return new Set([...ids.map((id) => this.#pathOf(id)), ...sandboxes.flatMap(({ folders }) => folders)]);
  }

  /** Keeps the folder of an environment from a sweep for a while; whether there is one. */
  async #touch(id: string): Promise<boolean> {
    const now = new Date();
    return utimes(this.#pathOf(id), now, now).then(
      () => true,
      () => false,
    );
  }

  #pathOf(id: string): string {
    return join(this.#folder, id);
  }

  async #list(): Promise<(z.infer<typeof Description> & { readonly tag: string })[]> {
    const names = await readdir(this.#folder).catch(() => []);
    const tags = names.filter((name) => name.endsWith('.json')).map((name) => decodeURIComponent(name.slice(0, -5)));
    const found = await Promise.all(tags.map(async (tag) => ({ tag, description: await this.#read(tag) })));
    return found.flatMap(({ tag, description }) => (description ? [{ ...description, tag }] : []));
  }

  async #read(tag: string): Promise<z.infer<typeof Description> | null> {
    const text = await readFile(this.#fileOf(tag), 'utf8').catch(() => null);
    return text === null ? null : Description.parse(JSON.parse(text));
  }

  #fileOf(tag: string): string {
    return join(this.#folder, `${encodeURIComponent(tag)}.json`);
  }
}

/** Code of packages may have made links in an environment, which lead elsewhere here: then null. */
async function ownText(environment: string, path: string): Promise<string | null> {
  const file = join(await realpath(environment), path);
  const isOwn = (await realpath(file)) === file && (await stat(file)).isFile();
  return isOwn ? readFile(file, 'utf8') : null;
}

/** Of Python 3: `13` of `3.13.0`. */
function minorOf(version: string): number {
  return Number(version.split('.')[1]);
}

/** Another build has made the same meanwhile. */
function unlessThere(error: NodeJS.ErrnoException): void {
  if (error.code !== 'ENOTEMPTY' && error.code !== 'EEXIST') throw error;
}

/** An image that was made elsewhere. */
function foreign(image: string): Problem {
  return engineNeeded(`The image ${image} needs a container engine.`, 'Use none');
}

/** A user's environment that was built by a container engine, or whose files are gone. */
function notHere(name: string): Problem {
  return {
    kind: 'image_missing',
    message: `The environment ${name} is not built on this machine without a container engine.`,
    advice: 'Create it again here, which replaces it, or start the container engine that has it.',
  };
}

/** A step of a build has failed; `why` is its last line. */
export function buildFailed(tag: string, why: string): Problem {
  return {
    kind: 'build_failed',
    message: `The environment ${tag} could not be built: ${why}`,
    advice: 'Check the output of the build, and try again.',
  };
}
