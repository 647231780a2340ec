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

/** Reads a YAML file. */
export async function readYaml(path: string, options: YamlOptions = {}): Promise<YamlFile> {
  try {
    return { kind: 'values', values: parse(await readFile(path, 'utf8'), options) };
  } catch (error) {
    if (isAbsent(error)) return { kind: 'absent' };
    return { kind: 'unreadable', message: `${path} was ignored: ${reason(error)}` };
  }
}

function isAbsent(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOENT';
}

function reason(error: unknown): string {
  if (!(error instanceof YAMLParseError)) return messageOf(error);
  const line = error.linePos?.[0].line;
  return `it is not valid YAML${line === undefined ? '' : `, line ${line}`} (${error.code}).`;
}
