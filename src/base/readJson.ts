import { type JsonLimits, outlineOf } from './jsonOutline.ts';
import type { LargeContainer, LargeValue, Segment } from './jsonSegments.ts';
import type { Steps } from './slices.ts';

/** The value of a JSON text, or why it is invalid. */
export type ReadJson =
  | { readonly kind: 'json'; readonly value: unknown }
  | { readonly kind: 'invalid'; readonly reason: string };

/** Parses JSON in pieces, since parsing many megabytes at once blocks the event loop. */
export function* readJson(json: Buffer, limits: JsonLimits): Steps<ReadJson> {
  const whole = isWithin(json, limits) ? parsed(json) : null;
  if (whole) return whole;
  const outline = yield* outlineOf(json, limits);
  if (outline.kind === 'invalid') return outline;
  try {
    const [value, ...more] = (yield* readContainer(json, outline.root)) as unknown[];
    if (value !== undefined && more.length === 0) return { kind: 'json', value };
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
  }
  return { kind: 'invalid', reason: 'It is not JSON.' };
}

/** Whether a text is too short to exceed a limit: a level takes two bytes, and no byte counts as more than two values. */
function isWithin(json: Buffer, { depth, values, topMembers, loneSurrogates }: JsonLimits): boolean {
  const { length } = json;
  const isShort = length <= 2 * depth && length <= topMembers && 2 * length < values;
  return isShort && (loneSurrogates || !json.includes('\\u'));
}

function parsed(json: Buffer): ReadJson | null {
  try {
    return { kind: 'json', value: JSON.parse(json.toString('utf8')) };
  } catch {
    return null;
  }
}

function* readLarge(json: Buffer, value: LargeValue): Steps<unknown> {
  return value.kind === 'text' ? yield* readText(json, value) : yield* readContainer(json, value);
}

function* readText(json: Buffer, { start, end, cuts }: LargeValue & { kind: 'text' }): Steps<string> {
  const pieces: string[] = [];
  let from = start + 1;
  for (const to of [...cuts, end - 1]) {
    pieces.push(JSON.parse(`"${json.toString('utf8', from, to)}"`));
    from = to;
    yield;
  }
  return pieces.join('');
}

function* readContainer(json: Buffer, { kind, segments }: LargeContainer): Steps<object> {
  const whole = kind === 'list' ? [] : {};
  for (const segment of segments) {
    if (segment.large) put(whole, nameOf(json, segment, segment.large, kind), yield* readLarge(json, segment.large));
    else if (!addSmall(whole, json.toString('utf8', segment.start, segment.end)) && segments.length > 1)
      throw nothing();
    yield;
  }
  return whole;
}

/** Adds the elements that `text` lists; returns whether there are any. */
function addSmall(whole: object, text: string): boolean {
  const parts: object = JSON.parse(Array.isArray(whole) ? `[${text}]` : `{${text}}`);
  if (Array.isArray(parts)) {
    for (const part of parts) put(whole, '', part);
    return parts.length > 0;
  }
  const members = Object.entries(parts);
  for (const [name, part] of members) put(whole, name, part);
  return members.length > 0;
}

function nothing(): SyntaxError {
  return new SyntaxError('There is nothing between two commas.');
}

/** The name of a member whose value is large. Throws `SyntaxError` when anything else is around that value. */
function nameOf(json: Buffer, segment: Segment, large: LargeValue, kind: LargeContainer['kind']): string {
  const before = json.toString('utf8', segment.start, large.start);
  const around = `${before}0${json.toString('utf8', large.end, segment.end)}`;
  const [[name = ''] = []] = Object.entries(JSON.parse(kind === 'list' ? `[${around}]` : `{${around}}`));
  return name;
}

function put(whole: object, name: string, value: unknown): void {
  if (Array.isArray(whole)) whole.push(value);
  // As JSON's parser does: assigning this one would set the prototype.
  else if (name === '__proto__') Object.defineProperty(whole, name, { value, ...MEMBER });
  else (whole as Record<string, unknown>)[name] = value;
}

const MEMBER = { configurable: true, enumerable: true, writable: true };
