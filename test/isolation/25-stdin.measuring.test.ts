import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Isolated, isolationEngine, look, run, sandboxes } from './harness.ts';

// Ways to read empty stdin; each must find its end at once.
const READERS: Readonly<Record<string, string>> = {
  input: 'try: input()\nexcept EOFError: seen = ""',
  'sys.stdin': 'import sys\nseen = sys.stdin.read()',
  'descriptor 0': 'import os\nseen = os.read(0, 100).decode()',
  'a program': 'import subprocess\nseen = subprocess.run(["cat"], capture_output=True, text=True).stdout',
  'a child': 'import os\nif os.fork() == 0: os._exit(len(os.read(0, 100)))\nseen = "x" * os.wait()[1]',
  '/dev/stdin': 'seen = open("/dev/stdin").read()',
};

let isolated: Isolated;
beforeAll(async () => {
  isolated = await isolationEngine();
  await run(isolated, '1');
});
afterAll(() => isolated.dispose());

describe('row 25: code that reads stdin', () => {
  it.each(Object.entries(READERS))('reads its end: %s', async (_, code) => {
    const { status, state } = await run(isolated, code, { state: {}, timeoutSeconds: 5 });
    expect({ status, seen: state?.seen }).toEqual({ status: 'ok', seen: '' });
  });

  // Measures a machine that others use too.
  it.each(Object.entries(READERS))('waits at most 100 ms: %s', { retry: 2 }, async (_, code) => {
    const timed = `import time\nstarted = time.monotonic()\n${code}\ntook = (time.monotonic() - started) * 1000`;
    const { state } = await run(isolated, timed, { state: {}, timeoutSeconds: 5 });
    expect(state?.took).toBeLessThan(100);
  });

  it('is rejected when the encoded input fits no frame: bytes that take six each', async () => {
    const code = 'import sys\nseen = len(sys.stdin.read())';
    expect(await look(isolated, code, { stdin: '\u0001'.repeat(2_000_000) })).toBe(2_000_000);
    expect(await run(isolated, code, { stdin: '\u0001'.repeat(3_000_000) })).toMatchObject({ status: 'rejected' });
    expect(await look(isolated, code, { stdin: 'abc' })).toBe(3);
  });

  it('reads the given input and no byte of the channel', async () => {
    const before = sandboxes(isolated);
    for (let round = 0; round < 20; round += 1) {
      const code = 'import sys\nseen = [input(), sys.stdin.read()]';
      expect(await look(isolated, code, { stdin: `${round}\nrest` })).toEqual([`${round}`, 'rest']);
    }
    const thief = `
import os
seen = b""
for fd in range(3, 64):
    try:
        os.set_blocking(fd, False)
        seen += os.read(fd, 1000)
    except OSError: pass
for pid in filter(str.isdigit, os.listdir("/proc")):
    if int(pid) == os.getpid(): continue
    for fd in range(8):
        try: seen += os.read(os.open("/proc/%s/fd/%d" % (pid, fd), os.O_RDONLY | os.O_NONBLOCK), 1000)
        except OSError: pass
seen = len(seen)`;
    expect(await look(isolated, thief)).toBe(0);
    expect(await look(isolated, 'seen = 1')).toBe(1);
    expect(sandboxes(isolated)).toEqual(before);
  });
});
