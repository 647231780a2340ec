import { randomUUID } from 'node:crypto';
import type { Language } from './language.ts';

const MAX_FILES = 1_000;
const MAX_BYTES = 64 * 1024 * 1024;

/** A file of code that a client has uploaded. */
export interface Upload {
  readonly id: string;
  readonly name: string;
  readonly language: Language;
  readonly content: string;
  readonly bytes: number;
  readonly uploadedAt: Date;
  /** As the client has sent them; the content is a text whatever they say. */
  readonly encoding: string;
  readonly isBinary: boolean;
}

/** A file of code before it is kept. */
export type NewUpload = Pick<Upload, 'name' | 'content' | 'language'> & Partial<Pick<Upload, 'encoding' | 'isBinary'>>;

/** The uploaded files of one client, in memory. */
export class Uploads {
  readonly #files = new Map<string, Upload>();

  get all(): readonly Upload[] {
    return [...this.#files.values()];
  }

  /** Of all files together. */
  get bytes(): number {
    return this.all.reduce((sum, file) => sum + file.bytes, 0);
  }

  get(id: string): Upload | undefined {
    return this.#files.get(id);
  }

  /** Keeps a file; null when there are too many, or together they are over 64 MiB. */
  add({ encoding = 'utf-8', isBinary = false, ...file }: NewUpload): Upload | null {
    const bytes = Buffer.byteLength(file.content);
    if (this.#files.size >= MAX_FILES || this.bytes + bytes > MAX_BYTES) return null;
    const upload = { ...file, id: randomUUID(), bytes, uploadedAt: new Date(), encoding, isBinary };
    this.#files.set(upload.id, upload);
    return upload;
  }

  /** Whether there was such a file. */
  delete(id: string): boolean {
    return this.#files.delete(id);
  }
}
