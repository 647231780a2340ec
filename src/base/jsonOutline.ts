import type { Steps } from './slices.ts';

/** Bounds of the JSON that a reader accepts. */
export interface JsonLimits {
  /** Levels of lists and objects. */
  readonly depth: number;
  /** Values, where a member of an object counts as three: parsers and validators take so much longer for a key. */
  readonly values: number;
  /** Members in the first three levels together: validators copy these several times. */
  readonly topMembers: number;
  /** Whether half of an escaped surrogate pair, which no UTF-8 can carry, is accepted. */
  readonly loneSurrogates: boolean;
}

const TOP_LEVELS = 3;
/** Bytes that are read in one step; a value of more is read in several. */
const PIECE_BYTES = 64 * 1024;

const KEY_VALUES = 2;
/** Names of the place where a message has too many values, as in `params.arguments.state`. */
const PLACE_NAMES = 3;
const PLACE_BYTES = 100;

const [QUOTE, BACKSLASH, COMMA, COLON] = [0x22, 0x5c, 0x2c, 0x3a];
const [OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d];

/** A value of more than `PIECE_BYTES`, by the offsets of its first byte and after its last one. */
export type LargeValue =
  | { readonly kind: 'text'; readonly start: number; readonly end: number; readonly cuts: readonly number[] }
  | LargeContainer;

/** A list or object, in segments that a comma separates. */
export interface LargeContainer {
  readonly kind: 'list' | 'object';
  readonly start: number;
  readonly end: number;
  readonly segments: readonly Segment[];
}

/** Either several small values or members, or a single one whose value is large. */
export interface Segment {
  readonly start: number;
  readonly end: number;
  readonly large: LargeValue | null;
}

/** The outline of a JSON text, or why it is invalid. */
type Outline =
  | { readonly kind: 'outline'; readonly root: LargeContainer }
  | { readonly kind: 'invalid'; readonly reason: string };

interface Open {
  readonly kind: 'list' | 'object';
  readonly start: number;
  readonly segments: Segment[];
  /** Start of the current segment. */
  from: number;
  /** Start of the current value or member. */
  member: number;
  /** Its value, when that is large and has ended. */
  large: LargeValue | null;
}

/**
 * Finds where JSON can be split into pieces that parse quickly, and rejects text with too many levels or values. The root
 * is a list around the text. Text that is not JSON returns either result.
 */
export function* outlineOf(json: Buffer, limits: JsonLimits): Steps<Outline> {
  const scan = new Scan(json, limits);
  for (let end = PIECE_BYTES; scan.reason === null && end < json.length; end += PIECE_BYTES) {
    scan.advance(end);
    yield;
  }
  return scan.finish();
}

class Scan {
  /** Why the text is refused. */
  reason: string | null = null;
  readonly #json: Buffer;
  readonly #limits: JsonLimits;
  readonly #root: Open = opened('list', -1);
  readonly #outer: Open[] = [];
  #top = this.#root;
  #at = 0;
  #values = 1;
  #topMembers = 0;
  #text: { readonly start: number; readonly cuts: number[] } | null = null;

  constructor(json: Buffer, limits: JsonLimits) {
    this.#json = json;
    this.#limits = limits;
  }

