import { execFile } from 'node:child_process';
import { createHash, randomUUID } from 'node:crypto';
import { readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { AGENT_LOADER } from '../spec.ts';
import { isOld, makeFolder } from './storage.ts';

const COMPILE_MS = 20_000;
const MOST_BYTES = 16 << 20;
const DIGEST_BYTES = 32;
/** One that was not compiled for so long is another version's, or is compiled again. */
const KEPT_MS = 30 * 24 * 3_600_000;

/**
 * Agents that Pythons of the machine have compiled, so that a sandbox need not: that takes longer than the rest of its start.
 * They are made of the engine's own bytes, outside of every sandbox, and no sandbox sees `folder`, where they are kept.
 */
export class CompiledAgents {
  readonly #folder: string;
  readonly #made = new Map<string, Promise<Buffer>>();

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** The agent for sandboxes that start it with `interpreter`, a path on this machine; as it is where it cannot be compiled. */
  async of(agent: Buffer, interpreter: string): Promise<Buffer> {
    try {
      return await this.#compiled(agent, interpreter);
    } catch {
      return agent;
    }
  }

  async #compiled(agent: Buffer, interpreter: string): Promise<Buffer> {
    const { dev, ino, size, mtimeMs } = await stat(interpreter);
    const version = JSON.stringify([interpreter, dev, ino, size, mtimeMs]);
    const key = createHash('sha256').update(version).update(agent).digest('hex');
    const made = this.#made.get(key) ?? this.#make(key, interpreter, agent);
    this.#made.set(key, made);
    // The next sandbox tries again: the machine may have been busy or out of memory.
    made.catch(() => this.#made.delete(key));
    return made;
  }

  async #make(key: string, interpreter: string, agent: Buffer): Promise<Buffer> {
    const path = join(this.#folder, key);
    const kept = await readChecked(path);
    if (kept) return kept;
    const compiled = await compile(interpreter, agent);
    // Without a file the next process compiles it again.
    await this.#keep(path, compiled).catch(() => {});
    return compiled;
  }

  async #keep(path: string, compiled: Buffer): Promise<void> {
    await makeFolder(this.#folder);
    for (const name of await readdir(this.#folder)) {
      if (await isOld(join(this.#folder, name), KEPT_MS)) await rm(join(this.#folder, name), { force: true });
    }
    const draft = `${path}.${randomUUID()}`;
    await writeFile(draft, Buffer.concat([digestOf(compiled), compiled]), { mode: 0o600 });
    await rename(draft, path);
  }
}

/** Null when there is none, or what an interrupted machine has left of one. */
async function readChecked(path: string): Promise<Buffer | null> {
  const file = await readFile(path).catch(() => null);
  const compiled = file?.subarray(DIGEST_BYTES);
  return file && compiled && digestOf(compiled).equals(file.subarray(0, DIGEST_BYTES)) ? compiled : null;
}

/** See `images/agent/boot.py`. Nothing of the user and no package takes part. */
function compile(interpreter: string, agent: Buffer): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const options = { encoding: 'buffer', timeout: COMPILE_MS, maxBuffer: MOST_BYTES, env: {}, cwd: '/' } as const;
    const child = execFile(interpreter, ['-I', '-S', '-B', '-c', AGENT_LOADER], options, (error, stdout) =>
      error ? reject(error) : resolve(stdout),
    );
    child.stdin?.on('error', reject);
    child.stdin?.end(agent);
  });
}

function digestOf(bytes: Buffer): Buffer {
  return createHash('sha256').update(bytes).digest();
}
