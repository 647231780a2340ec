import { createReadStream } from 'node:fs';
import { lstat, readdir, readlink } from 'node:fs/promises';
import { join } from 'node:path';

/** What goes into an archive: a folder's contents or a text, at a path inside it; empty for the top. */
export type TarPart =
  | { readonly kind: 'folder'; readonly path: string; readonly from: string }
  | { readonly kind: 'text'; readonly path: string; readonly text: string };

const BLOCK = 512;
/** Beyond it a header has no room for a name or a link's target, and they go into an entry of their own. */
const NAME_BYTES = 100;
/** The largest size that eleven octal digits can say. */
const MAX_BYTES = 8 ** 11 - 1;

/**
 * A tar archive, bit by bit: files of any number and size are read as they are wanted. Of two entries of one path the
 * later counts. Files, folders and symbolic links only; all belong to root. Throws the system's errors.
 */
export async function* tar(parts: readonly TarPart[]): AsyncGenerator<Buffer> {
  for (const part of parts) {
    if (part.kind === 'folder') yield* folder(part.from, part.path);
    else yield* bytes(part.path, Buffer.from(part.text));
  }
  yield Buffer.alloc(2 * BLOCK);
}

async function* folder(from: string, path: string): AsyncGenerator<Buffer> {
  for (const name of (await readdir(from)).sort()) yield* entry(join(from, name), path ? `${path}/${name}` : name);
}

async function* entry(from: string, path: string): AsyncGenerator<Buffer> {
  const found = await lstat(from);
  const mode = found.mode & 0o777;
  if (found.isSymbolicLink()) yield* header({ path, type: '2', mode, size: 0, target: await readlink(from) });
  else if (found.isDirectory()) {
    yield* header({ path: `${path}/`, type: '5', mode, size: 0 });
    yield* folder(from, path);
  } else if (found.isFile()) {
    yield* header({ path, type: '0', mode, size: found.size });
    yield* contents(from, found.size);
  }
}

async function* contents(from: string, size: number): AsyncGenerator<Buffer> {
  let left = size;
  if (size > 0) {
    for await (const chunk of createReadStream(from, { end: size - 1, highWaterMark: 1 << 18 })) {
      left -= chunk.length;
      yield chunk;
    }
  }
  if (left > 0) throw new Error(`${from} became shorter while it was read`);
  yield padding(size);
}

async function* bytes(path: string, content: Buffer): AsyncGenerator<Buffer> {
  yield* header({ path, type: '0', mode: 0o644, size: content.length });
  yield content;
  yield padding(content.length);
}

interface Header {
  readonly path: string;
  /** `0` a file, `2` a symbolic link, `5` a folder, `K` and `L` a long target or name of the next entry. */
  readonly type: '0' | '2' | '5' | 'K' | 'L';
  readonly mode: number;
  readonly size: number;
  readonly target?: string;
}

function* header(fields: Header): Generator<Buffer> {
  const { path, target = '' } = fields;
  if (Buffer.byteLength(target) > NAME_BYTES) yield* long('K', target);
  if (Buffer.byteLength(path) > NAME_BYTES) yield* long('L', path);
  yield block(fields);
}

function* long(type: 'K' | 'L', text: string): Generator<Buffer> {
  const content = Buffer.from(`${text}\0`);
  yield block({ path: '././@LongLink', type, mode: 0, size: content.length });
  yield content;
  yield padding(content.length);
}

function block({ path, type, mode, size, target = '' }: Header): Buffer {
  if (size > MAX_BYTES) throw new RangeError(`${path} has ${size} bytes, which no tar archive can hold`);
  const buffer = Buffer.alloc(BLOCK);
  const number = (value: number, at: number, digits: number) => buffer.write(octal(value, digits), at, 'latin1');
  Buffer.from(path).copy(buffer, 0, 0, NAME_BYTES);
  number(mode, 100, 7);
  number(0, 108, 7);
  number(0, 116, 7);
  number(size, 124, 11);
  number(0, 136, 11);
  buffer.write(type, 156, 'latin1');
  Buffer.from(target).copy(buffer, 157, 0, NAME_BYTES);
  // The way of GNU tar, which knows the entries for what is long.
  buffer.write('ustar  \0', 257, 'latin1');
  // Summed up as if the sum's own field were blanks.
  buffer.fill(' ', 148, 156);
  const sum = buffer.reduce((total, byte) => total + byte, 0);
  buffer.write(`${octal(sum, 6)}\0 `, 148, 'latin1');
  return buffer;
}

function octal(value: number, digits: number): string {
  return value.toString(8).padStart(digits, '0');
}

function padding(size: number): Buffer {
  return Buffer.alloc((BLOCK - (size % BLOCK)) % BLOCK);
}
