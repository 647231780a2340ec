import { readFileSync } from 'node:fs';
import path from 'node:path';

/** A JSON-RPC message in a conversation. */
export type Message = Readonly<Record<string, unknown>>;

/** One line of a conversation between client and server. */
export interface ScriptLine {
  readonly from: 'client' | 'server';
  readonly message: Message;
}

const transcripts = path.resolve(import.meta.dirname, '../transcripts');

/** A recorded conversation by its file name without `.jsonl`, without the notes about missing messages. */
export function transcript(name: string): ScriptLine[] {
  const lines = readFileSync(path.join(transcripts, `${name}.jsonl`), 'utf8')
    .trimEnd()
    .split('\n');
  return lines.flatMap((line) => scriptLine(JSON.parse(line)));
}

/** A message that the client is expected to send. */
export function client(method: string, params: object, id?: number): ScriptLine {
  return { from: 'client', message: id === undefined ? { method, params } : { id, method, params } };
}

/** A notification of the server, or a request when it has an id. */
export function server(method: string, params: object, id?: number | string): ScriptLine {
  return { from: 'server', message: { jsonrpc: '2.0', method, params, ...(id === undefined ? {} : { id }) } };
}

/** The server's answer to request `id`. */
export function result(id: number, value: unknown = {}): ScriptLine {
  return { from: 'server', message: { jsonrpc: '2.0', id, result: value } };
}

/** The server's refusal of request `id`. */
export function refused(id: number, code: number, message = 'refused'): ScriptLine {
  return { from: 'server', message: { jsonrpc: '2.0', id, error: { code, message } } };
}

/** The start that every conversation has, with request 1. */
export const started: readonly ScriptLine[] = [
  client('initialize', {}, 1),
  result(1, { capabilities: {}, serverInfo: { name: 'Lean 4 Server', version: '0.3.0' } }),
  client('initialized', {}),
];

export const URI = 'file:///workspace/session.lean';

/** The messages about the document at `URI`, as current servers send and expect them. */
export const session = {
  opened: (version: number, text: string) =>
    client('textDocument/didOpen', { textDocument: { uri: URI, languageId: 'lean4', version, text } }),
  changed: (version: number, ...contentChanges: readonly object[]) =>
    client('textDocument/didChange', { textDocument: { uri: URI, version }, contentChanges }),
  closed: () => client('textDocument/didClose', { textDocument: { uri: URI } }),
  waited: (id: number, version: number) => client('textDocument/waitForDiagnostics', { uri: URI, version }, id),
  published: (version: number | undefined, diagnostics: readonly object[], more: object = {}) =>
    server('textDocument/publishDiagnostics', { uri: URI, version, diagnostics, ...more }),
  progress: (version: number, processing: readonly object[]) =>
    server('$/lean/fileProgress', { textDocument: { uri: URI, version }, processing }),
};

/** A range within one line. */
export function range(line: number, from: number, to: number) {
  return { start: { line, character: from }, end: { line, character: to } };
}

/** A diagnostic in one line, as current servers send it. */
export function diagnostic(line: number, severity: number, message: string, more: object = {}) {
  const span = range(line, 0, 5);
  return { range: span, fullRange: span, severity, message, source: 'Lean 4', ...more };
}

function scriptLine(line: unknown): ScriptLine[] {
  if (!isObject(line) || !isObject(line.message)) return [];
  return [{ from: line.from === 'client' ? 'client' : 'server', message: line.message }];
}

export function isObject(value: unknown): value is Message {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
