import { blockCommentEnd, lineCommentEnd } from './blank.ts';
import { characterAt, identifierEnd } from './identifier.ts';
import { LineTable, type SourcePosition } from './position.ts';

/** A piece of code that is neither white space nor comment; an interpolated string comes as its parts between holes. */
export interface Token {
  readonly kind: 'name' | 'quotedName' | 'string' | 'char' | 'symbol';
  readonly start: number;
  readonly end: number;
}

/** Words whose string has holes with code in braces. */
const INTERPOLATING = new Set(['s!', 'm!', 'f!', 'throwError', 'dbg_trace']);

/** Code whose tokens are kept: the same code is asked of again and again. */
const KEPT = 4;
const kept = new Map<string, readonly Token[]>();

/** The tokens of `code` in order, as far as they can be told without its notations; never throws. */
export function tokensOf(code: string): readonly Token[] {
  const tokens = kept.get(code) ?? new Lexer(code).run();
  kept.delete(code);
  kept.set(code, tokens);
  for (const [oldest] of kept) if (kept.size > KEPT) kept.delete(oldest);
  return tokens;
}

const SPACES = /\s+/uy;
/** Characters that no name begins with, as most symbols are. */
const ASCII_SYMBOL = /[!#$%&()*+,.:;<=>?@[\]\\^{|}~]/;

class Lexer {
  readonly #code: string;
  readonly #tokens: Token[] = [];
  /** For each hole that is open, the braces open in it. */
  readonly #holes: number[] = [];
  /** Behind it no escaped name ends; each that begins there would be looked for to the end of the code. */
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

  /** From behind `start`, which is a quote or the brace that closes a hole, to the next of either. */
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

/** Behind the closing quote or, with holes, behind the brace that opens one. */
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

/** A character literal, or an apostrophe that some notation uses. */
function apostrophe(code: string, start: number): ['char' | 'symbol', number] {
  for (const pattern of [ESCAPED_CHAR, PLAIN_CHAR]) {
    pattern.lastIndex = start;
    const found = pattern.exec(code);
    if (found) return ['char', start + found[0].length];
  }
  return ['symbol', start + 1];
}

const NUMBER = /[0-9][0-9A-Fa-f_xobXOB]*/y;

/** One word: the letters of 0xff are no name. */
function numberEnd(code: string, start: number): number {
  NUMBER.lastIndex = start;
  return start + (NUMBER.exec(code)?.[0].length ?? 1);
}

/** Where a proof was left out. */
export interface SorryToken extends SourcePosition {
  /** UTF-16 offset. */
  readonly offset: number;
}

/** The places of `sorry` and `admit` in code: where to ask for goals, and never a reason for a verdict. */
export function sorryTokens(code: string): SorryToken[] {
  const table = new LineTable(code);
  return tokensOf(code)
    .filter(({ kind, start, end }) => kind === 'name' && isSorry(code.slice(start, end)) && code[start - 1] !== '.')
    .map(({ start }) => ({ offset: start, ...table.sourcePositionAt(start) }));
}

function isSorry(word: string): boolean {
  return word === 'sorry' || word === 'admit';
}
