import type { Display } from '../engine/types.ts';

/** A picture as an image content item carries it. */
export interface Picture {
  readonly mimeType: string;
  /** Base64. */
  readonly data: string;
}

/** Pictures in one answer; more are left out. */
const MAX_PICTURES = 16;
/** Characters of base64 that they have together: one of the largest, or several smaller ones. */
export const MAX_PICTURES_LENGTH = 5 * 1024 * 1024;
// Models' interfaces refuse pictures over 5 MB of base64, and with them the whole conversation.
const MAX_PICTURE_BYTES = 3_750_000;

const SIGNATURES: readonly (readonly [mimeType: string, at: number, bytes: string])[] = [
  ['image/png', 0, '\x89PNG\r\n\x1a\n'],
  ['image/jpeg', 0, '\xff\xd8\xff'],
  ['image/gif', 0, 'GIF8'],
  ['image/webp', 8, 'WEBP'],
];

/** The first content of a display that is a picture by its bytes, or null. The bytes come from user code. */
export function pictureOf(data: Display['data']): Picture | null {
  for (const signature of SIGNATURES) {
    const content = data[signature[0]];
    const picture = typeof content === 'string' ? decode(signature, content) : null;
    if (picture) return picture;
  }
  return null;
}

/** Whether an answer that has these pictures already can take one more. */
export function hasRoom(pictures: readonly Picture[], { data }: Picture): boolean {
  const length = pictures.reduce((sum, picture) => sum + picture.data.length, 0);
  return pictures.length < MAX_PICTURES && length + data.length <= MAX_PICTURES_LENGTH;
}

function decode([mimeType, at, bytes]: (typeof SIGNATURES)[number], content: string): Picture | null {
  const decoded = Buffer.from(content, 'base64');
  if (decoded.length > MAX_PICTURE_BYTES) return null;
  if (decoded.toString('latin1', at, at + bytes.length) !== bytes) return null;
  return { mimeType, data: decoded.toString('base64') };
}
