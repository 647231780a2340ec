import { execFile, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { z } from 'zod';
import { time } from './stats.ts';

const execute = promisify(execFile);
const folder = path.resolve(import.meta.dirname, '../../out/bench');

const PEER_IMAGE = 'hothouse/bench-peer:latest';
/** It does not pin versions of the last two; later ones break its imports. */
const PACKAGES = ['python-docker-mcp==0.2.5', 'mcp<2', 'setuptools<81'];

/** `docker exec` in a container that is up, `docker run --rm`, and Python on this machine. */
export async function dockerTimings(image: string, code: string, counts: { exec: number; run: number; bare: number }) {
  const { stdout } = await execute('docker', ['run', '-d', '--rm', '--network', 'none', image, 'sleep', '600']);
  const id = stdout.trim();
  // The interpreter itself: what PATH names may be a script that looks for it.
  const python = (await execute('python3', ['-c', 'import sys; print(sys.executable)'])).stdout.trim();
  try {
    return {
      exec: await time(counts.exec, () => execute('docker', ['exec', id, 'python3', '-c', code])),
      run: await time(counts.run, () =>
        execute('docker', ['run', '--rm', '--network', 'none', image, 'python3', '-c', code]),
      ),
      bare: code.includes('numpy') ? null : await time(counts.bare, () => execute(python, ['-c', code])),
    };
  } finally {
    await execute('docker', ['rm', '-f', id]);
  }
}

const PeerAnswer = z.object({ transient: z.array(z.number()), persistent: z.array(z.number()) });

/**
 * python-docker-mcp from the machine's package index, in a venv of its own, pooled and pointed at `image`. Null, with
 * the reason on stderr, when it cannot be installed.
 */
export async function pythonDockerMcp(image: string, code: string, count: number) {
  const venv = path.join(folder, 'python-docker-mcp');
  const python = path.join(venv, 'bin/python');
  try {
    if (!existsSync(python)) {
      await execute('python3', ['-m', 'venv', venv]);
      await execute(python, ['-m', 'pip', 'install', '--quiet', ...PACKAGES]);
    }
    await withItsFolder(image);
    const lines = await output(python, [path.join(import.meta.dirname, 'peer.py'), PEER_IMAGE, code, `${count}`]);
    return PeerAnswer.parse(JSON.parse(lines.at(-1) ?? ''));
  } catch (error) {
    console.error(`python-docker-mcp was not measured: ${error instanceof Error ? error.message : error}`);
    return null;
  }
}

/** The same image with the folder and the name of Python that it expects. */
async function withItsFolder(image: string): Promise<void> {
  const build = execute('docker', ['build', '--quiet', '--tag', PEER_IMAGE, '-'], {
    env: { ...process.env, DOCKER_BUILDKIT: '0' },
  });
  build.child.stdin?.end(`FROM ${image}\nRUN mkdir -m 777 /app && ln -s python3 /usr/bin/python\n`);
  await build;
}

async function output(command: string, args: readonly string[]): Promise<string[]> {
  const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'ignore'] });
  const lines: string[] = [];
  for await (const line of createInterface({ input: child.stdout })) lines.push(line);
  return lines;
}
