import { z } from 'zod';
import type { FileEntry } from '../../engine/files/types.ts';
import type { Result } from '../../engine/types.ts';
import { type FileAddress, fileUri, parseFileUri } from '../files/fileUri.ts';
import { notKept, readPart, textOf } from '../files/readFile.ts';
import { KEEP_MS, runFilesOf } from '../files/runFiles.ts';
import { contentBytes, ENCODING_TEXT, Encoding } from '../files/writtenContent.ts';
import { printable } from '../printable.ts';
import { defineTool, failure, refused, success, type ToolCall } from '../tool.ts';

/** Bytes of one answer of `read_file`: as base64 they fit into the text of a result. */
const MAX_READ_BYTES = 1024 * 1024;
const READ_BYTES = 256 * 1024;
const MAX_LIST = 1000;
const LIST = 200;
const PICTURES = ['image/png', 'image/jpeg', 'image/gif', 'image/webp'];

const SESSION_ID = z.string().describe('Session from open_session or list_sessions.');
const PATH = z.string().describe('Path in the working directory /workspace, as in data/sales.csv.');
const OF_RUN = {
  session_id: SESSION_ID.optional(),
  run_id: z
    .string()
    .optional()
    .describe(
      `Instead of session_id: a run of run_code without session. Its files are kept for ${KEEP_MS / 60_000} minutes.`,
    ),
};
const Offset = z.int().min(0).max(Number.MAX_SAFE_INTEGER);
const FileUri = z.string().describe('Address of the file as an MCP resource, and for `from` of run_code.');

/** `write_file`. */
export const writeFile = defineTool({
  name: 'write_file',
  title: 'File Write',
  description:
    'Writes a file of a session. Missing folders are created. A file of that name is replaced once all of the content has arrived. Send a large file in pieces: the first with offset 0, each other one with offset = the size so far, which appends.',
  annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: false },
  input: z.strictObject({
    session_id: SESSION_ID,
    path: PATH,
    content: z.string().describe('Text, or base64 with encoding base64. At most about 5 MB per call.'),
    encoding: Encoding.optional().describe(ENCODING_TEXT),
    offset: Offset.optional().describe(
      'Appends to the file, which must have exactly this size; otherwise nothing is written. 0 begins a new file. Default: replaces the whole file.',
    ),
  }),
  output: z.strictObject({
    session_id: z.string(),
    path: z.string(),
    uri: FileUri,
    size: z.int().describe('Bytes of the whole file.'),
    replaced: z.boolean().describe('Whether a file of that name existed.'),
  }),
  async call({ session_id, path, content, encoding, offset }, { engine, signal }) {
    const bytes = contentBytes(content, encoding);
    if (!bytes) return failure('Argument "content" is not base64, as "encoding" says.');
    const files = engine.files(session_id);
    // A new file begins empty, so that what was there is never appended to.
    const begins = offset === 0;
    const options = begins || offset === undefined ? {} : { offset };
    const put = await files.put(path, bytes, options, signal);
    if (!put.ok) return refused(put.error);
    const { size, replaced } = put.value;
    const fields = { session_id, path, uri: uriOf('session', session_id, path), size, replaced };
    return success(fields, `Wrote ${printable(path)}: ${size} bytes${replaced ? ', replaced' : ''}.`);
  },
});

