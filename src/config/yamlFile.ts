import { readFile } from 'node:fs/promises';
import { type DocumentOptions, type ParseOptions, parse, type SchemaOptions, YAMLParseError } from 'yaml';
import { messageOf } from '../base/log.ts';

/** What a YAML file holds. */
export type YamlFile =
  | { readonly kind: 'values'; readonly values: unknown }
  | { readonly kind: 'absent' }
  | { readonly kind: 'unreadable'; readonly message: string };

type YamlOptions = ParseOptions & DocumentOptions & SchemaOptions;

/** As PyYAML reads a file: YAML 1.1, and of two equal keys the last one counts. */
export const LIKE_PYYAML: YamlOptions = { version: '1.1', uniqueKeys: false };

/** The time of the search for equal keys grows with the square of a file's size. */
const MAX_BYTES = 256 * 1024;

/** Reads a YAML file in UTF-8, or in UTF-16 with its mark; its values are null or a mapping. */
export async function readYaml(path: string, options: YamlOptions = {}): Promise<YamlFile> {
  const unreadable = (why: string): YamlFile => ({ kind: 'unreadable', message: `${path} was ignored: ${why}` });
  try {
    const bytes = await readFile(path);
    if (bytes.length > MAX_BYTES) return unreadable(`it has more than ${MAX_BYTES} bytes.`);
    const values: unknown = parse(textOf(bytes), options);
    if (!isMapping(values)) return unreadable('it is not a mapping of keys to values.');
    return hasCycle(values) ? unreadable('a value contains itself.') : { kind: 'values', values };
  } catch (error) {
    return isAbsent(error) ? { kind: 'absent' } : unreadable(reason(error));
  }
}

/** Editors and shells of Windows write UTF-16. */
function textOf(bytes: Buffer): string {
  const mark = bytes.toString('hex', 0, 2);
  const encoding = { fffe: 'utf-16le', feff: 'utf-16be' }[mark] ?? 'utf-8';
  return new TextDecoder(encoding).decode(bytes);
}

function isMapping(values: unknown): boolean {
  return values === null || (typeof values === 'object' && !Array.isArray(values));
}

/** Whether an alias is inside of what it names. */
function hasCycle(value: unknown, above: readonly unknown[] = []): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return above.includes(value) || Object.values(value).some((inner) => hasCycle(inner, [...above, value]));
}

function isAbsent(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOENT';
}

function reason(error: unknown): string {
  if (!(error instanceof YAMLParseError)) return messageOf(error);
  const line = error.linePos?.[0].line;
  return `it is not valid YAML${line === undefined ? '' : `, line ${line}`} (${error.code}).`;
}
