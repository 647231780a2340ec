import { z } from 'zod';

/** How content is written as a JSON text. */
export const Encoding = z.enum(['utf-8', 'base64']);
export const ENCODING_TEXT = 'Encoding of content. Default: utf-8.';

/** The bytes of content; null when it is not what `encoding` says. Line breaks in base64 are skipped. */
export function contentBytes(content: string, encoding: z.infer<typeof Encoding> = 'utf-8'): Buffer | null {
  if (encoding === 'utf-8') return Buffer.from(content);
  const compact = content.replace(/[\r\n\t ]+/g, '');
  if (compact.length % 4 !== 0 || !/^[A-Za-z0-9+/]*={0,2}$/.test(compact)) return null;
  return Buffer.from(compact, 'base64');
}