/** `read_file`. */
export const readFile = defineTool({
  name: 'read_file',
  title: 'File Content',
  description: [
    'Reads a file of a session or a run, or a part of it. Text is returned as text and anything else as base64; a picture is also returned as an image.',
    'next_offset is the offset of the next part, or null at the end.',
  ].join('\n'),
  annotations: { readOnlyHint: true, openWorldHint: false },
  input: z.strictObject({
    ...OF_RUN,
    path: PATH.optional(),
    uri: z.string().optional().describe('Instead of the others: an address from links or files of a result.'),
    offset: Offset.optional().describe('First byte. Default: 0.'),
    length: z.int().min(1).max(MAX_READ_BYTES).optional().describe(`Bytes at most. Default: ${READ_BYTES}.`),
    encoding: z.enum(['auto', 'utf-8', 'base64']).optional().describe('Of the content. Default: auto.'),
  }),
  output: z.strictObject({
    path: z.string(),
    uri: FileUri,
    mime_type: z.string(),
    size: z.int().describe('Bytes of the whole file.'),
    offset: z.int(),
    length: z.int().describe('Bytes of this part.'),
    next_offset: z.int().nullable(),
    encoding: Encoding,
    content: z.string(),
  }),
  async call({ uri, offset = 0, length = READ_BYTES, encoding = 'auto', ...named }, call) {
    const address = readAddress(uri, named);
    if (typeof address === 'string') return failure(address);
    const { path } = address;
    const read = await readPart(call, address, { offset, length });
    if (!read.ok) return refused(read.error);
    const { size, mediaType, bytes } = read.value;
    const text = encoding === 'base64' ? null : textOf(bytes);
    if (!text && encoding === 'utf-8') return failure(`${printable(path)} is no UTF-8 text here; read it as base64.`);
    const taken = text?.bytes ?? bytes.length;
    const end = offset + taken;
    const content = text?.text ?? bytes.toString('base64');
    const fields = {
      path,
      uri: fileUri(address),
      mime_type: mediaType,
      size,
      offset,
      length: taken,
      next_offset: end < size && taken > 0 ? end : null,
      encoding: text ? ('utf-8' as const) : ('base64' as const),
      content,
    };
    const answer = success(fields, content);
    const isPicture = taken === size && PICTURES.includes(mediaType);
    if (isPicture) answer.content.push({ type: 'image', mimeType: mediaType, data: bytes.toString('base64') });
    return answer;
  },
});

const FileAnswer = z.strictObject({
  path: z.string(),
  type: z.enum(['file', 'folder', 'link', 'other']),
  size: z.int(),
  modified_at: z.string().describe('ISO 8601'),
  uri: z.string().nullable().describe('Address of a file as an MCP resource; null for anything else.'),
});

/** `list_files`. */
export const listFiles = defineTool({
  name: 'list_files',
  title: 'Session Files',
  description: 'Lists the files of a session or of one of its folders, or those that a run has made.',
  annotations: { readOnlyHint: true, openWorldHint: false },
  input: z.strictObject({
    ...OF_RUN,
    path: z.string().optional().describe('A folder. Default: the working directory.'),
    recursive: z.boolean().optional().describe('Also lists all folders below it. Default: false.'),
    limit: z.int().min(1).max(MAX_LIST).optional().describe(`Entries at most. Default: ${LIST}.`),
    cursor: z.string().optional().describe('next_cursor of the previous answer.'),
  }),
  output: z.strictObject({
    entries: z.array(FileAnswer),
    next_cursor: z.string().nullable(),
    free_bytes: z.int().nullable().describe('What the files of the session can still take; null for a run.'),
  }),
  async call(input, call) {
    const { path = '', session_id, run_id } = input;
    const source = addressOf({ session_id, run_id }, path);
    if (!source) return failure(ONE_OF);
    const listed = source.kind === 'run' ? keptFiles(source, call) : await sessionFiles(source, input, call);
    if (!listed.ok) return refused(listed.error);
    const { entries, next } = listed.value;
    const room = source.kind === 'session' ? await call.engine.files(source.id).room(call.signal) : null;
    if (room && !room.ok) return refused(room.error);
    const fields = entries.map((entry) => entryFields(source, entry));
    const lines = fields.map(({ type, size, path: name }) => `${type} ${size} ${printable(name)}`);
    const more = next === null ? [] : ['[more: next_cursor]'];
    const text = lines.length === 0 ? 'There are no files.' : [...lines, ...more].join('\n');
    return success({ entries: fields, next_cursor: next, free_bytes: room?.value ?? null }, text);
  },
});

