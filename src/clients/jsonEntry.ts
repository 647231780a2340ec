import {
  applyEdits,
  createScanner,
  findNodeAtLocation,
  modify,
  type Node,
  type ParseError,
  parse,
  parseTree,
  printParseErrorCode,
} from 'jsonc-parser';
import { type Edited, type Entry, isRecord } from './entry.ts';

const TRAILING_COMMAS = { allowTrailingComma: true };

/** Sets or removes an entry in JSON with comments; everything else keeps its text. */
export function editJson(text: string, [servers, name]: readonly [string, string], entry: Entry | null): Edited {
  const source = text.trim() === '' ? '{}\n' : text;
  const errors: ParseError[] = [];
  const root: unknown = parse(source, errors, TRAILING_COMMAS);
  const [error] = errors;
  if (error) {
    return { problem: `is not valid JSON (${placeOf(source, error.offset)}: ${printParseErrorCode(error.error)})` };
  }
  if (!isRecord(root)) return { problem: 'has no object at its top' };
  const all = root[servers] ?? {};
  if (!isRecord(all)) return { problem: `has something else than an object in "${servers}"` };
  const old = all[name];
  if (entry === null) return { text: old === undefined ? text : removed(source, [servers, name]) };
  if (root[servers] === undefined) return { text: inserted(source, [], servers, { [name]: entry }) };
  if (old === undefined) return { text: inserted(source, [servers], name, entry) };
  if (!isRecord(old)) return { text: replaced(source, [servers, name], entry) };
  // What the user has added to the entry stays.
  const edited = Object.entries(entry)
    .filter(([key, value]) => JSON.stringify(old[key]) !== JSON.stringify(value))
    .reduce((edit, [key, value]) => {
      if (old[key] === undefined) return inserted(edit, [servers, name], key, value);
      return replaced(edit, [servers, name, key], value);
    }, source);
  return { text: edited === source ? text : edited };
}

/** The value of JSON with comments. */
export function readJson(text: string): unknown {
  return text.trim() === '' ? {} : parse(text, [], TRAILING_COMMAS);
}

function replaced(text: string, path: string[], value: unknown): string {
  return applyEdits(text, modify(text, path, value, {}));
}

/** Without a property and its comma: the library would also join the lines around it. Lines that only it has go with it. */
function removed(text: string, path: string[]): string {
  const root = parseTree(text, [], TRAILING_COMMAS);
  const property = root && findNodeAtLocation(root, path)?.parent;
  const siblings = property?.parent?.children ?? [];
  if (!property) return text;
  const before = siblings[siblings.indexOf(property) - 1];
  const comma = commaAfter(text, property);
  const [start, end] = wholeLines(text, property.offset, comma === null ? endOf(property) : comma + 1);
  const rest = text.slice(0, start) + text.slice(end);
  // The last property of several has the comma before it, unless one follows.
  const old = comma === null && before ? commaAfter(text, before) : null;
  return old === null ? rest : rest.slice(0, old) + rest.slice(old + 1);
}

function endOf({ offset, length }: Node): number {
  return offset + length;
}

/** Where the comma after a property is, past comments; null without one. */
function commaAfter(text: string, property: Node): number | null {
  const scanner = createScanner(text, true);
  scanner.setPosition(endOf(property));
  scanner.scan();
  const at = scanner.getTokenOffset();
  return text[at] === ',' ? at : null;
}

/** A range with its whole lines, when they have nothing else. */
function wholeLines(text: string, from: number, to: number): readonly [number, number] {
  const start = text.lastIndexOf('\n', from - 1) + 1;
  const [rest] = /^[ \t]*\r?\n/.exec(text.slice(to)) ?? [];
  const isAlone = rest !== undefined && text.slice(start, from).trim() === '';
  return isAlone ? [start, to + rest.length] : [from, to];
}

/** Puts a property at the start of an object: the library would format the property before it anew, and move its comment. */
function inserted(text: string, path: string[], key: string, value: unknown): string {
  const root = parseTree(text, [], TRAILING_COMMAS);
  const node: Node | undefined = root && findNodeAtLocation(root, path);
  if (!node) return text;
  const eol = text.includes('\r\n') ? '\r\n' : '\n';
  const [, unit = '  '] = /^([ \t]+)["}]/m.exec(text) ?? [];
  const indent = unit.repeat(path.length + 1);
  const json = JSON.stringify(value, null, unit).replaceAll('\n', `${eol}${indent}`);
  const start = node.offset + 1;
  const isAlone = (node.children ?? []).length === 0;
  const rest = text.slice(start);
  const needsBreak = !/^[ \t]*\r?\n/.test(rest);
  const end = needsBreak ? `${eol}${isAlone ? unit.repeat(path.length) : indent}` : '';
  const after = needsBreak ? rest.trimStart() : rest;
  return `${text.slice(0, start)}${eol}${indent}${JSON.stringify(key)}: ${json}${isAlone ? '' : ','}${end}${after}`;
}

function placeOf(text: string, offset: number): string {
  const before = text.slice(0, offset).split('\n');
  return `line ${before.length}, column ${(before.at(-1) ?? '').length + 1}`;
}
