import { z } from 'zod';
import { ByteQueue } from './byteQueue.ts';
import { FramingError } from './frames.ts';

/**
 * What the engine and a `files` process say to each other on its stdin and stdout. A message is two lengths (u32, big
 * endian), a head of JSON and a body of raw bytes. The engine sends a request and reads messages until an `answer`, or an
 * `end` where content follows the answer, or an `error`. What user code could have influenced (names, sizes, times) is
 * checked by these schemas. `images/agent/hothouse_agent/files.py` is the other end.
 */

/** Bytes of a body; with its head it fits into one frame of 64 KiB. */
export const FILE_CHUNK_BYTES = 60 * 1024;
/** Bytes of content under way to a process, or from it, that the other side has not taken. */
export const FILE_WINDOW_BYTES = 512 * 1024;
/** Bytes of a path, less one; its names have at most 255 bytes each. */
export const MAX_FILE_PATH_BYTES = 4096;
/** Folders above a file, and itself. */
export const MAX_FILE_DEPTH = 128;
/** Entries of one page of a list, and files that one report of changes names. */
export const MAX_FILE_ENTRIES = 1_000;
const MAX_HEAD_BYTES = 1024 * 1024;
const HEADER_BYTES = 8;

/** Where a path begins. */
export type FileRoot = 'workspace' | 'tmp' | 'view';

/** What a path of a request is: names separated by `/`, without `.`, `..` and empty names; empty for the root itself. */
interface FileTarget {
  readonly root: FileRoot;
  readonly path: string;
}

/** Engine → process. */
export type FileRequest = FileTarget &
  (
    | { readonly op: 'stat' }
    /** Entries after the path `after` in the order of their names as bytes, folders before what is in them. */
    | { readonly op: 'list'; readonly recursive: boolean; readonly limit: number; readonly after: string }
    /** The bytes that files can still take. */
    | { readonly op: 'room' }
    /** Makes a folder and those above it. */
    | { readonly op: 'make' }
    | { readonly op: 'remove'; readonly recursive: boolean }
    /** `data` follow the answer as the engine grants room by `more`, then `end`. */
    | { readonly op: 'get'; readonly offset: number; readonly length: number | null }
    /**
     * `data` and an `end` follow the request; each `data` is answered by `taken`. `size` where it is known. With `offset`
     * the content is appended to a file of exactly that size.
     */
    | {
        readonly op: 'put';
        readonly size: number | null;
        readonly offset: number | null;
        readonly folders: boolean;
        readonly replace: boolean;
      }
    /** Files made or changed since a mark, `0` for all. */
    | { readonly op: 'changes'; readonly since: string; readonly limit: number }
    | { readonly op: 'mark' }
  );

/** Engine → process, parts of a `put` or a `get`. */
export type FileControl =
  | { readonly op: 'data' }
  | { readonly op: 'end' }
  | { readonly op: 'more'; readonly bytes: number };

export const FileErrorKind = z.enum([
  'not_found',
  'not_a_file',
  'not_a_folder',
  'not_empty',
  'exists',
  'outside_workspace',
  'invalid_path',
  'no_access',
  'no_space',
  'too_large',
  'conflict',
  'failed',
]);
export type FileErrorKind = z.infer<typeof FileErrorKind>;

/** Process → engine, beside answers. */
export const FileMessage = z.discriminatedUnion('op', [
  z.looseObject({ op: z.literal('answer') }),
  z.strictObject({ op: z.literal('error'), kind: FileErrorKind, reason: z.string().max(300) }),
  z.strictObject({ op: z.literal('data') }),
  /** `missing`: bytes that the file had when it was opened, and no longer when they were read. */
  z.strictObject({ op: z.literal('end'), missing: z.int().nonnegative() }),
  z.strictObject({ op: z.literal('taken'), bytes: z.int().positive() }),
]);
export type FileMessage = z.infer<typeof FileMessage>;

/** A byte of a name that is not UTF-8 is a character U+DC80 to U+DCFF. */
const Path = z.string().max(MAX_FILE_PATH_BYTES);
const Count = z.int().nonnegative();
const MediaType = z.string().regex(/^[a-z]+\/[a-z0-9.+-]{1,100}$/);
/** For `Date`. */
const Milliseconds = z.int().min(-8.64e15).max(8.64e15);
const Mark = z.string().regex(/^\d{1,20}$/);

const facts = { type: z.enum(['file', 'folder', 'link', 'other']), size: Count, modifiedMs: Milliseconds };
/** `bytes` are those of the files. */
const counts = { files: Count, folders: Count, others: Count, bytes: Count };

/** The values of an `answer`, by the request. */
export const FileAnswers = {
  stat: z.object({
    ...facts,
    /** Names that the file has; with more than one, another path is the same file. */
    links: Count,
    mediaType: MediaType.nullable(),
    /** Of a folder, with all folders below it; `skipped` entries are not counted. */
    contents: z.object({ ...counts, skipped: Count }).nullable(),
  }),
  list: z.object({
    entries: z.array(z.object({ path: Path, ...facts })).max(MAX_FILE_ENTRIES),
    /** `after` of the next page; null on the last one. */
    next: Path.nullable(),
    skipped: Count,
    ...counts,
  }),
  room: z.object({ bytes: Count }),
  make: z.object({ made: Count }),
  remove: z.object(counts),
  get: z.object({ ...facts, links: Count, mediaType: MediaType, length: Count }),
  put: z.object({ size: Count, replaced: z.boolean() }),
  changes: z.object({
    files: z.array(z.object({ path: Path, ...facts, mediaType: MediaType })).max(MAX_FILE_ENTRIES),
    count: Count,
    bytes: Count,
    skipped: Count,
    mark: Mark,
  }),
  mark: z.object({ mark: Mark }),
};
export type FileAnswer<Op extends keyof typeof FileAnswers> = z.infer<(typeof FileAnswers)[Op]>;

/** One message as bytes. */
export function encodeFileMessage(head: FileRequest | FileControl, body: Uint8Array = Buffer.alloc(0)): Buffer {
  // Characters without a partner, which stand for bytes of names, become escapes.
  const text = Buffer.from(JSON.stringify(head));
  const header = Buffer.allocUnsafe(HEADER_BYTES);
  header.writeUInt32BE(text.length, 0);
  header.writeUInt32BE(body.length, 4);
  return Buffer.concat([header, text, body]);
}

/** Turns a process's stdout into messages; any split of the stream gives the same. */
export class FileMessageDecoder {
  readonly #waiting = new ByteQueue();

  /** Bytes that wait. */
  get length(): number {
    return this.#waiting.length;
  }

  feed(chunk: Buffer): void {
    this.#waiting.push(chunk);
  }

  /** The next complete message, or undefined when more bytes must come first. Throws when it makes no sense. */
  next(): { readonly head: FileMessage; readonly body: Buffer } | undefined {
    if (this.#waiting.length < HEADER_BYTES) return undefined;
    const header = this.#waiting.peek(HEADER_BYTES);
    const [headBytes, bodyBytes] = [header.readUInt32BE(0), header.readUInt32BE(4)];
    if (headBytes > MAX_HEAD_BYTES || bodyBytes > FILE_CHUNK_BYTES) throw new FramingError('a message is too large');
    const length = HEADER_BYTES + headBytes + bodyBytes;
    if (this.#waiting.length < length) return undefined;
    const bytes = this.#waiting.take(length);
    const text = bytes.toString('utf8', HEADER_BYTES, HEADER_BYTES + headBytes);
    return { head: FileMessage.parse(JSON.parse(text)), body: bytes.subarray(HEADER_BYTES + headBytes) };
  }
}
