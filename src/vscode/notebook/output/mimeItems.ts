import type { Display } from '../../../engine/types.ts';

/** One representation of an output. */
export interface MimeItem {
  readonly mime: string;
  readonly bytes: Uint8Array;
}

/** Representations that are considered; real displays have fewer than ten. */
const MAX_FORMS = 50;
/** VS Code's notebook serializer is recursive. */
const MAX_DEPTH = 100;
/** The longest media type (RFC 6838: 127 characters on each side of the slash) and its parameters. */
const MAX_MIME_LENGTH = 512;
const MIME = /^[\w!#$&^.+-]+\/[\w!#$&^.+-]+(?:\s*;.*)?$/;
/** VS Code stores streams and errors under this prefix; with other contents the notebook cannot be saved. */
const RESERVED = 'application/vnd.code.notebook.';

/**
 * The representations of a display that VS Code can show and store, as bytes; binary types arrive as base64. Omits
 * invalid media types and JSON that is nested too deeply.
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

/** Whether JSON is nested deeper than `depth`. Not recursive, so that no depth overflows the stack. */
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
