import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { extract, type Headers, type Pack, pack } from 'tar-stream';

const MAX_ENTRIES = 500_000;
const EPOCH = new Date(0);

/** What a bundle may hold, and where it goes. */
export interface BundleTerms {
  /** Name of the folder that replaces the topmost one. */
  readonly folder: string;
  readonly maxBytes: number;
  /** A file, path → text, that comes after all others: once it is there, the bundle is complete. */
  readonly last?: readonly [path: string, text: string];
}

/** Why an archive is not accepted; the message is a sentence. */
export class BundleError extends Error {}

/**
 * An archive of files, folders and links from an untrusted container, as one that is safe to unpack: everything belongs to
 * root, only root can write to it, nothing is special, and nothing lies below a link. Destroys it with a `BundleError`
 * when it has anything else.
 */
export function checkedBundle(archive: Readable, terms: BundleTerms): Pack {
  const checked = pack();
  const entries = extract();
  const links = new Set<string>();
  const folders = new Set<string>();
  let [bytes, count] = [0, 0];
  const fail = (error: Error) => {
    archive.destroy();
    entries.destroy();
    checked.destroy(error);
  };
  entries.on('entry', (header, content, next) => {
    const isLast = count >= MAX_ENTRIES;
    count += 1;
    bytes += header.size ?? 0;
    const name = safeName(header.name, terms.folder);
    const problem =
      (isLast && `It has more than ${MAX_ENTRIES} files.`) ||
      (bytes > terms.maxBytes && `It has more than ${Math.floor(terms.maxBytes / 1024 ** 2)} MB.`) ||
      (name === null && 'It has a file with a name that leads elsewhere.') ||
      (isBelow(name ?? '', links) && 'It has a file below a link.');
    const safe = name === null || problem ? null : safeHeader(header, name);
    if (!safe) {
      fail(new BundleError(problem || `It has a ${header.type}, which is no file, folder or link.`));
      return;
    }
    // One that is missing would be made with the rights that the host chooses.
    for (const parent of parentsOf(safe.name)) {
      if (folders.has(parent)) continue;
      folders.add(parent);
      checked.entry({ name: parent, type: 'directory', mode: 0o755, uid: 0, gid: 0, mtime: EPOCH });
    }
    if (safe.type === 'directory') {
      if (folders.has(safe.name)) {
        content.resume();
        next();
        return;
      }
      folders.add(safe.name);
    }
    if (safe.type === 'symlink') links.add(safe.name);
    const done = (error?: Error | null) => (error ? fail(error) : next());
    if (safe.type !== 'file') {
      content.resume();
      checked.entry(safe, done);
    } else content.pipe(checked.entry(safe, done));
  });
  entries.on('finish', () => {
    if (terms.last) addLast(checked, terms.last);
    checked.finalize();
  });
  entries.on('error', fail);
  archive.on('error', fail);
  archive.pipe(entries);
  return checked;
}

/** The name below `folder`; null for one that leads elsewhere. */
function safeName(name: string, folder: string): string | null {
  const parts = name.split('/').filter((part) => part !== '' && part !== '.');
  if (name.startsWith('/') || parts.includes('..') || name.includes('\0')) return null;
  return [folder, ...parts.slice(1)].join('/');
}

function parentsOf(name: string): string[] {
  const parts = name.split('/');
  return parts.slice(1).map((_, count) => parts.slice(0, count + 1).join('/'));
}

function isBelow(name: string, links: ReadonlySet<string>): boolean {
  if (links.size === 0) return false;
  const parts = name.split('/');
  return parts.some((_, count) => links.has(parts.slice(0, count + 1).join('/')));
}

function safeHeader({ type, size, mode, mtime, linkname }: Headers, name: string): (Headers & { type: string }) | null {
  const owned = { name, uid: 0, gid: 0, mtime: mtime ?? EPOCH };
  if (type === 'directory') return { ...owned, type, mode: 0o755 };
  if (type === 'file') return { ...owned, type, size: size ?? 0, mode: (mode ?? 0) & 0o111 ? 0o755 : 0o644 };
  return type === 'symlink' && linkname ? { ...owned, type, linkname, mode: 0o777 } : null;
}

function addLast(archive: Pack, [path, content]: readonly [string, string]): void {
  for (const parent of parentsOf(path)) archive.entry({ name: parent, type: 'directory', mode: 0o755, uid: 0, gid: 0 });
  archive.entry({ name: path, mode: 0o644, uid: 0, gid: 0 }, content);
}

/** The texts of the files in an archive, by their names. Rejects when it is broken. */
export async function textsOf(archive: Readable): Promise<Map<string, string>> {
  const texts = new Map<string, string>();
  const entries = extract();
  entries.on('entry', ({ type, name }, content, next) => {
    text(content).then((read) => {
      if (type === 'file') texts.set(name, read);
      next();
    }, next);
  });
  await pipeline(archive, entries);
  return texts;
}
