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
  'files without a name that only a thread has': `
import ctypes, os, threading
def keep():
    # CLOSE_RANGE_UNSHARE
    if ctypes.CDLL(None).syscall(436, 900, 901, 2) != 0: return
    file = os.memfd_create("bomb")
    for _ in range(SIZE >> 20): os.write(file, bytes(1 << 20))
    threading.Event().wait()
threading.Thread(target=keep).start()`,
  'memory of processes that are replaced when they end': `
import os
def grow():
    held = [b"1" * (1 << 20) for _ in range(${LIMIT_MB - 40})]
    os.kill(os.getpid(), 19)
def replace():
    while True:
        if os.fork() == 0: grow()
        os.wait()
for _ in range(4):
    if os.fork() == 0: replace()`,
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
    const code = `SIZE = ${4 * LIMIT_MB} << 20\n${bomb}\nimport time\ntime.sleep(20)`;
    expect(await python(code, { timeoutSeconds: 30 })).toMatchObject({ status: 'out_of_memory' });
  });

  it('is seen in processes whose first thread has ended', async () => {
    const code = `
import ctypes, os, threading
def keep():
    held = [b"1" * (1 << 20) for _ in range(${LIMIT_MB / 2})]
    threading.Event().wait()
for _ in range(8):
    if os.fork() == 0:
        threading.Thread(target=keep).start()
        # SYS_exit: of this thread alone.
        ctypes.CDLL(None).syscall({"x86_64": 60, "aarch64": 93}[os.uname().machine], 0)
print({os.wait()[1] for _ in range(6)})`;
    expect(await python(code, { timeoutSeconds: 30 })).toMatchObject({ status: 'ok', stdout: '{9}\n' });
  });

  it('ends a program of a Bash session, which says so and lives on', async () => {
    const opened = await engine.openSession('bash', OWNER);
    if (!opened.ok) throw new Error(opened.error.message);
    const session = { language: 'bash', owner: OWNER, sessionId: opened.value.id };
    const hold = (mb: number) => `python3 -c 'import time; held = b"1" * (${mb} << 20); time.sleep(60)'`;
    const code = `kept=1; ${hold(Math.floor(LIMIT_MB / 3))} & ${hold(Math.floor((2 * LIMIT_MB) / 3))}`;
    const ended = await engine.run({ ...session, code, timeoutSeconds: 30 });
    expect(ended).toMatchObject({ status: 'error', error: { name: 'OutOfMemory' }, sessionLost: false });
    expect(await engine.run({ ...session, code: 'echo $kept' })).toMatchObject({ stdout: '1\n' });
    await engine.closeSession(opened.value.id);
  });

  it('is what ends a Bash script whose last program takes too much', async () => {
    const code = `
import subprocess, sys
hold = "import time; held = b'1' * (%d << 20); time.sleep(60)"
other = subprocess.Popen(["python3", "-c", hold % ${Math.floor(LIMIT_MB / 3)}])
sys.exit(128 - subprocess.call(["python3", "-c", hold % ${Math.floor((2 * LIMIT_MB) / 3)}]))`;
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
