import type { IncomingMessage } from 'node:http';
import type { ReadJson } from '../../base/readJson.ts';
import { slices } from '../../base/slices.ts';
import { parseMessage } from '../parseMessage.ts';

/** Of any request. */
export const MAX_BODY_BYTES = 8 * 1024 * 1024;

/** A body that was read, or why there is none. */
export type RequestBody = ReadJson | { readonly kind: 'too_large' | 'aborted' };

/** Reads the body as JSON. The rest of a body over `MAX_BODY_BYTES` stays unread. */
export async function readBody(request: IncomingMessage): Promise<RequestBody> {
  if (Number(request.headers['content-length']) > MAX_BODY_BYTES) return { kind: 'too_large' };
  const body = await readBytes(request);
  return 'kind' in body ? body : slices.run(parseMessage(body));
}

function readBytes(request: IncomingMessage): Promise<Buffer | { readonly kind: 'too_large' | 'aborted' }> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    let length = 0;
    const take = (chunk: Buffer) => {
      length += chunk.length;
      if (length <= MAX_BODY_BYTES) return void chunks.push(chunk);
      request.off('data', take).pause();
      resolve({ kind: 'too_large' });
    };
    request.on('data', take);
    request.once('end', () => resolve(Buffer.concat(chunks)));
    // Follows `end` too, when the body has arrived.
    request.once('close', () => resolve({ kind: 'aborted' }));
  });
}