/** `delete_file`. */
export const deleteFile = defineTool({
  name: 'delete_file',
  title: 'File Deletion',
  description: 'Deletes a file or a folder of a session. A link is deleted, not what it leads to.',
  annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: false },
  input: z.strictObject({
    session_id: SESSION_ID,
    path: PATH,
    recursive: z.boolean().optional().describe('Also deletes a folder that is not empty. Default: false.'),
  }),
  output: z.strictObject({ path: z.string(), files: z.int(), folders: z.int(), bytes: z.int() }),
  async call({ session_id, path, recursive = false }, { engine, signal }) {
    const removed = await engine.files(session_id).remove(path, { recursive }, signal);
    if (!removed.ok) return refused(removed.error);
    const { files, folders, others, bytes } = removed.value;
    const fields = { path, files: files + others, folders, bytes };
    return success(fields, `Deleted ${printable(path)}: ${fields.files} files, ${folders} folders, ${bytes} bytes.`);
  },
});

const ONE_OF = 'Give either session_id or run_id.';
const URI_FORM = 'Argument "uri" must be an address from a result, as in hothouse://runs/ID/output/stdout.txt.';

/** What `read_file` reads, or what its arguments lack. */
function readAddress(uri: string | undefined, { path, ...of }: Named): FileAddress | string {
  if (uri === undefined) {
    return path === undefined ? 'Argument "path" is required without "uri".' : (addressOf(of, path) ?? ONE_OF);
  }
  if (path !== undefined || Object.values(of).some((id) => id !== undefined)) {
    return 'Give either uri, or session_id or run_id with path.';
  }
  return parseFileUri(uri) ?? URI_FORM;
}

interface Named {
  readonly session_id?: string | undefined;
  readonly run_id?: string | undefined;
  readonly path?: string | undefined;
}

interface Listed {
  readonly entries: readonly FileEntry[];
  readonly next: string | null;
}

async function sessionFiles(
  { id, path }: FileAddress,
  {
    recursive = false,
    limit = LIST,
    cursor = '',
  }: { recursive?: boolean | undefined; limit?: number | undefined; cursor?: string | undefined },
  { engine, signal }: ToolCall,
): Promise<Result<Listed>> {
  const listed = await engine.files(id).list(path, { recursive, limit, cursor }, signal);
  return listed.ok ? { ok: true, value: { entries: listed.value.entries, next: listed.value.next } } : listed;
}

function keptFiles(source: FileAddress, { engine, owner }: ToolCall): Result<Listed> {
  const kept = runFilesOf(engine).filesOf(owner, source.id);
  if (!kept) return { ok: false, error: notKept({ ...source, path: source.path || '.' }) };
  const prefix = source.path === '' ? '' : `${source.path}/`;
  const entries = kept
    .filter(({ path }) => path.startsWith(prefix))
    .map(({ path, content, modifiedMs }) => ({ path, type: 'file' as const, size: content.length, modifiedMs }));
  return { ok: true, value: { entries, next: null } };
}

function entryFields(source: FileAddress, { path, type, size, modifiedMs }: FileEntry) {
  const uri = type === 'file' ? fileUri({ ...source, path }) : null;
  return { path, type, size, modified_at: new Date(modifiedMs).toISOString(), uri };
}

function uriOf(kind: FileAddress['kind'], id: string, path: string): string {
  return fileUri({ kind, id, path: path.replace(/^\/workspace\//, '') });
}

function addressOf({ session_id, run_id }: Omit<Named, 'path'>, given: string): FileAddress | null {
  const path = given.replace(/^\/workspace(\/|$)/, '');
  if (session_id !== undefined && run_id === undefined) return { kind: 'session', id: session_id, path };
  if (run_id !== undefined && session_id === undefined) return { kind: 'run', id: run_id, path };
  return null;
}
