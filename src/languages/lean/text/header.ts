import { type Blanks, skipBlank } from './blank.ts';
import { identifierEnd } from './identifier.ts';

/** One import with its modifiers. */
export interface Import {
  /** The module's name as written. */
  readonly name: string;
  readonly public: boolean;
  readonly meta: boolean;
  readonly all: boolean;
  /** A modifier of early Lean 4. */
  readonly runtime: boolean;
}

/** The part of a file before its first command. */
export interface Header {
  readonly imports: readonly Import[];
  readonly prelude: boolean;
  readonly isModule: boolean;
  /** One line for each keyword or import, without comments and repetitions; empty for an empty header. */
  readonly text: string;
}

/** The place of an import in code, as UTF-16 offsets; `end` is exclusive. */
export interface ImportPlace {
  readonly name: string;
  readonly start: number;
  readonly end: number;
}

/** The header at the start of code. */
export interface ParsedHeader extends Header {
  /** The UTF-16 offset after its last word, 0 for an empty header. */
  readonly end: number;
  /** The place of each import, repetitions included. */
  readonly places: readonly ImportPlace[];
  /** Imports that current Lean refuses where they are but an early version follows, so a policy must check them too. */
  readonly stray: readonly Import[];
}

/** The header without imports. */
export const EMPTY_HEADER: Header = headerOf({ imports: [], prelude: false, isModule: false });

/** Parses the header of `code`; text that Lean does not accept in a header belongs to the code after it. */
export function parseHeader(code: string): ParsedHeader {
  const { end, places, ...found } = read(new Words(code, 'current'));
  const known = new Set(found.imports.map(importText));
  const stray = read(new Words(code, 'any')).imports.filter((entry) => !known.has(importText(entry)));
  return { ...headerOf(found), end, places, stray };
}

/** The imports of `a`, then the new ones of `b`; the keywords are those of `a`, or of `b` if `a` is empty. */
export function joinHeaders(a: Header, b: Header): Header {
  const { prelude, isModule } = a.text === '' ? b : a;
  return headerOf({ imports: [...a.imports, ...b.imports], prelude, isModule });
}

/** Equal for headers with the same imports in the same order, however they are written. */
export function headerKey(header: Header): string {
  return header.text;
}

function headerOf({ imports, prelude, isModule }: Omit<Header, 'text'>): Header {
  const distinct = [...new Map(imports.map((entry) => [importText(entry), entry])).entries()];
  const lines = [...(isModule ? ['module'] : []), ...(prelude ? ['prelude'] : []), ...distinct.map(([text]) => text)];
  return {
    imports: distinct.map(([, entry]) => entry),
    prelude,
    isModule,
    text: lines.map((line) => `${line}\n`).join(''),
  };
}

function importText(entry: Import): string {
  const before = [...(entry.public ? ['public'] : []), ...(entry.meta ? ['meta'] : [])];
  const after = [...(entry.all ? ['all'] : []), ...(entry.runtime ? ['runtime'] : [])];
  return [...before, 'import', ...after, entry.name].join(' ');
}

function read(words: Words): Omit<Header, 'text'> & Pick<ParsedHeader, 'end' | 'places'> {
  const isModule = words.take('module');
  const prelude = words.take('prelude');
  const imports: Import[] = [];
  const places: ImportPlace[] = [];
  for (let start = words.start, next = readImport(words); next; start = words.start, next = readImport(words)) {
    imports.push(next);
    places.push({ name: next.name, start, end: words.end });
  }
  return { imports, prelude, isModule, places, end: words.end };
}

function readImport(words: Words): Import | null {
  const start = words.end;
  const before = { public: words.take('public'), meta: words.take('meta') };
  if (words.take('import')) {
    const flags = { all: words.takeBeforeName('all'), runtime: words.takeBeforeName('runtime') };
    const name = words.takeName();
    if (name !== null) return { name, ...before, ...flags };
  }
  words.end = start;
  return null;
}

const RESERVED = new Set(['module', 'prelude', 'public', 'meta', 'import']);

/** Reads the words of a header in order. */
class Words {
  /** The offset after the last word taken. */
  end = 0;
  readonly #code: string;
  readonly #blanks: Blanks;

  constructor(code: string, blanks: Blanks) {
    this.#code = code;
    this.#blanks = blanks;
  }

  /** The offset of the next word. */
  get start(): number {
    return skipBlank(this.#code, this.end, this.#blanks);
  }

  take(word: string): boolean {
    const next = this.#next();
    if (next.text !== word) return false;
    this.end = next.end;
    return true;
  }

  takeName(): string | null {
    const { text, end } = this.#next();
    if (text === '' || RESERVED.has(text)) return null;
    this.end = end;
    return text;
  }

  /** Takes a word that is a modifier if a name follows, and a name itself otherwise. */
  takeBeforeName(word: string): boolean {
    const start = this.end;
    const isModifier = this.take(word) && this.takeName() !== null;
    this.end = start;
    return isModifier && this.take(word);
  }

  #next(): { text: string; end: number } {
    const { start } = this;
    const end = identifierEnd(this.#code, start);
    return { text: this.#code.slice(start, end), end };
  }
}
