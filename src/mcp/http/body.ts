import type { IncomingMessage } from 'node:http';
import type { ReadJson } from '../../base/readJson.ts';
import { slices } from '../../base/slices.ts';
import { parseMessage } from '../parseMessage.ts';

/** Bytes that a request's body may have. */
export const MAX_BODY_BYTES = 8 * 1024 * 1024;

/** A request's body, or why there is none. */
export type Body = ReadJson | { readonly kind: 'too_large' | 'gone' };

const TOO_LARGE: Body = { kind: 'too_large' };

/** Reads a request's body as JSON; stops keeping what is over `MAX_BODY_BYTES`. */
export async function readBody(request: IncomingMessage): Promise<Body> {
  if (Number(request.headers['content-length']) > MAX_BODY_BYTES) return TOO_LARGE;
  const chunks: Buffer[] = [];
  let length = 0;
  try {
    // Leaving the loop must not destroy the request: its socket carries the answer.
    for await (const chunk of request.iterator({ destroyOnReturn: false })) {
      length += chunk.length;
      if (length > MAX_BODY_BYTES) return TOO_LARGE;
      chunks.push(chunk);
    }
  } catch {
    return { kind: 'gone' };
  }
  return slices.run(parseMessage(Buffer.concat(chunks)));
}
