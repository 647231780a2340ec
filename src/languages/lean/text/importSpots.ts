import type { ParsedHeader } from './header.ts';
import { nameParts } from './identifier.ts';
import { LineTable, ORIGIN, type Spot } from './position.ts';

/** A stretch of a caller's text. */
export interface Spots {
  readonly start: Spot;
  readonly end: Spot;
}

/** An import and where it stands. */
export interface ImportSpots extends Spots {
  readonly name: string;
}

/** Where the imports stand in the code whose header this is. */
export function importsIn(code: string, { places }: ParsedHeader): ImportSpots[] {
  const table = new LineTable(code);
  return places.map(({ name, start, end }) => ({ name, start: table.spotAt(start), end: table.spotAt(end) }));
}

/**
 * What an error in a header is about. Servers place all of them at its beginning, so that it is the first import that the
 * error names, or whose package it names; else all imports, and without any the beginning of the text.
 */
export function importSpots(error: string, imports: readonly ImportSpots[]): Spots {
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
