import { z } from 'zod';
import type { Steps } from '../base/slices.ts';
import type { Display, RunResult } from '../engine/types.ts';
import { outOfRange } from './outOfRange.ts';
import { hasRoom, type Picture, pictureOf } from './pictures.ts';

/** Characters kept of one text that a display shows. */
export const MAX_TEXT = 65_536;

/** Something a run showed, without the bytes of pictures. */
export const DisplayAnswer = z.strictObject({
  mime_types: z.array(z.string()),
  texts: z
    .record(z.string(), z.string())
    .describe('What is text (plain, HTML, Markdown, LaTeX, SVG, JSON), by mime type.'),
  image_index: z.int().nullable().describe('Position of its picture among the image content items of this answer.'),
  is_result: z.boolean().describe('It is the value of the last expression.'),
  truncated: z.boolean().describe('A text was cut, or a picture left out.'),
});
export type DisplayAnswer = z.infer<typeof DisplayAnswer>;

/** What a run showed, and the pictures apart; a result that is more than plain text comes last. */
export function* displaysOf(run: RunResult): Steps<{ displays: DisplayAnswer[]; pictures: Picture[] }> {
  const shown = run.displays.map(({ data }) => ({ data, isResult: false }));
  if (run.result && isRich(run.result)) shown.push({ data: run.result, isResult: true });
  const pictures: Picture[] = [];
  const displays: DisplayAnswer[] = [];
  for (const { data, isResult } of shown) {
    displays.push(displayAnswer(data, isResult, pictures));
    yield;
  }
  return { displays, pictures };
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

/** At most `MAX_TEXT` characters of `text`; what was cut says so. */
export function clip(text: string): string {
  if (text.length <= MAX_TEXT) return text;
  return `${text.slice(0, MAX_TEXT).toWellFormed()}\n[${text.length - MAX_TEXT} more characters]`;
}

function isRich(data: Display['data']): boolean {
  return Object.keys(data).some((mimeType) => mimeType !== 'text/plain');
}

function isText(mimeType: string): boolean {
  return mimeType.startsWith('text/') || mimeType === 'image/svg+xml' || /^application\/(.*\+)?json$/.test(mimeType);
}

function asText(content: unknown): string {
  if (typeof content === 'string') return content;
  // Asking about each value takes several times as long.
  return JSON.stringify(content, outOfRange([content]) === null ? undefined : infinityAsText);
}

/** A number beyond what a double holds would be null in JSON. */
function infinityAsText(_name: string, value: unknown): unknown {
  return typeof value === 'number' && !Number.isFinite(value) ? String(value) : value;
}
