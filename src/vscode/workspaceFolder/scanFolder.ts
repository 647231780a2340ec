import { constants, type Dirent } from 'node:fs';
import { lstat, open, readdir, readFile, realpath, stat } from 'node:fs/promises';
import { dirname, join, relative, sep } from 'node:path';
import ignore from 'ignore';
import { Exclusions, type IgnoreFile, isIgnored, type LeftOutReason } from './leftOut.ts';

/** Files of a folder above which nothing is copied: a session is not the place for them. */
export const MAX_FILES = 10_000;
const MAX_DEPTH = 100;
/** Not on Windows, where links need rights that few have. */
const NO_FOLLOW = constants.O_NOFOLLOW ?? 0;
const NO_WAIT = constants.O_NONBLOCK ?? 0;

/** A file to copy. */
export interface ScannedFile {
  /** Relative to the folder, with `/`. */
  readonly path: string;
  /** Where it is; a link inside the folder is resolved. */
  readonly location: string;
  readonly size: number;
  /** Milliseconds since the epoch. */
  readonly modifiedMs: number;
}

/** What a copy of a folder has, and how many entries it leaves out; a folder counts as one. */
export interface FolderScan {
  readonly folder: string;
  readonly files: readonly ScannedFile[];
  readonly bytes: number;
  readonly leftOut: Readonly<Record<LeftOutReason | 'link' | 'unreadable', number>>;
  /** Whether there are more than `MAX_FILES`; the rest was not looked at. */
  readonly tooMany: boolean;
}

/** Finds the files of a folder that a copy has. Rejects when the folder itself cannot be read, or `signal` aborts. */
export async function scanFolder(
  folder: string,
  patterns: readonly string[],
  signal?: AbortSignal,
): Promise<FolderScan> {
  const scan = new Scan(await realpath(folder), new Exclusions(patterns), signal);
  await scan.walk('', await ignoreFilesAbove(scan.folder), 0);
  return scan;
}

/** The content of a scanned file. Rejects when it is no longer a regular file. */
export async function* contentOf({ location }: ScannedFile): AsyncGenerator<Uint8Array> {
  const file = await open(location, constants.O_RDONLY | NO_FOLLOW | NO_WAIT);
  try {
    if (!(await file.stat()).isFile()) throw new Error(`${location} is no regular file.`);
    for await (const chunk of file.createReadStream({ autoClose: false })) yield chunk;
  } finally {
    await file.close();
  }
}

class Scan implements FolderScan {
  readonly folder: string;
  readonly files: ScannedFile[] = [];
  readonly leftOut = { secret: 0, unneeded: 0, ignored: 0, excluded: 0, link: 0, unreadable: 0 };
  bytes = 0;
  tooMany = false;
  readonly #exclusions: Exclusions;
  readonly #signal: AbortSignal | undefined;

  constructor(folder: string, exclusions: Exclusions, signal: AbortSignal | undefined) {
    this.folder = folder;
    this.#exclusions = exclusions;
    this.#signal = signal;
  }

  async walk(path: string, above: readonly IgnoreFile[], depth: number): Promise<void> {
    const entries = await this.#entriesOf(path);
    const ignoreFiles = [...above, ...(await ignoreFilesIn(join(this.folder, path), path))];
    for (const entry of entries) {
      this.#signal?.throwIfAborted();
      if (this.tooMany) return;
      const name = path === '' ? entry.name : `${path}/${entry.name}`;
      const reason = this.#exclusions.reasonFor(entry.isDirectory() ? `${name}/` : name, ignoreFiles);
      if (reason) this.leftOut[reason] += 1;
      else if (entry.isDirectory() && depth < MAX_DEPTH) await this.walk(name, ignoreFiles, depth + 1);
      else if (entry.isSymbolicLink()) await this.#addLink(name, ignoreFiles);
      else if (entry.isFile()) await this.#add(name, join(this.folder, name));
      else this.leftOut.unreadable += 1;
    }
  }

  async #entriesOf(path: string): Promise<Dirent[]> {
    try {
      const entries = await readdir(join(this.folder, path), { withFileTypes: true });
      return entries.sort((one, other) => (one.name < other.name ? -1 : 1));
    } catch (error) {
      if (path === '') throw error;
      this.leftOut.unreadable += 1;
      return [];
    }
  }

  /** A link to a file in the folder that is copied itself; others could bring in what the user has not agreed to. */
  async #addLink(name: string, ignoreFiles: readonly IgnoreFile[]): Promise<void> {
    try {
      const target = await realpath(join(this.folder, name));
      const path = relative(this.folder, target).split(sep).join('/');
      const isInside = path !== '' && path !== '..' && !path.startsWith('../') && !/^[a-z]:/i.test(path);
      const isCopied = isInside && this.#exclusions.reasonFor(path, ignoreFiles) === null;
      if (isCopied && (await stat(target)).isFile()) await this.#add(name, target);
      else this.leftOut.link += 1;
    } catch {
      this.leftOut.link += 1;
    }
  }

  async #add(path: string, location: string): Promise<void> {
    if (this.files.length >= MAX_FILES) {
      this.tooMany = true;
      return;
    }
    try {
      const { size, mtimeMs } = await lstat(location);
      this.files.push({ path, location, size, modifiedMs: mtimeMs });
      this.bytes += size;
    } catch {
      this.leftOut.unreadable += 1;
    }
  }
}

/** `.gitignore` files of the folders above, up to the one that has `.git`; none where they name the folder itself. */
async function ignoreFilesAbove(folder: string): Promise<readonly IgnoreFile[]> {
  const found: IgnoreFile[] = [];
  for (let at = folder; !(await exists(join(at, '.git'))); at = dirname(at)) {
    if (dirname(at) === at) return [];
    const above = dirname(at);
    const prefix = relative(above, folder).split(sep).join('/');
    found.unshift(...(await readIgnoreFile(above, (path) => `${prefix}/${path}`)));
  }
  return isIgnored('', found) ? [] : found;
}

function ignoreFilesIn(location: string, path: string): Promise<readonly IgnoreFile[]> {
  return readIgnoreFile(location, (inner) => (path === '' ? inner : inner.slice(path.length + 1)));
}

async function readIgnoreFile(location: string, toLocal: IgnoreFile['toLocal']): Promise<readonly IgnoreFile[]> {
  try {
    return [{ toLocal, rules: ignore().add(await readFile(join(location, '.gitignore'), 'utf8')) }];
  } catch {
    return [];
  }
}

async function exists(path: string): Promise<boolean> {
  return lstat(path).then(
    () => true,
    () => false,
  );
}
