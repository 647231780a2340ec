import { z } from 'zod';
import type { Steps } from '../base/slices.ts';
import type { Display, RunResult } from '../engine/types.ts';
import { clip, MAX_TEXT } from '../languages/languageTools.ts';
import { outOfRange } from './outOfRange.ts';

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

/** A display of a run, without the bytes of its image. */
export const DisplayAnswer = z.strictObject({
  mime_types: z.array(z.string()),
  texts: z
    .record(z.string(), z.string())
    .describe('Text representations (plain, HTML, Markdown, LaTeX, SVG, JSON) by MIME type.'),
  image_index: z.int().nullable().describe('Index of its image among the image content items of this result.'),
  is_result: z.boolean().describe('Whether it is the value of the last expression.'),
  truncated: z.boolean().describe('Whether a text was cut or an image omitted.'),
});
export type DisplayAnswer = z.infer<typeof DisplayAnswer>;

/**
 * The displays of a run; a result that is more than plain text comes last. Their images are added to `pictures`, which has
 * those of the whole answer.
 */
export function* displaysOf(run: RunResult, pictures: Picture[]): Steps<DisplayAnswer[]> {
  const shown = run.displays.map(({ data }) => ({ data, isResult: false }));
  if (run.result && isRich(run.result)) shown.push({ data: run.result, isResult: true });
  const displays: DisplayAnswer[] = [];
  for (const { data, isResult } of shown) {
    displays.push(displayAnswer(data, isResult, pictures));
    yield;
  }
  return displays;
}

function displayAnswer(data: Display['data'], isResult: boolean, pictures: Picture[]): DisplayAnswer {
  const picture = pictureOf(data);
  const image = picture && hasRoom(pictures, picture) ? pictures.push(picture) - 1 : null;
  const texts = Object.entries(data)
    .filter(([mimeType]) => isText(mimeType))
    .map(([mimeType, content]) => [mimeType, asText(content)] as const);
  const leftOut = image === null && Object.keys(data).some((mimeType) => !isText(mimeType));
  return {
    mime_types: Object.keys(data),
    texts: Object.fromEntries(texts.map(([mimeType, text]) => [mimeType, clip(text)])),
    image_index: image,
    is_result: isResult,
    truncated: leftOut || texts.some(([, text]) => text.length > MAX_TEXT),
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
