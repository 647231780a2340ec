import type { Display } from '../../../engine/types.ts';

/** One form of an output. */
export interface MimeItem {
  readonly mime: string;
  readonly bytes: Uint8Array;
}

/** Forms that are looked at; what a real display has is below ten. */
const MAX_FORMS = 50;
/** The editor's notebook serializer walks JSON recursively. */
const MAX_DEPTH = 100;
/** The longest that a media type can be (RFC 6838: 127 characters on each side), with room for parameters. */
const MAX_MIME_LENGTH = 512;
const MIME = /^[\w!#$&^.+-]+\/[\w!#$&^.+-]+(?:\s*;.*)?$/;
/** The editor's own way to store streams and errors: with other contents in them a notebook cannot be saved. */
const RESERVED = 'application/vnd.code.notebook.';

/**
 * The forms of a display or a result that the editor can show and store, as bytes; `image/png` and its like come as
 * base64. A form with a type that is none, or with JSON that is nested too deep, is left out.
 */
export function mimeItems(data: Display['data']): readonly MimeItem[] {
  return Object.entries(data)
    .slice(0, MAX_FORMS)
    .filter(([mime, content]) => isShowable(mime) && !isDeeper(content, MAX_DEPTH))
    .map(([mime, content]) => ({ mime, bytes: Buffer.from(...encoded(mime, content)) }));
}

function isShowable(mime: string): boolean {
  return mime.length <= MAX_MIME_LENGTH && MIME.test(mime) && !mime.toLowerCase().startsWith(RESERVED);
}

/** Whether JSON is nested deeper than `depth`; looks level by level, so that no depth is too much for it. */
function isDeeper(content: unknown, depth: number): boolean {
  let level = [content].filter(isNested);
  for (let reached = 0; level.length > 0; reached += 1) {
    if (reached >= depth) return true;
    level = level.flatMap((value) => Object.values(value).filter(isNested));
  }
  return false;
}

function isNested(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
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
