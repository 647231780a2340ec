import { Readable } from 'node:stream';
import type { Clock } from '../../base/clock.ts';
import {
  FILE_CHUNK_BYTES,
  FILE_WINDOW_BYTES,
  type FileAnswer,
  FileAnswers,
  type FileRequest,
  type FileRoot,
  MAX_FILE_ENTRIES,
} from '../../protocol/fileMessages.ts';
import type { Sandbox } from '../sandbox.ts';
import { FileError } from './fileError.ts';
import { FilesProcess } from './filesProcess.ts';

export type { FileAnswer };

/** Content of a file to put: all of it, or pieces of any size. */
export type FileContent = string | Uint8Array | AsyncIterable<Uint8Array>;

/** What to read of a file, in bytes; all of it by default. */
export interface FileRange {
  readonly offset?: number;
  readonly length?: number;
}

/** How a file is put. */
export interface PutOptions {
  /** Makes missing folders of the path; true by default. */
  readonly folders?: boolean;
  /** Takes the place of a file of that name; true by default. */
  readonly replace?: boolean;
  /** Bytes of content that comes in pieces, where they are known: without room for them nothing is written. */
  readonly size?: number;
  /** Appends to the file, which has to have exactly so many bytes, also while it is written. */
  readonly offset?: number;
}

/** Which entries a list has. */
export interface ListOptions {
  /** With all folders below it. */
  readonly recursive?: boolean;
  /** Entries of the page, at most and by default `MAX_FILE_ENTRIES`. */
  readonly limit?: number;
  /** `next` of the page before. */
  readonly cursor?: string;
}

/** A file that was opened: what is known of it, and the bytes of the range. */
export type OpenedFile = FileAnswer<'get'> & {
  /** Reads from the sandbox as fast as it is read itself; ends early with a `FileError` when the file gets shorter. */
  readonly content: Readable;
};

type Answered = keyof typeof FileAnswers;

/**
 * Requests about the files of one sandbox, one after the other, by one process in it. Paths are as in `FileRequest`. Every
 * call rejects with a `FileError`; after `close`, and after `get`, whose content takes the process over, there are no
 * further calls.
 */
export class SandboxFiles {
  readonly #process: FilesProcess;
  readonly #root: FileRoot;

  constructor(sandbox: Sandbox, { root = 'workspace', clock }: { root?: FileRoot; clock?: Clock } = {}) {
    this.#process = new FilesProcess(sandbox, clock);
    this.#root = root;
  }

  stat(path: string): Promise<FileAnswer<'stat'>> {
    return this.#ask({ op: 'stat', ...this.#target(path) });
  }

  list(path: string, { recursive = false, limit, cursor = '' }: ListOptions = {}): Promise<FileAnswer<'list'>> {
    const entries = Math.max(1, Math.min(MAX_FILE_ENTRIES, limit ?? MAX_FILE_ENTRIES));
    return this.#ask({ op: 'list', ...this.#target(path), recursive, limit: entries, after: cursor });
  }

