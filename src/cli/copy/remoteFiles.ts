import { z } from 'zod';
import { noRoom } from '../../engine/files/fileProblem.ts';
import type { RunningServer } from '../../local/runningServers.ts';
import { problemText } from '../terminal.ts';
import type { RemotePlace } from './place.ts';
import { callTool, ToolError } from './toolClient.ts';

/** Bytes of one call: as base64 they fit into a request. */
const WRITE_BYTES = 4 * 1024 * 1024;
const READ_BYTES = 1024 * 1024;

const Entry = z.object({ path: z.string(), type: z.enum(['file', 'folder', 'link', 'other']), size: z.number() });
const List = z.object({
  entries: z.array(Entry),
  next_cursor: z.string().nullable(),
  free_bytes: z.number().nullable(),
});
const Part = z.object({ size: z.number(), next_offset: z.number().nullable(), content: z.string() });
const Sessions = z.object({ sessions: z.array(z.object({ session_id: z.string() })) });

export type RemoteEntry = z.infer<typeof Entry>;

/** A file of a session or of a run; `size` as it was when the copy began. */
export interface RemoteFile {
  readonly path: string;
  readonly size: number;
}

/** The files of one session, or those that are kept of one run, on a server. Calls reject with a `ToolError`. */
export class RemoteFiles {
  readonly #server: RunningServer;
  readonly #address: Readonly<Record<string, string>>;
  readonly #signal: AbortSignal;

  constructor(server: RunningServer, { kind, id }: Pick<RemotePlace, 'kind' | 'id'>, signal: AbortSignal) {
    this.#server = server;
    this.#address = kind === 'run' ? { run_id: id } : { session_id: id };
    this.#signal = signal;
  }

  /** Whether a folder is there. */
  async hasFolder(path: string): Promise<boolean> {
    try {
      const { entries, free_bytes } = await this.#page(path, '', 1);
      // A run's files have no folders of their own: a path without files below it is none.
      return entries.length > 0 || free_bytes !== null;
    } catch (error) {
      if (error instanceof ToolError) return false;
      throw error;
    }
  }

  /** What is in a folder; with `recursive` also what is in the folders below it. */
  async list(path: string, recursive: boolean): Promise<readonly RemoteEntry[]> {
    const found: RemoteEntry[] = [];
    for (let cursor: string | null = ''; cursor !== null; ) {
      const page: z.infer<typeof List> = await this.#page(path, cursor, 1000, recursive);
      found.push(...page.entries);
      cursor = page.next_cursor;
    }
    return found;
  }

  /** The size of a file. */
  async sizeOf(path: string): Promise<number> {
    return (await this.#part(path, 0, 1)).size;
  }

  /** The content of a file. Rejects when its size changes meanwhile. */
  async *read({ path, size }: RemoteFile): AsyncGenerator<Buffer> {
    for (let offset: number | null = 0; offset !== null; ) {
      const part: z.infer<typeof Part> = await this.#part(path, offset, READ_BYTES);
      if (part.size !== size) throw new ToolError(`${JSON.stringify(path)} has changed while it was read.`);
      yield Buffer.from(part.content, 'base64');
      offset = part.next_offset;
    }
  }

  /** Rejects when files of so many bytes together do not fit. */
  async checkRoom(bytes: number): Promise<void> {
    const { free_bytes: room } = await this.#page('', '', 1);
    if (room !== null && bytes > room) throw new ToolError(problemText(noRoom(bytes, room)));
  }

  /** Writes a file, a large one in pieces; one that cannot be written to its end is removed. */
  async write(path: string, content: AsyncIterable<Uint8Array>): Promise<number> {
    let offset = 0;
    let isBegun = false;
    try {
      for await (const { bytes, isOnly } of blocks(content)) {
        await this.#call('write_file', {
          path,
          content: bytes.toString('base64'),
          encoding: 'base64',
          ...(!isOnly && { offset }),
        });
        isBegun = !isOnly;
        offset += bytes.length;
      }
      return offset;
    } catch (error) {
      if (isBegun) {
        const address = { ...this.#address, path };
        // Also after Ctrl+C, which ends the copy.
        await callTool(this.#server, 'delete_file', address, AbortSignal.timeout(5_000)).catch(() => {});
      }
      throw error;
    }
  }

  async #page(path: string, cursor: string, limit: number, recursive = false): Promise<z.infer<typeof List>> {
    const more = cursor === '' ? {} : { cursor };
    return List.parse(await this.#call('list_files', { path, limit, recursive, ...more }));
  }

  async #part(path: string, offset: number, length: number): Promise<z.infer<typeof Part>> {
    return Part.parse(await this.#call('read_file', { path, offset, length, encoding: 'base64' }));
  }

  #call(tool: string, args: Readonly<Record<string, unknown>>): Promise<unknown> {
    return callTool(this.#server, tool, { ...this.#address, ...args }, this.#signal);
  }
}

/** Ids of the sessions of a server. */
export async function sessionsOf(server: RunningServer, signal: AbortSignal): Promise<readonly string[]> {
  const { sessions } = Sessions.parse(await callTool(server, 'list_sessions', {}, signal));
  return sessions.map(({ session_id }) => session_id);
}

/** Content in pieces of one call each, at least one. */
async function* blocks(content: AsyncIterable<Uint8Array>): AsyncGenerator<{ bytes: Buffer; isOnly: boolean }> {
  let held: Uint8Array[] = [];
  let size = 0;
  let isFirst = true;
  for await (const chunk of content) {
    held.push(chunk);
    size += chunk.length;
    while (size > WRITE_BYTES) {
      const all = Buffer.concat(held);
      yield { bytes: all.subarray(0, WRITE_BYTES), isOnly: false };
      isFirst = false;
      held = [all.subarray(WRITE_BYTES)];
      size -= WRITE_BYTES;
    }
  }
  yield { bytes: Buffer.concat(held), isOnly: isFirst };
}
