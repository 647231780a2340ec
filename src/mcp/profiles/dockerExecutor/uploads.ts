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
}

/** The uploaded files of one client, in memory. */
export class Uploads {
  readonly #files = new Map<string, Upload>();

  get all(): readonly Upload[] {
    return [...this.#files.values()];
  }

  get(id: string): Upload | undefined {
    return this.#files.get(id);
  }

  /** Keeps a file; null when there are too many, or together they are over 64 MiB. */
  add(name: string, content: string, language: Language): Upload | null {
    const bytes = Buffer.byteLength(content);
    const total = this.all.reduce((sum, file) => sum + file.bytes, bytes);
    if (this.#files.size >= MAX_FILES || total > MAX_BYTES) return null;
    const file = { id: randomUUID(), name, language, content, bytes, uploadedAt: new Date() };
    this.#files.set(file.id, file);
    return file;
  }

  /** Whether there was such a file. */
  delete(id: string): boolean {
    return this.#files.delete(id);
  }
}
