/** Bytes that are read in one step; a value of more is read in several. */
export const PIECE_BYTES = 64 * 1024;

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

/** A list or object whose end is not read yet. */
export interface OpenContainer {
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

/** A list or object that begins at `start`. */
export function opened(kind: OpenContainer['kind'], start: number): OpenContainer {
  return { kind, start, segments: [], from: start + 1, member: start + 1, large: null };
}

/** The list or object when its closing bracket is at `at`. */
export function ended(open: OpenContainer, at: number): LargeContainer {
  const { kind, start, segments } = open;
  endMember(open, at, 0);
  return { kind, start, end: at + 1, segments };
}

/** Ends a segment with the member that ends at `at`, when its value is large or the segment is. */
export function endMember(open: OpenContainer, at: number, enough: number): void {
  const { segments, from, member, large } = open;
  if (large && member > from) segments.push({ start: from, end: member - 1, large: null });
  if (large) segments.push({ start: member, end: at, large });
  else if (at - from >= enough) segments.push({ start: from, end: at, large: null });
  if (large || at - from >= enough) open.from = at + 1;
  open.large = null;
  open.member = at + 1;
}
