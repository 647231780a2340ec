import { execFile, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { z } from 'zod';
import { time } from './stats.ts';

const execute = promisify(execFile);
const folder = path.resolve(import.meta.dirname, '../../out/bench');

/** `docker exec` in a container that is up, `docker run --rm`, and Python on this machine. */
export async function dockerTimings(image: string, code: string, counts: { exec: number; run: number; bare: number }) {
  const { stdout } = await execute('docker', ['run', '-d', '--rm', '--network', 'none', image, 'sleep', '600']);
  const id = stdout.trim();
  try {
    return {
      exec: await time(counts.exec, () => execute('docker', ['exec', id, 'python3', '-c', code])),
      run: await time(counts.run, () =>
        execute('docker', ['run', '--rm', '--network', 'none', image, 'python3', '-c', code]),
      ),
      bare: code.includes('numpy') ? null : await time(counts.bare, () => execute('python3', ['-c', code])),
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
      await execute(python, ['-m', 'pip', 'install', '--quiet', 'python-docker-mcp==0.2.5']);
    }
    const lines = await output(python, [
      path.join(import.meta.dirname, 'python_docker_mcp.py'),
      image,
      code,
      `${count}`,
    ]);
    return PeerAnswer.parse(JSON.parse(lines.at(-1) ?? ''));
  } catch (error) {
    console.error(`python-docker-mcp was not measured: ${error instanceof Error ? error.message : error}`);
    return null;
  }
}

async function output(command: string, args: readonly string[]): Promise<string[]> {
  const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'ignore'] });
  const lines: string[] = [];
  for await (const line of createInterface({ input: child.stdout })) lines.push(line);
  return lines;
}
