import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { extract, type Pack, pack } from 'tar-stream';
import { addEntry } from './archiveEntry.ts';

/** Name of the folder with a mirror's files, in its volume. */
const MIRROR_FOLDER = 'files';
/** Root alone reads what is in these. */
const INDEX = '.index';
const DRAFTS = '.new';
/** Where a link leads that stands for nothing. */
export const NOWHERE = '/nonexistent';
const MAX_INDEX_BYTES = 16 * 1024 * 1024;
const ROOT = { uid: 0, gid: 0 };

/** Path → what identifies the content that the mirror has under it. */
export type MirrorIndex = ReadonlyMap<string, string>;

/** A file that goes into a mirror. */
export interface MirrorFile {
  /** Names separated by `/`, none of them `.` or `..`. */
  readonly path: string;
  readonly size: number;
  /** Milliseconds since the epoch. */
  readonly modifiedMs: number;
  readonly content: () => AsyncIterable<Uint8Array>;
}

/** A mirror as it is and as it shall be. */
export interface MirrorChange {
  /** What it has now; null where that is not known, and all of it is replaced. */
  readonly before: MirrorIndex | null;
  readonly after: MirrorIndex;
  /** The files of `after` whose content is not that of `before`. */
  readonly put: readonly MirrorFile[];
  readonly onPut: (file: MirrorFile) => void;
}

/**
 * A change as an archive for a volume that a container can only read. Each file appears once all of it is there. An archive
 * cannot remove a file: a folder that loses one is replaced, and its other files come back by their links.
 */
export function mirrorArchive(change: MirrorChange): Pack {
  const archive = pack();
  fill(archive, change).catch((error: Error) => archive.destroy(error));
  return archive;
}

/** The index in the archive of a mirror's volume; null when the last change was not completed. */
export async function readMirrorIndex(archive: Readable): Promise<MirrorIndex | null> {
  const entries = extract();
  let text = '';
  entries.on('entry', (header, content, next) => {
    content.on('data', (chunk: Buffer) => {
      if (header.name.endsWith(INDEX) && text.length < MAX_INDEX_BYTES) text += chunk.toString('latin1');
    });
    content.once('end', next);
  });
  await pipeline(archive, entries);
  if (text === '') return null;
  return new Map<string, string>(JSON.parse(Buffer.from(text, 'latin1').toString('utf8')));
}

/** Where the index is, relative to the volume. */
export const MIRROR_INDEX = INDEX;

async function fill(archive: Pack, { before, after, put, onPut }: MirrorChange): Promise<void> {
  // Empty until the change is complete.
  archive.entry({ name: INDEX, mode: 0o600, ...ROOT }, '');
  folder(archive, DRAFTS, 0o700);
  if (before === null) replaceFolder(archive, MIRROR_FOLDER);
  else for (const path of folderLosses(before, after)) replaceKept(archive, path, before, after);
  const folders = new Set<string>();
  addFolders(archive, folders, MIRROR_FOLDER);
  for (const [at, file] of put.entries()) {
    const draft = `${DRAFTS}/${at}`;
    const name = `${MIRROR_FOLDER}/${file.path}`;
    const mtime = new Date(file.modifiedMs);
    await addEntry(archive, { name: draft, size: file.size, mode: 0o644, mtime, ...ROOT }, exactly(file));
    addFolders(archive, folders, parentOf(name));
    link(archive, name, draft);
    onPut(file);
  }
  replaceFolder(archive, DRAFTS, 0o700);
  archive.entry({ name: INDEX, mode: 0o600, ...ROOT }, JSON.stringify([...after]));
  archive.finalize();
}

/** The topmost folders that lose a file or a folder; '' is the mirror itself. */
function folderLosses(before: MirrorIndex, after: MirrorIndex): readonly string[] {
  const left = new Set<string>(['']);
  for (const path of after.keys()) for (let at = parentOf(path); at !== ''; at = parentOf(at)) left.add(at);
  const losing = new Set<string>();
  for (const path of before.keys()) {
    if (after.has(path)) continue;
    let at = parentOf(path);
    while (!left.has(at)) at = parentOf(at);
    losing.add(at);
  }
  return [...losing].filter((path) => !ancestorsOf(path).some((above) => losing.has(above)));
}

/** Replaces a folder by one with those of its files that stay. */
function replaceKept(archive: Pack, path: string, before: MirrorIndex, after: MirrorIndex): void {
  const prefix = path === '' ? '' : `${path}/`;
  const kept = [...before.keys()].filter((name) => name.startsWith(prefix) && after.has(name));
  for (const [at, name] of kept.entries()) link(archive, `${DRAFTS}/kept-${at}`, `${MIRROR_FOLDER}/${name}`);
  replaceFolder(archive, path === '' ? MIRROR_FOLDER : `${MIRROR_FOLDER}/${path}`);
  const folders = new Set<string>();
  for (const [at, name] of kept.entries()) {
    addFolders(archive, folders, parentOf(`${MIRROR_FOLDER}/${name}`));
    link(archive, `${MIRROR_FOLDER}/${name}`, `${DRAFTS}/kept-${at}`);
  }
}

/** No archive can say that nothing is there: first a link takes the place of the folder, then an empty folder that of the link. */
function replaceFolder(archive: Pack, name: string, mode = 0o755): void {
  archive.entry({ name, type: 'symlink', linkname: NOWHERE, ...ROOT });
  folder(archive, name, mode);
}

function folder(archive: Pack, name: string, mode: number): void {
  archive.entry({ name, type: 'directory', mode, ...ROOT });
}

function link(archive: Pack, name: string, target: string): void {
  archive.entry({ name, type: 'link', linkname: target, ...ROOT });
}

function addFolders(archive: Pack, known: Set<string>, path: string): void {
  for (const name of [...ancestorsOf(path).reverse(), path]) {
    if (name === '' || known.has(name)) continue;
    known.add(name);
    folder(archive, name, 0o755);
  }
}

/** So many bytes as the file had when it was looked at: it may grow meanwhile. Throws when it has become shorter. */
async function* exactly({ path, size, content }: MirrorFile): AsyncGenerator<Uint8Array> {
  let left = size;
  for await (const chunk of content()) {
    const part = chunk.subarray(0, left);
    left -= part.length;
    if (part.length > 0) yield part;
    if (left === 0) return;
  }
  if (left > 0) throw new Error(`${path} has become shorter while it was read`);
}

function parentOf(path: string): string {
  return path.slice(0, Math.max(0, path.lastIndexOf('/')));
}

function ancestorsOf(path: string): string[] {
  const found: string[] = [];
  for (let at = path; at !== ''; ) {
    at = parentOf(at);
    found.push(at);
  }
  return found;
}
