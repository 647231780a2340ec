import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { Calls } from './compare.ts';

const execute = promisify(execFile);

/** A container of an image that is up and does nothing by itself. */
export interface PlainContainer {
  readonly id: string;
  /** Runs code by `docker exec … python3 -c`. */
  exec(code: string): Promise<unknown>;
  /** Runs code in `count` interpreters, `width` at a time, started by a shell in the container and timed there. */
  many(code: string, count: number, width: number): Promise<Calls>;
  /** Forks a bare interpreter `count` times and waits for each end; timed by the interpreter. */
  forks(count: number): Promise<Calls>;
}

const MANY = `
start=$(date +%s%N)
seq "$2" | xargs -P "$3" -I _ python3 -c "$1" > /dev/null || exit 1
echo $(( ($(date +%s%N) - start) / 1000 ))
`;

const FORKS = `
import os, sys, time
count = int(sys.argv[1])
start = time.perf_counter()
for _ in range(count):
    child = os.fork()
    if child == 0:
        os._exit(0)
    os.waitpid(child, 0)
print(round((time.perf_counter() - start) * 1e6))
`;

/** Lends a container without network, removed afterwards. */
export async function withPlainContainer<T>(image: string, use: (plain: PlainContainer) => Promise<T>): Promise<T> {
  const { stdout } = await execute('docker', ['run', '-d', '--rm', '--network', 'none', image, 'sleep', '3600']);
  const id = stdout.trim();
  const inside = (...argv: string[]) => execute('docker', ['exec', id, ...argv]);
  try {
    return await use({
      id,
      exec: (code) => inside('python3', '-c', code),
      many: async (code, count, width) =>
        callsOf(count, (await inside('sh', '-c', MANY, 'sh', code, `${count}`, `${width}`)).stdout),
      forks: async (count) => callsOf(count, (await inside('python3', '-c', FORKS, `${count}`)).stdout),
    });
  } finally {
    await execute('docker', ['rm', '-f', id]);
  }
}

function callsOf(count: number, microseconds: string): Calls {
  return { count, ms: Number(microseconds) / 1000 };
}
