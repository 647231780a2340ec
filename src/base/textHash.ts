import { createHash } from 'node:crypto';

/** SHA-256 of a text, as base64url. */
export function textHash(text: string): string {
  return createHash('sha256').update(text).digest('base64url');
}
