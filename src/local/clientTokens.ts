import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { closeSync, constants, fstatSync, openSync, readFileSync } from 'node:fs';
import { mkdir, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { plainText } from '../base/log.ts';

/** What is kept of a token: never the token itself. Times in milliseconds since the epoch. */
const TokenRecord = z.strictObject({
  id: z.string().regex(/^[0-9a-f]{8}$/),
  name: z.string(),
  /** SHA-256 of the token, which has 256 random bits. */
  hash: z.string().regex(/^[0-9a-f]{64}$/),
  createdAt: z.number(),
  /** Null for never. */
  expiresAt: z.number().nullable(),
  revokedAt: z.number().nullable(),
});
export type TokenRecord = Readonly<z.infer<typeof TokenRecord>>;

/** `hothouse_`, the id of the record, and the secret. */
const FORM = /^hothouse_([0-9a-f]{8})_[\w-]{43}$/;
const MAX_FILE_BYTES = 4_096;
const NEXT_STEP = 'create another one by `hothouse token create`';

/** Whose a token is, or why it is refused: one sentence with the next step. */
export type FoundToken = { readonly ok: true; readonly id: string } | { readonly ok: false; readonly message: string };

/** The tokens that a user has created, one file for each in a folder that only the user reads. */
export class ClientTokens {
  readonly #folder: string;

  constructor(home: string) {
    this.#folder = join(home, '.hothouse', 'tokens');
  }

  /** Creates a token; the only time that it can be read. Rejects when the file cannot be written. */
  async create(
    name: string,
    expiresAt: number | null,
  ): Promise<{ readonly token: string; readonly record: TokenRecord }> {
    const id = randomBytes(4).toString('hex');
    const token = `hothouse_${id}_${randomBytes(32).toString('base64url')}`;
    const record = { id, name, hash: hashOf(token), createdAt: Date.now(), expiresAt, revokedAt: null };
    await mkdir(this.#folder, { recursive: true, mode: 0o700 });
    await writeFile(this.#fileOf(id), JSON.stringify(record), { mode: 0o600, flag: 'wx', flush: true });
    return { token, record };
  }

  /** All of them, the oldest first. */
  async list(): Promise<readonly TokenRecord[]> {
    const names = await readdir(this.#folder).catch(() => []);
    const records = names.flatMap((name) => {
      const [, id] = /^([0-9a-f]{8})\.json$/.exec(name) ?? [];
      return (id !== undefined && this.#read(id)) || [];
    });
    return records.sort((one, other) => one.createdAt - other.createdAt);
  }

  /** Revokes a token, which is refused from the next request on. */
  async revoke(record: TokenRecord): Promise<void> {
    const draft = `${this.#fileOf(record.id)}.${randomBytes(4).toString('hex')}`;
    try {
      await writeFile(draft, JSON.stringify({ ...record, revokedAt: Date.now() }), {
        mode: 0o600,
        flag: 'wx',
        flush: true,
      });
      await rename(draft, this.#fileOf(record.id));
    } catch (error) {
      await rm(draft, { force: true });
      throw error;
    }
  }

  /** Null for what is no token of this user. Reads the file at each call, so that a revocation counts at once. */
  readonly find = (token: string): FoundToken | null => {
    const [, id] = FORM.exec(token) ?? [];
    const record = id === undefined ? null : this.#read(id);
    if (!record || !timingSafeEqual(Buffer.from(record.hash), Buffer.from(hashOf(token)))) return null;
    if (record.revokedAt !== null) return { ok: false, message: `This token has been revoked; ${NEXT_STEP}.` };
    if (isExpired(record)) {
      const when = new Date(record.expiresAt ?? 0).toISOString();
      return { ok: false, message: `This token has expired at ${when}; ${NEXT_STEP}.` };
    }
    return { ok: true, id: record.id };
  };

  #fileOf(id: string): string {
    return join(this.#folder, `${id}.json`);
  }

  /** Null for a file that is no record, that is a link, or that others own or may read. */
  #read(id: string): TokenRecord | null {
    let file: number | undefined;
    try {
      file = openSync(this.#fileOf(id), constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0));
      const status = fstatSync(file);
      const isOwn = process.getuid === undefined || (status.uid === process.getuid() && (status.mode & 0o077) === 0);
      if (!status.isFile() || status.size > MAX_FILE_BYTES || !isOwn) return null;
      const record = TokenRecord.parse(JSON.parse(readFileSync(file, 'utf8')));
      return record.id === id ? { ...record, name: plainText(record.name) } : null;
    } catch {
      return null;
    } finally {
      if (file !== undefined) closeSync(file);
    }
  }
}

/** Whether the time of a token is over. */
export function isExpired({ expiresAt }: Pick<TokenRecord, 'expiresAt'>, now = Date.now()): boolean {
  return expiresAt !== null && expiresAt <= now;
}

function hashOf(token: string): string {
  return createHash('sha256').update(token).digest('hex');
}
