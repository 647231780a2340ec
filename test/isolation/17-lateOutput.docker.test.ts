import { describe, expect, it } from 'vitest';
import { fileFixture } from '../fileFixture.ts';
import { isolationEngine, OWNER, run, sandboxes } from './harness.ts';

const PAIRS = 1_000;

// A daemon that keeps writing to everything the run could write to, events included, after the run has ended.
const A = `
import os, time
print("A")
if os.fork() == 0:
    os.setsid()
    ways = []
    for fd in range(1, 64):
        try: ways.append(os.open("/proc/self/fd/%d" % fd, os.O_WRONLY | os.O_NONBLOCK))
        except OSError: pass
    time.sleep(0.001)
    while True:
        for fd in ways:
            try: os.write(fd, b"A" * 1000 + b"\\n")
            except OSError: pass`;

const isolated = fileFixture(() => isolationEngine({ pool: { maxUses: 3 * PAIRS } }));

describe('row 17: late output', () => {
  it(`is not in the next run: ${PAIRS} pairs in one sandbox, 0 bytes of A in B`, async () => {
    await run(isolated, '1');
    const first = sandboxes(isolated);
    let late = 0;
    for (let pair = 0; pair < PAIRS; pair += 1) {
      let answered = false;
      const onOutput = () => {
        if (answered) late += 1;
      };
      const a = await isolated.engine.run({ language: 'python', code: A, owner: OWNER }, onOutput);
      answered = true;
      expect(a.status).toBe('ok');
      const { status, stdout, stderr, displays } = await run(isolated, 'print("B")');
      expect({ status, stdout, stderr, displays }).toEqual({ status: 'ok', stdout: 'B\n', stderr: '', displays: [] });
    }
    expect(late).toBe(0);
    expect(sandboxes(isolated)).toEqual(first);
  });
});
