import type { ParsedHeader } from './header.ts';
import { nameParts } from './identifier.ts';
import { LineTable, ORIGIN, type SourceRange } from './position.ts';

/** An import and its range. */
export interface ImportRange extends SourceRange {
  readonly name: string;
}

/** The imports of the code's header with their ranges, in order. */
export function importRanges(code: string, { places }: ParsedHeader): ImportRange[] {
  const table = new LineTable(code);
  return places.map(({ name, start, end }) => ({
    name,
    start: table.sourcePositionAt(start),
    end: table.sourcePositionAt(end),
  }));
}

/**
 * The range that a header error concerns. Servers report every header error at the start of the header, so this returns the
 * first import that the error names, or whose package it names. Falls back to all imports, then to the start of the text.
 */
export function rangeOfHeaderError(error: string, imports: readonly ImportRange[]): SourceRange {
  const words = new Set(error.match(/[\p{L}\p{M}\p{N}_«»!?]+(?:\.[\p{L}\p{M}\p{N}_«»!?]+)*/gu));
  const named = imports.find(({ name }) => words.has(name)) ?? imports.find(({ name }) => words.has(packageOf(name)));
  const [first] = imports;
  const all = { start: first?.start ?? ORIGIN, end: imports.at(-1)?.end ?? ORIGIN };
  const { start, end } = named ?? all;
  return { start, end };
}

function packageOf(name: string): string {
  return nameParts(name)?.[0] ?? name;
}
