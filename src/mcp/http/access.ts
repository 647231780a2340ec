import { createHash, randomBytes, randomUUID, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Viewer } from '../../engine/session/viewer.ts';

/** 128 bits are 22 characters of base64. */
const MIN_TOKEN_LENGTH = 22;

/** The token of one client: whose it is, or why it is refused, in one sentence with the next step. */
export type ClientToken = { readonly ok: true; readonly id: string } | { readonly ok: false; readonly message: string };

/** The tokens that a user has created for single clients. Null for what is none of them. Compares in constant time. */
export type FindClientToken = (token: string) => ClientToken | null;

/** A request without a token that is valid now, and what its client reads. */
export class Unauthorized {
  constructor(readonly message: string) {}
}

/** Who may use a server: whoever has its token, the token of a person, or one that a user has created for a client. */
export class Access {
  /** For agents: all that have it are one owner. */
  readonly token: string;
  /** For programs of the user that started the server; with it a person sees all sessions. */
  readonly userToken = newToken();
  readonly #own: readonly { readonly digest: Buffer; readonly viewer: Viewer }[];
  readonly #find: FindClientToken;

  /** Throws a `RangeError` when the token has less than 128 bits. */
  constructor(token = newToken(), find: FindClientToken = () => null) {
    if (token.length < MIN_TOKEN_LENGTH) throw new RangeError(`A token has at least ${MIN_TOKEN_LENGTH} characters.`);
    this.token = token;
    this.#find = find;
    const server = randomUUID();
    this.#own = [
      { digest: digest(token), viewer: { id: `mcp-http-${server}`, kind: 'mcp' } },
      { digest: digest(this.userToken), viewer: { id: `person-${server}`, kind: 'cli' } },
    ];
  }

  /** Who sends a request. Every door of a server asks here, for each request. */
  authenticate(request: IncomingMessage): Viewer | Unauthorized {
    const [value, ...more] = request.headersDistinct.authorization ?? [];
    const [scheme = '', credentials = ''] = value?.split(' ', 2) ?? [];
    if (scheme.toLowerCase() !== 'bearer' || more.length > 0) return MISSING;
    const given = digest(credentials);
    const [own] = this.#own.filter((known) => timingSafeEqual(given, known.digest));
    if (own) return own.viewer;
    const created = this.#find(credentials);
    if (!created) return MISSING;
    return created.ok ? { id: `mcp-token-${created.id}`, kind: 'mcp' } : new Unauthorized(created.message);
  }
}

const MISSING = new Unauthorized(
  'Authorization must be Bearer and the token of this server, or one that `hothouse token create` has made.',
);

function newToken(): string {
  return randomBytes(32).toString('base64url');
}

/** Digests have equal lengths, so that a comparison does not reveal the length of the token. */
function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
