import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { startOf } from './processes.ts';
import { makeFolder } from './storage.ts';

const Record_ = z.object({
  labels: z.record(z.string(), z.string()),
  createdAt: z.number(),
  pid: z.int(),
  startedAt: z.string(),
  /** Of its environment, and of the one that this is built on. */
  folders: z.array(z.string()).default([]),
});

/** What the file of a sandbox says, for other programs of this user. */
export type SandboxRecord = z.infer<typeof Record_>;

const ID = /^[0-9a-f]{32}$/;

/** The sandboxes of this user: one file each in `folder`, so that another program can list and end them. */
export class SandboxFiles {
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** Rejects when the file cannot be written. */
  async add(id: string, record: SandboxRecord): Promise<void> {
    await makeFolder(this.#folder);
    await writeFile(this.#fileOf(id), JSON.stringify(record), { mode: 0o600, flag: 'wx' });
  }

  async remove(id: string): Promise<void> {
    if (ID.test(id)) await rm(this.#fileOf(id), { force: true });
  }

  /** Null when there is no living sandbox of that id. */
  async find(id: string): Promise<SandboxRecord | null> {
    if (!ID.test(id)) return null;
    const text = await readFile(this.#fileOf(id), 'utf8').catch(() => '');
    const record = Record_.safeParse(parsed(text)).data;
    if (!record) return null;
    if ((await startOf(record.pid)) === record.startedAt) return record;
    // It was killed: whoever does so has no time for its file.
    await this.remove(id);
    return null;
  }

  /** Every living sandbox with its id. */
  async list(): Promise<(SandboxRecord & { readonly id: string })[]> {
    const names = await readdir(this.#folder).catch(() => []);
    const ids = names.map((name) => name.replace(/\.json$/, ''));
    const found = await Promise.all(ids.map(async (id) => ({ id, record: await this.find(id) })));
    return found.flatMap(({ id, record }) => (record ? [{ ...record, id }] : []));
  }

  #fileOf(id: string): string {
    return join(this.#folder, `${id}.json`);
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