  /** Bytes that files can still take: of the folder's size, and of the sandbox's memory, which holds them. */
  async room(): Promise<number> {
    return (await this.#ask({ op: 'room', ...this.#target('') })).bytes;
  }

  /** Makes a folder and those above it; one that exists is fine. */
  makeFolder(path: string): Promise<FileAnswer<'make'>> {
    return this.#ask({ op: 'make', ...this.#target(path) });
  }

  /** Removes a file or an empty folder; `recursive` removes what is in it too. Links are removed, not followed. */
  remove(path: string, recursive = false): Promise<FileAnswer<'remove'>> {
    return this.#ask({ op: 'remove', ...this.#target(path), recursive });
  }

  /**
   * Writes a file and gives it its name once all of it is there. What had the name, also a link or a pipe, is replaced and
   * not written to: a file that had several names keeps its content under the others. With `offset` the file itself is
   * written to.
   */
  async put(
    path: string,
    content: FileContent,
    { folders = true, replace = true, size: known, offset }: PutOptions = {},
  ): Promise<FileAnswer<'put'>> {
    const whole = typeof content === 'string' ? Buffer.from(content) : content;
    const size = whole instanceof Uint8Array ? whole.length : (known ?? null);
    await this.#send({ op: 'put', ...this.#target(path), size, offset: offset ?? null, folders, replace });
    // Small content follows at once; the process drops it when it refuses the request.
    const small = whole instanceof Uint8Array && whole.length <= FILE_WINDOW_BYTES;
    if (!small) await this.#process.receive();
    let underWay = 0;
    for await (const piece of whole instanceof Uint8Array ? [whole] : whole) {
      for (let at = 0; at < piece.length; at += FILE_CHUNK_BYTES) {
        const chunk = piece.subarray(at, at + FILE_CHUNK_BYTES);
        await this.#process.send({ op: 'data' }, chunk);
        underWay += chunk.length;
        while (!small && underWay > FILE_WINDOW_BYTES - FILE_CHUNK_BYTES) underWay -= await this.#taken();
      }
    }
    await this.#process.send({ op: 'end' });
    if (small) await this.#process.receive();
    while (underWay > 0) underWay -= await this.#taken();
    return this.#answerTo('put');
  }

  /** Opens a file to read from it. */
  async get(path: string, { offset = 0, length }: FileRange = {}): Promise<OpenedFile> {
    const facts = await this.#ask({ op: 'get', ...this.#target(path), offset, length: length ?? null });
    return { ...facts, content: contentOf(this.#process, facts.length) };
  }

  /** Files that were made or changed since a mark, in the order of their names; the first `limit` are named. */
  changes(since: string, limit: number): Promise<FileAnswer<'changes'>> {
    return this.#ask({ op: 'changes', ...this.#target(''), since, limit: Math.min(limit, MAX_FILE_ENTRIES) });
  }

  /** A mark: what is made or changed from now on is a change since it. */
  async mark(): Promise<string> {
    return (await this.#ask({ op: 'mark', ...this.#target('') })).mark;
  }

  close(): void {
    this.#process.close();
  }

  #target(path: string): { readonly root: FileRoot; readonly path: string } {
    return { root: this.#root, path };
  }

  #send(request: FileRequest): Promise<void> {
    this.#process.path = request.path;
    return this.#process.send(request);
  }

  async #ask<Op extends Answered>(request: FileRequest & { readonly op: Op }): Promise<FileAnswer<Op>> {
    await this.#send(request);
    return this.#answerTo(request.op);
  }

  async #answerTo<Op extends Answered>(op: Op): Promise<FileAnswer<Op>> {
    const { head } = await this.#process.receive();
    const { data, error } = FileAnswers[op].safeParse(head);
    if (error) throw new FileError('failed', this.#process.path, 'the answer makes no sense');
    return data as FileAnswer<Op>;
  }

  async #taken(): Promise<number> {
    const { head } = await this.#process.receive();
    if (head.op !== 'taken') throw new FileError('failed', this.#process.path, 'the content was not taken');
    return head.bytes;
  }
}

/** The bytes that follow the answer to a `get`. Its end, or its destruction, closes the process. */
function contentOf(process: FilesProcess, length: number): Readable {
  let isReading = false;
  let granted = 0;
  let left = length;
  const fill = async (stream: Readable) => {
    for (let wantsMore = true; wantsMore; ) {
      const more = FILE_WINDOW_BYTES - granted;
      if (more >= FILE_WINDOW_BYTES / 2 && left > granted) {
        granted += more;
        await process.send({ op: 'more', bytes: more });
      }
      const { head, body } = await process.receive();
      if (head.op === 'end') {
        if (left > 0) throw new FileError('changed', process.path, 'it became shorter while it was read');
        stream.push(null);
        return;
      }
      if (head.op !== 'data' || body.length > Math.min(granted, left)) {
        throw new FileError('failed', process.path, 'more came than was asked for');
      }
      granted -= body.length;
      left -= body.length;
      wantsMore = stream.push(body);
    }
    // At once: the next call may come before any promise is settled.
    isReading = false;
  };
  const stream = new Readable({
    highWaterMark: FILE_WINDOW_BYTES,
    read() {
      if (isReading) return;
      isReading = true;
      fill(this).catch((error: Error) => this.destroy(error));
    },
    destroy(error, done) {
      process.close();
      done(error);
    },
  });
  // It may fail while nothing reads it; who reads it then gets the error.
  return stream.on('error', () => {});
}

/** Writes a small file below `/workspace` or `/tmp`, in the place of whatever has its name, until the next reset. */
export async function putFile(sandbox: Sandbox, path: string, content: string | Uint8Array): Promise<void> {
  const [, root, rest = ''] = /^\/(workspace|tmp)\/(.*)$/s.exec(path) ?? [];
  if (root !== 'workspace' && root !== 'tmp') throw new FileError('outside_workspace', path, 'it is in no such folder');
  const files = new SandboxFiles(sandbox, { root });
  try {
    await files.put(rest, content, { folders: false });
  } finally {
    files.close();
  }
}
