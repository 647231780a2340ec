import { escapeLength, UNIT_ESCAPE } from './jsonEscapes.ts';
import { ended, endMember, type LargeContainer, type OpenContainer, opened, PIECE_BYTES } from './jsonSegments.ts';
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
const KEY_VALUES = 2;
/** Names of the place where a message has too many values, as in `params.arguments.state`. */
const PLACE_NAMES = 3;
const PLACE_BYTES = 100;

const [QUOTE, BACKSLASH, COMMA, COLON] = [0x22, 0x5c, 0x2c, 0x3a];
const [OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d];

/** The outline of a JSON text, or why it is invalid. */
type Outline =
  | { readonly kind: 'outline'; readonly root: LargeContainer }
  | { readonly kind: 'invalid'; readonly reason: string };

/**
 * Finds where JSON can be split into pieces that parse quickly, and rejects text with too many levels or values. The
 * root is a list around the text. Text that is not JSON returns either result.
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
  /** Why the text is invalid; null so far. */
  reason: string | null = null;
  readonly #json: Buffer;
  readonly #limits: JsonLimits;
  readonly #root: OpenContainer = opened('list', -1);
  readonly #outer: OpenContainer[] = [];
  #top = this.#root;
  #at = 0;
  #values = 1;
  #topMembers = 0;
  #text: { readonly start: number; readonly cuts: number[] } | null = null;

  constructor(json: Buffer, limits: JsonLimits) {
    this.#json = json;
    this.#limits = limits;
  }

  /** Advances to an offset, or slightly beyond. */
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

  #open(kind: OpenContainer['kind']): void {
    this.#outer.push(this.#top);
    this.#top = opened(kind, this.#at);
    this.#count(1);
    const { depth } = this.#limits;
    if (this.#outer.length > depth) this.reason = `It has more than ${depth} levels.`;
  }

  #close(kind: OpenContainer['kind']): void {
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
  #nameIn({ member }: OpenContainer): string | undefined {
    return /^\s*"(\w+)"\s*:/.exec(this.#json.toString('latin1', member, member + PLACE_BYTES))?.[1];
  }
}
