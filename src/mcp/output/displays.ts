import { z } from 'zod';
import type { Steps } from '../../base/slices.ts';
import type { Display, RunResult } from '../../engine/types.ts';
import { outOfRange } from '../outOfRange.ts';
import { htmlText } from './htmlText.ts';
import type { LongTexts } from './longTexts.ts';

/** Displays in one answer; more are omitted. */
export const MAX_DISPLAYS = 100;
/** Images in one answer; more are omitted. */
const MAX_PICTURES = 16;
/** Base64 characters of all images of an answer together: one of the largest size, or several smaller ones. */
const MAX_PICTURES_LENGTH = 5 * 1024 * 1024;
// APIs of models reject images over 5 MB of base64, and the whole conversation with them.
const MAX_PICTURE_BYTES = 3_750_000;

const SIGNATURES: readonly (readonly [mimeType: string, at: number, bytes: string])[] = [
  ['image/png', 0, '\x89PNG\r\n\x1a\n'],
  ['image/jpeg', 0, '\xff\xd8\xff'],
  ['image/gif', 0, 'GIF8'],
  ['image/webp', 8, 'WEBP'],
];

/** The payload of an image content item. */
export interface Picture {
  readonly mimeType: string;
  /** Base64. */
  readonly data: string;
}

/** A display of a run, without the bytes of its image; what says nothing is absent. */
export const DisplayAnswer = z.strictObject({
  mime_types: z.array(z.string()),
  texts: z
    .record(z.string(), z.string())
    .optional()
    .describe('Texts by MIME type. HTML and SVG are in links, as display-1.html of the first display.'),
  image_index: z.int().optional().describe('Index of its image among the image content items of this result.'),
  is_result: z.boolean().optional().describe('Whether it is the value of the last expression.'),
  truncated: z.boolean().optional().describe('Whether a text or an image was omitted.'),
});
export type DisplayAnswer = z.infer<typeof DisplayAnswer>;

/** Texts for programs, which a reader gets as links, and the extensions of texts. */
const LINKED = new Set(['text/html', 'image/svg+xml']);
const EXTENSIONS: Readonly<Record<string, string>> = {
  'text/html': 'html',
  'image/svg+xml': 'svg',
  'text/markdown': 'md',
  'text/latex': 'tex',
  'application/json': 'json',
};

/** Where the displays of an answer put their images and their long texts. */
export interface DisplayTargets {
  readonly pictures: Picture[];
  readonly texts: LongTexts;
}

/**
 * The first displays of a run; a result that is more than plain text comes last. `pictures` has those of the whole answer.
 */
export function* displaysOf(run: RunResult, targets: DisplayTargets): Steps<DisplayAnswer[]> {
  const shown = run.displays.slice(0, MAX_DISPLAYS).map(({ data }) => ({ data, isResult: false }));
  if (run.result && isRich(run.result)) shown.push({ data: run.result, isResult: true });
  const displays: DisplayAnswer[] = [];
  for (const [at, { data, isResult }] of shown.entries()) {
    displays.push(displayAnswer(data, isResult, `display-${at + 1}`, targets));
    yield;
  }
  return displays;
}

function displayAnswer(
  data: Display['data'],
  isResult: boolean,
  name: string,
  { pictures, texts }: DisplayTargets,
): DisplayAnswer {
  const picture = pictureOf(data);
  const image = picture && hasRoom(pictures, picture) ? pictures.push(picture) - 1 : null;
  const shown: Record<string, string> = {};
  const omittedBefore = texts.omitted;
  for (const [mimeType, content] of Object.entries(data).filter(([type]) => isText(type))) {
    const file = `${name}.${EXTENSIONS[mimeType] ?? 'txt'}`;
    if (LINKED.has(mimeType)) texts.link(file, mimeType, asText(content));
    // The plain text of the last expression's value is the answer's `result`.
    else if (!isResult || mimeType !== 'text/plain') shown[mimeType] = texts.shown(file, mimeType, asText(content));
  }
  const html = data['text/html'];
  if (html !== undefined && data['text/plain'] === undefined) shown['text/plain'] = htmlText(asText(html));
  const lacksImage = image === null && Object.keys(data).some((mimeType) => !isText(mimeType));
  return {
    mime_types: Object.keys(data),
    ...(Object.keys(shown).length > 0 && { texts: shown }),
    ...(image !== null && { image_index: image }),
    ...(isResult && { is_result: true }),
    ...((lacksImage || texts.omitted > omittedBefore) && { truncated: true }),
  };
}

function isRich(data: Display['data']): boolean {
  return Object.keys(data).some((mimeType) => mimeType !== 'text/plain');
}

function isText(mimeType: string): boolean {
  return mimeType.startsWith('text/') || mimeType === 'image/svg+xml' || /^application\/(.*\+)?json$/.test(mimeType);
}

function asText(content: unknown): string {
  if (typeof content === 'string') return content;
  // A replacer that looks at each value takes several times as long.
  return JSON.stringify(content, outOfRange([content]) === null ? undefined : infinityAsText);
}

/** JSON would write a number that a double cannot hold as null. */
function infinityAsText(_name: string, value: unknown): unknown {
  return typeof value === 'number' && !Number.isFinite(value) ? String(value) : value;
}

/** The first content of a display whose bytes are an image, or null. User code wrote the bytes. */
function pictureOf(data: Display['data']): Picture | null {
  for (const signature of SIGNATURES) {
    const content = data[signature[0]];
    const picture = typeof content === 'string' ? decode(signature, content) : null;
    if (picture) return picture;
  }
  return null;
}

/** Whether an answer with these images has room for one more. */
function hasRoom(pictures: readonly Picture[], { data }: Picture): boolean {
  const length = pictures.reduce((sum, picture) => sum + picture.data.length, 0);
  return pictures.length < MAX_PICTURES && length + data.length <= MAX_PICTURES_LENGTH;
}

function decode([mimeType, at, bytes]: (typeof SIGNATURES)[number], content: string): Picture | null {
  const decoded = Buffer.from(content, 'base64');
  if (decoded.length > MAX_PICTURE_BYTES) return null;
  if (decoded.toString('latin1', at, at + bytes.length) !== bytes) return null;
  return { mimeType, data: decoded.toString('base64') };
}
