import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Engine, RunRequest } from '../../src/engine/types.ts';
import { engineIn } from '../host/local/engineIn.ts';
import { OWNER } from './harness.ts';

const LIMIT_MB = 128;

/** Each takes more than the limit, where no process has it as memory of its own. */
const BOMBS = {
  'shared memory that a program has written': `
import mmap
memory = mmap.mmap(-1, SIZE)
for at in range(0, SIZE, 4096): memory[at] = 1`,
  'shared memory of a process that has ended': `
import mmap, os
memory = mmap.mmap(-1, SIZE)
if os.fork() == 0:
    for at in range(0, SIZE, 4096): memory[at] = 1
    os._exit(0)
os.wait()`,
  'files without a name': `
import os
file = os.memfd_create("bomb")
for _ in range(SIZE >> 20): os.write(file, bytes(1 << 20))`,
  'shared memory of System V': `
import ctypes
libc = ctypes.CDLL(None)
libc.shmat.restype = ctypes.c_void_p
ctypes.memset(libc.shmat(libc.shmget(0, SIZE, 0o1600), None, 0), 1, SIZE)`,
  'tables of pages that are only read': `
import ctypes
libc = ctypes.CDLL(None)
libc.mmap.restype = ctypes.c_void_p
libc.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int, ctypes.c_int, ctypes.c_int, ctypes.c_long]
libc.madvise.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int]
count = SIZE // 4096
start = libc.mmap(None, count << 21, 1, 0x4022, -1, 0)
libc.madvise(start, count << 21, 15)
for at in range(start, start + (count << 21), 1 << 21): ctypes.c_char.from_address(at).value`,
} as const;

let home: string;
let engine: Engine;
beforeAll(async () => {
  home = await mkdtemp(path.join(tmpdir(), 'hothouse-memory-'));
  const pool = { size: 1, resetDeadlineMs: 5_000 };
  engine = await engineIn(home, { options: { limits: { memoryMb: LIMIT_MB, pids: 64 }, pool } });
  // Bash needs nothing but the machine's own programs.
  expect(await engine.buildEnvironment('bash', () => {})).toMatchObject({ ok: true });
});
afterAll(async () => {
  await engine.dispose();
  await rm(home, { recursive: true });
});

/** A one-shot run of Python by the machine's own interpreter. */
const python = (code: string, rest: Partial<RunRequest> = {}) =>
  engine.run({ language: 'bash', owner: OWNER, code: `exec python3 - <<'END'\n${code}\nEND`, ...rest });

describe('row 7: memory that only the agent limits', () => {
  it.each(Object.entries(BOMBS))('ends a run that takes more than the limit as %s', async (_, bomb) => {
    const code = `SIZE = ${4 * LIMIT_MB} << 20\n${bomb}\nimport time\ntime.sleep(60)`;
    expect(await python(code, { timeoutSeconds: 30 })).toMatchObject({ status: 'out_of_memory' });
  });

  it('is not kept in pipes, where nothing would count it', async () => {
    const code = `
import ctypes, os
libc = ctypes.CDLL(None, use_errno=True)
class Vector(ctypes.Structure): _fields_ = [("start", ctypes.c_char_p), ("size", ctypes.c_size_t)]
result = libc.vmsplice(os.pipe()[1], ctypes.byref(Vector(b"page", 4)), ctypes.c_ulong(1), 0)
print(result, os.strerror(ctypes.get_errno()))`;
    expect((await python(code)).stdout).toBe('-1 Function not implemented\n');
  });

  it('counts once what processes share', async () => {
    const code = `
import mmap, os, time
memory = mmap.mmap(-1, ${LIMIT_MB / 2} << 20)
for at in range(0, len(memory), 4096): memory[at] = 1
for _ in range(8):
    if os.fork() == 0:
        sum(memory[at] for at in range(0, len(memory), 4096))
        time.sleep(1.5)
        os._exit(0)
for _ in range(8): os.wait()
print("done")`;
    expect(await python(code)).toMatchObject({ status: 'ok', stdout: 'done\n' });
  });
});
