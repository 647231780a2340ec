import type { Display } from '../../engine/types.ts';

/** One form of an output. */
export interface MimeItem {
  readonly mime: string;
  readonly bytes: Uint8Array;
}

/** Every form that a display or a result has, as bytes; `image/png` and its like come as base64. */
export function mimeItems(data: Display['data']): readonly MimeItem[] {
  return Object.entries(data).map(([mime, content]) => ({ mime, bytes: Buffer.from(...encoded(mime, content)) }));
}

function encoded(mime: string, content: unknown): [text: string, encoding: BufferEncoding] {
  if (typeof content !== 'string' || isJson(mime)) return [JSON.stringify(content), 'utf8'];
  return [content, isBinary(mime) ? 'base64' : 'utf8'];
}

function isJson(mime: string): boolean {
  return /^application\/(.*\+)?json$/.test(mime);
}

function isBinary(mime: string): boolean {
  return (/^(image|audio|video)\//.test(mime) && mime !== 'image/svg+xml') || mime === 'application/pdf';
}
