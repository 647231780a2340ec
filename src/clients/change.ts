import { isDeepStrictEqual } from 'node:util';
import { createTwoFilesPatch, FILE_HEADERS_ONLY } from 'diff';
import { parse } from 'smol-toml';
import { type Client, entryFor, type Place, SERVER_NAME, type ServerProgram } from './client.ts';
import { type ClientFile, readClientFile } from './clientFile.ts';
import { type Edited, type Entry, isRecord } from './entry.ts';
import { editJson, readJson } from './jsonEntry.ts';
import { editToml } from './tomlEntry.ts';

/** A change of a client's file that is not yet written; `diff` is empty when the file already is as it should be. */
export interface Change {
  readonly client: Client;
  readonly file: ClientFile;
  readonly after: string;
  readonly diff: string;
}

/** A change, or why there is none, in one sentence with the next step. */
export type Planned = { readonly ok: true; readonly value: Change } | { readonly ok: false; readonly problem: string };

/** Plans to add Hothouse to a client, or with `program` null to remove it. Writes nothing. */
export async function planChange(client: Client, place: Place, program: ServerProgram | null): Promise<Planned> {
  const file = await readClientFile(client.file(place), client.isShared);
  if ('problem' in file) return { ok: false, problem: file.problem };
  const entry = program && entryFor(client, program);
  const path = [client.servers, SERVER_NAME] as const;
  const edited = edit(client, file.text, path, entry);
  if ('problem' in edited) return { ok: false, problem: `${file.path} ${edited.problem}. Correct it, and try again.` };
  if (edited.text !== file.text && isForeign(apart(read(client, file.text), client.servers).own)) {
    const next = entry ? 'Give it another name, and try again.' : 'It stays.';
    return {
      ok: false,
      problem: `${file.path} has another server "${SERVER_NAME}" in "${client.servers}", which Hothouse did not add. ${next}`,
    };
  }
  if (edited.text !== file.text && !isOnlyOurs(client, file.text, edited.text, entry)) {
    const wanted = JSON.stringify(entry);
    const next = entry ? `Set "${SERVER_NAME}" in "${client.servers}" to ${wanted} yourself.` : 'Remove it yourself.';
    return {
      ok: false,
      problem: `${file.path} has "${client.servers}" in a form that Hothouse does not edit. ${next}`,
    };
  }
  // Lines around the change may have secrets of others.
  const patch = () =>
    createTwoFilesPatch(file.path, file.path, file.text, edited.text, '', '', {
      context: 0,
      headerOptions: FILE_HEADERS_ONLY,
    });
  const diff = edited.text === file.text ? '' : patch();
  return { ok: true, value: { client, file, after: edited.text, diff } };
}

/** Edits the text after its byte order mark, if it has one. */
function edit({ format }: Client, text: string, path: readonly [string, string], entry: Entry | null): Edited {
  const mark = text.startsWith(BYTE_ORDER_MARK) ? BYTE_ORDER_MARK : '';
  const rest = text.slice(mark.length);
  const edited = format === 'toml' ? editToml(rest, path, entry) : editJson(rest, path, entry);
  return 'problem' in edited ? edited : { text: mark + edited.text };
}

const BYTE_ORDER_MARK = '\ufeff';

/** What a text says, which is valid. */
function read({ format }: Client, text: string): unknown {
  const rest = text.startsWith(BYTE_ORDER_MARK) ? text.slice(BYTE_ORDER_MARK.length) : text;
  return format === 'toml' ? parse(rest) : readJson(rest);
}

/** Whether an entry of our name starts or reaches another server: ours have the argument `mcp`, and no address. */
function isForeign(own: unknown): boolean {
  if (!isRecord(own)) return false;
  const { command, args } = own;
  if (typeof command === 'string') return !(Array.isArray(args) && args.includes('mcp'));
  return ['url', 'serverUrl', 'httpUrl'].some((key) => typeof own[key] === 'string');
}

/** Whether a new text says the same as the old one, except for our entry, which is as wanted. */
function isOnlyOurs(client: Client, before: string, after: string, entry: object | null): boolean {
  try {
    const [old, now] = [apart(read(client, before), client.servers), apart(read(client, after), client.servers)];
    return isDeepStrictEqual(old.rest, now.rest) && (entry ? includes(now.own, entry) : now.own === undefined);
  } catch {
    return false;
  }
}

/** Our entry, and all the rest; an object without any server is none. */
function apart(root: unknown, servers: string): { readonly own: unknown; readonly rest: unknown } {
  const plain: unknown = JSON.parse(
    JSON.stringify(root, (_, value) => (typeof value === 'bigint' ? `${value}` : value)),
  );
  if (!isRecord(plain)) return { own: undefined, rest: plain };
  const { [servers]: all, ...rest } = plain;
  if (!isRecord(all)) return { own: undefined, rest: plain };
  const { [SERVER_NAME]: own, ...others } = all;
  return { own, rest: { ...rest, ...(Object.keys(others).length > 0 && { [servers]: others }) } };
}

function includes(own: unknown, entry: object): boolean {
  return isRecord(own) && Object.entries(entry).every(([key, value]) => isDeepStrictEqual(own[key], value));
}
