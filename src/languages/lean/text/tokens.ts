import { blockCommentEnd, lineCommentEnd } from './blank.ts';
import { characterAt, identifierEnd } from './identifier.ts';
import { LineTable, type SourcePosition } from './position.ts';

/** A token of code, without white space and comments; an interpolated string is one token for each part between holes. */
export interface Token {
  readonly kind: 'name' | 'quotedName' | 'string' | 'char' | 'symbol';
  readonly start: number;
  readonly end: number;
}

/** Words before a string that has holes with code in braces. */
const INTERPOLATING = new Set(['s!', 'm!', 'f!', 'throwError', 'dbg_trace']);

/** How many pieces of code have their tokens cached, since the same code is used several times in a row. */
const KEPT = 4;
const kept = new Map<string, readonly Token[]>();

/** The tokens of `code` in order, as far as they are known without its notations. Never throws. */
export function tokensOf(code: string): readonly Token[] {
  const tokens = kept.get(code) ?? new Lexer(code).run();
  kept.delete(code);
  kept.set(code, tokens);
  for (const [oldest] of kept) if (kept.size > KEPT) kept.delete(oldest);
  return tokens;
}

const SPACES = /\s+/uy;
/** Characters that start no name, which most symbols are. */
const ASCII_SYMBOL = /[!#$%&()*+,.:;<=>?@[\]\\^{|}~]/;

class Lexer {
  readonly #code: string;
  readonly #tokens: Token[] = [];
  /** For each open hole, the number of braces open in it. */
  readonly #holes: number[] = [];
  /** The last end of an escaped name: a search for one after it would read to the end of the code. */
  readonly #lastClose: number;
  #offset = 0;

  constructor(code: string) {
    this.#code = code;
    this.#lastClose = code.lastIndexOf('»');
  }

  run(): Token[] {
    while (this.#offset < this.#code.length) this.#step();
    return this.#tokens;
  }

  #step(): void {
    const code = this.#code;
    const start = this.#offset;
    const unit = code[start] ?? '';
    SPACES.lastIndex = start;
    if (ASCII_SYMBOL.test(unit)) this.#symbol(unit);
    else if (SPACES.test(code)) this.#offset = SPACES.lastIndex;
    else if (code.startsWith('--', start)) this.#offset = lineCommentEnd(code, start);
    else if (code.startsWith('/-', start)) this.#offset = blockCommentEnd(code, start) ?? code.length;
    else if (unit === '"') this.#string(start, this.#interpolates());
    else if (unit === '`') this.#backquote(start);
    else if (rawStringStart(code, start)) this.#push('string', rawStringEnd(code, start));
    else if (unit === "'") this.#push(...apostrophe(code, start));
    else if (/^[0-9]$/.test(unit)) this.#push('symbol', numberEnd(code, start));
    else this.#nameOrSymbol();
  }

  #nameOrSymbol(): void {
    const start = this.#offset;
    const end = this.#nameEnd(start);
    if (end > start) this.#push('name', end);
    else this.#symbol(characterAt(this.#code, start));
  }

  #nameEnd(start: number): number {
    const neverEnds = this.#code[start] === '«' && start > this.#lastClose;
    return neverEnds ? start : identifierEnd(this.#code, start);
  }

  #push(kind: Token['kind'], end: number): void {
    this.#tokens.push({ kind, start: this.#offset, end });
    this.#offset = end;
  }

  #interpolates(): boolean {
    const last = this.#tokens.at(-1);
    return last?.kind === 'name' && INTERPOLATING.has(this.#code.slice(last.start, last.end));
  }

  /** Reads from after `start`, a quote or the brace that closes a hole, to the next of either. */
  #string(start: number, holes: boolean): void {
    const end = stringEnd(this.#code, start + 1, holes);
    this.#push('string', end);
    if (holes && this.#code[end - 1] === '{') this.#holes.push(0);
  }

  #backquote(start: number): void {
    const name = this.#code.startsWith('``', start) ? start + 2 : start + 1;
    const end = this.#nameEnd(name);
    if (end > name) this.#push('quotedName', end);
    else this.#push('symbol', name);
  }

  #symbol(character: string): void {
    const open = this.#holes.pop();
    if (open === 0 && character === '}') {
      this.#string(this.#offset, true);
      return;
    }
    if (open !== undefined) this.#holes.push(open + (character === '{' ? 1 : character === '}' ? -1 : 0));
    this.#push('symbol', this.#offset + character.length);
  }
}

/** The offset after the closing quote or, with holes, after the brace that opens one. */
function stringEnd(code: string, from: number, holes: boolean): number {
  for (let offset = from; offset < code.length; offset += 1) {
    const character = code[offset];
    if (character === '\\') offset += 1;
    else if (character === '"' || (holes && character === '{')) return offset + 1;
  }
  return code.length;
}

function rawStringStart(code: string, start: number): boolean {
  if (code[start] !== 'r') return false;
  return code[pastHashes(code, start + 1)] === '"';
}

function rawStringEnd(code: string, start: number): number {
  const quote = pastHashes(code, start + 1);
  const closing = `"${'#'.repeat(quote - start - 1)}`;
  const end = code.indexOf(closing, quote + 1);
  return end < 0 ? code.length : end + closing.length;
}

function pastHashes(code: string, from: number): number {
  let offset = from;
  while (code[offset] === '#') offset += 1;
  return offset;
}

const ESCAPED_CHAR = /'\\(?:x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|.)'/sy;
const PLAIN_CHAR = /'[^\\]'/suy;

/** A character literal, or the apostrophe of a notation. */
function apostrophe(code: string, start: number): ['char' | 'symbol', number] {
  for (const pattern of [ESCAPED_CHAR, PLAIN_CHAR]) {
    pattern.lastIndex = start;
    const found = pattern.exec(code);
    if (found) return ['char', start + found[0].length];
  }
  return ['symbol', start + 1];
}

const NUMBER = /[0-9][0-9A-Fa-f_xobXOB]*/y;

/** The offset after a number, whose letters, as in 0xff, are no name. */
function numberEnd(code: string, start: number): number {
  NUMBER.lastIndex = start;
  return start + (NUMBER.exec(code)?.[0].length ?? 1);
}

/** The place of a proof that was left out. */
export interface SorryToken extends SourcePosition {
  /** UTF-16 offset. */
  readonly offset: number;
}

/** The places of `sorry` and `admit` in code, for asking about goals. A verdict never depends on them. */
export function sorryTokens(code: string): SorryToken[] {
  const table = new LineTable(code);
  return tokensOf(code)
    .filter(({ kind, start, end }) => kind === 'name' && isSorry(code.slice(start, end)) && code[start - 1] !== '.')
    .map(({ start }) => ({ offset: start, ...table.sourcePositionAt(start) }));
}

function isSorry(word: string): boolean {
  return word === 'sorry' || word === 'admit';
}