  /** Advances to an offset, or a little beyond. */
  advance(to: number): void {
    while (this.#at < to && this.reason === null) {
      if (this.#text) this.#passText(this.#text, to);
      else this.#take(this.#json[this.#at]);
    }
  }

  finish(): Outline {
    this.advance(this.#json.length);
    if (this.reason !== null) return { kind: 'invalid', reason: this.reason };
    if (this.#text || this.#outer.length > 0) return { kind: 'invalid', reason: 'It is not JSON.' };
    return { kind: 'outline', root: ended(this.#root, this.#json.length) };
  }

  #take(byte: number | undefined): void {
    if (byte === QUOTE) this.#text = { start: this.#at, cuts: [] };
    else if (byte === COMMA) this.#separate();
    else if (byte === COLON) this.#name();
    else if (byte === OPEN_LIST) this.#open('list');
    else if (byte === OPEN_OBJECT) this.#open('object');
    else if (byte === CLOSE_LIST) this.#close('list');
    else if (byte === CLOSE_OBJECT) this.#close('object');
    this.#at += 1;
  }

  #passText(text: { readonly start: number; readonly cuts: number[] }, to: number): void {
    const json = this.#json;
    let at = Math.max(this.#at, text.start + 1);
    for (; at < to; at += 1) {
      const byte = json[at];
      if (byte === QUOTE) break;
      if (byte !== BACKSLASH) continue;
      const length = escapeLength(json, at);
      if (length > 0) at += length - 1;
      else if (this.#limits.loneSurrogates) at += UNIT_ESCAPE - 1;
      else {
        this.reason = 'It has half of a surrogate pair.';
        return;
      }
    }
    if (at < to) {
      this.#at = at + 1;
      this.#text = null;
      const { start, cuts } = text;
      if (this.#at - start > PIECE_BYTES) this.#top.large = { kind: 'text', start, end: this.#at, cuts };
      return;
    }
    while (((json[at] ?? 0) & 0xc0) === 0x80) at += 1;
    text.cuts.push(at);
    this.#at = at;
  }

  #separate(): void {
    this.#count(1);
    endMember(this.#top, this.#at, PIECE_BYTES);
  }

  #name(): void {
    this.#count(KEY_VALUES);
    // The text before the colon was a key.
    this.#top.large = null;
    if (this.#outer.length > TOP_LEVELS) return;
    this.#topMembers += 1;
    const { topMembers } = this.#limits;
    if (this.#topMembers <= topMembers) return;
    this.reason = `It has more than ${topMembers} members in its first ${TOP_LEVELS} levels.`;
  }

  #open(kind: Open['kind']): void {
    this.#outer.push(this.#top);
    this.#top = opened(kind, this.#at);
    this.#count(1);
    const { depth } = this.#limits;
    if (this.#outer.length > depth) this.reason = `It has more than ${depth} levels.`;
  }

  #close(kind: Open['kind']): void {
    const outer = this.#outer.pop();
    if (outer && kind === this.#top.kind) {
      if (this.#at - this.#top.start > PIECE_BYTES) outer.large = ended(this.#top, this.#at);
      this.#top = outer;
    } else this.reason = 'It is not JSON.';
  }

  #count(values: number): void {
    this.#values += values;
    const most = this.#limits.values;
    if (this.#values <= most) return;
    const place = [...this.#outer, this.#top].slice(1, 1 + PLACE_NAMES).flatMap((open) => this.#nameIn(open) ?? []);
    const where = place.length > 0 ? `; it is in ${place.join('.')} that they become too many` : '';
    this.reason = `It has more than ${most} values, where a member of an object counts as three${where}.`;
  }

  /** The name of the current member, when it is short and plain. */
  #nameIn({ member }: Open): string | undefined {
    return /^\s*"(\w+)"\s*:/.exec(this.#json.toString('latin1', member, member + PLACE_BYTES))?.[1];
  }
}

function opened(kind: Open['kind'], start: number): Open {
  return { kind, start, segments: [], from: start + 1, member: start + 1, large: null };
}

function ended(open: Open, at: number): LargeContainer {
  const { kind, start, segments } = open;
  endMember(open, at, 0);
  return { kind, start, end: at + 1, segments };
}

/** Ends a segment with the member that ends at `at`, when its value is large or the segment is. */
function endMember(open: Open, at: number, enough: number): void {
  const { segments, from, member, large } = open;
  if (large && member > from) segments.push({ start: from, end: member - 1, large: null });
  if (large) segments.push({ start: member, end: at, large });
  else if (at - from >= enough) segments.push({ start: from, end: at, large: null });
  if (large || at - from >= enough) open.from = at + 1;
  open.large = null;
  open.member = at + 1;
}

const [U, UPPER_D, LOWER_D] = [...'uDd'].map((character) => character.charCodeAt(0));
/** Bytes of `\\ud83d`. */
const UNIT_ESCAPE = 6;
const SHORT_ESCAPE = 2;

/** Bytes of the escape at a backslash, both of a surrogate pair together; 0 for half of one. */
function escapeLength(json: Uint8Array, at: number): number {
  if (json[at + 1] !== U) return SHORT_ESCAPE;
  switch (surrogateAt(json, at)) {
    case 'high':
      return surrogateAt(json, at + UNIT_ESCAPE) === 'low' ? 2 * UNIT_ESCAPE : 0;
    case 'low':
      return 0;
    case null:
      return UNIT_ESCAPE;
  }
}

/** Which half of a pair a hexadecimal digit after `\\ud` is, by its character code. */
const HALVES: readonly ('high' | 'low' | null)[] = Array.from({ length: 256 }, (_, code) => {
  const digit = Number.parseInt(String.fromCharCode(code), 16);
  if (digit >= 0xc) return 'low';
  return digit >= 8 ? 'high' : null;
});

/** Which half the escape at a place is, if it is one. */
function surrogateAt(json: Uint8Array, at: number): 'high' | 'low' | null {
  if (json[at + 1] !== U || json[at] !== BACKSLASH) return null;
  if (json[at + 2] !== LOWER_D && json[at + 2] !== UPPER_D) return null;
  return HALVES[json[at + 3] ?? 0] ?? null;
}
