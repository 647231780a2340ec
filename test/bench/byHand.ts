import { execFile, spawn } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import type { Transport } from '../../src/languages/lean/lsp/connection.ts';

const execute = promisify(execFile);

/** A Lean that is used without Hothouse. */
export interface LeanByHand {
  /** Where it is, for people. */
  readonly where: string;
  /** Checks one file, by its name without a folder. Rejects when Lean finds an error. */
  file(name: string): Promise<unknown>;
  /** Checks files one after the other, in a loop of the shell. Rejects at the first that has an error. */
  loop(names: readonly string[]): Promise<unknown>;
  /** Starts `lean --server` with these options. */
  serve(options: readonly string[]): Transport;
}

const LOOP = 'for file; do lean "$file" > /dev/null || exit 1; done';
const FOLDER = '/tmp/bench';

/** Lends the files in a folder of this machine, gone afterwards. */
export async function withFiles<T>(
  files: Readonly<Record<string, string>>,
  use: (folder: string) => Promise<T>,
): Promise<T> {
  const folder = await mkdtemp(path.join(tmpdir(), 'hothouse-bench-'));
  try {
    for (const [name, text] of Object.entries(files)) await writeFile(path.join(folder, name), text);
    return await use(folder);
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** The Lean of a toolchain on this machine. */
export function leanOfMachine(toolchain: string, folder: string): LeanByHand {
  const lean = path.join(toolchain, 'bin/lean');
  const env = { ...process.env, PATH: `${path.dirname(lean)}:${process.env.PATH}` };
  return {
    where: 'on the machine itself',
    file: (name) => execute(lean, [name], { cwd: folder }),
    loop: (names) => execute('sh', ['-c', LOOP, 'sh', ...names], { cwd: folder, env }),
    serve: (options) => transportOf(lean, ['--server', ...options]),
  };
}

/** Lends the Lean of an image in a container that is up: as little sealed as one can be that has no network. */
export async function withContainer<T>(
  image: string,
  folder: string,
  use: (lean: LeanByHand) => Promise<T>,
): Promise<T> {
  const { stdout } = await execute('docker', ['run', '-d', '--rm', '--network', 'none', image, 'sleep', '3600']);
  const id = stdout.trim();
  const inIt = ['exec', '--workdir', FOLDER, id];
  try {
    await execute('docker', ['cp', folder, `${id}:${FOLDER}`]);
    return await use({
      where: 'in a container',
      file: (name) => execute('docker', [...inIt, 'lean', name]),
      loop: (names) => execute('docker', [...inIt, 'sh', '-c', LOOP, 'sh', ...names]),
      serve: (options) => transportOf('docker', ['exec', '-i', id, 'lean', '--server', ...options]),
    });
  } finally {
    await execute('docker', ['rm', '-f', id]);
  }
}

function transportOf(command: string, args: readonly string[]): Transport {
  const child = spawn(command, args, { stdio: ['pipe', 'pipe', 'ignore'] });
  const transport: Transport = {
    write: (bytes) => void child.stdin.write(bytes),
    onBytes: () => {},
    ended: new Promise((resolve) => {
      child.once('error', (error) => resolve(error.message));
      child.once('exit', (code) => resolve(`it left with exit status ${code}`));
    }),
    kill: () => void child.kill(),
  };
  child.stdin.on('error', () => {});
  child.stdout.on('data', (bytes: Buffer) => transport.onBytes(bytes));
  return transport;
}
