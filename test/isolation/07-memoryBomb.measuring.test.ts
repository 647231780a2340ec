import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { fileFixture } from '../fileFixture.ts';
import { isolationEngine, look, run } from './harness.ts';

const MB = 1 << 20;

// Each takes four times the limit and then lives on, in case nothing has stopped it.
const BOMBS: Readonly<Record<string, string>> = {
  'of objects': 'held = [b"x" * (8 << 20) for _ in range(64)]',
  'of shared memory':
    'import mmap\nheld = mmap.mmap(-1, 512 << 20)\nfor page in range(0, 512 << 20, 4096): held[page] = 1',
  'of files': `
for base in ("/workspace", "/tmp", "/dev/shm"):
    with open(base + "/bomb", "wb", buffering=0) as file:
        for _ in range(170): file.write(b"x" * (1 << 20))`,
  'in many threads': `
import threading
held = []
threads = [threading.Thread(target=lambda: held.append(b"x" * (32 << 20))) for _ in range(16)]
for thread in threads: thread.start()
for thread in threads: thread.join()`,
};

const HELD = ['AnonPages', 'Shmem', 'SUnreclaim', 'KernelStack', 'PageTables'];

/**
 * Bytes of the host's memory that are held and cannot be reclaimed. Not what is free: a virtual machine lends free
 * pages to its own host for seconds.
 */
async function heldBytes(): Promise<number> {
  const text = await readFile('/proc/meminfo', 'utf8');
  const kilobytes = (name: string) => Number(new RegExp(`^${name}:\\s+(\\d+) kB$`, 'm').exec(text)?.[1]);
  return 1024 * HELD.reduce((sum, name) => sum + kilobytes(name), 0);
}

const isolated = fileFixture(() => isolationEngine({ limits: { memoryMb: 128, workspaceMb: 200, tmpMb: 200 } }));

describe('row 7: a memory bomb', () => {
  // Others use the machine's memory too.
  it('returns out_of_memory twenty times of twenty, and takes no memory of the host for good', {
    retry: 2,
  }, async () => {
    await run(isolated, '1');
    const before = await heldBytes();
    for (let round = 0; round < 5; round += 1) {
      for (const [kind, bomb] of Object.entries(BOMBS)) {
        const { status } = await run(isolated, bomb);
        expect({ kind, status }).toEqual({ kind, status: 'out_of_memory' });
      }
    }
    expect(await look(isolated, 'seen = 1')).toBe(1);
    await expect.poll(heldBytes, { timeout: 5_000 }).toBeLessThan(before + 50 * MB);
  });
});
