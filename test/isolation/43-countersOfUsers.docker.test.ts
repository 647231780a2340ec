import { describe, expect, it } from 'vitest';
import type { Owner } from '../../src/engine/types.ts';
import { fileFixture } from '../fileFixture.ts';
import { isolationEngine, look } from './harness.ts';

const NEIGHBOUR: Owner = { id: 'neighbour', kind: 'mcp', label: 'neighbour' };

/** What the kernel counts per user id, not per container; each is used up to its limit and held. */
const GREEDY = {
  'descriptors in flight': `
import array, socket
held = []
try:
    while True:
        ends = socket.socketpair()
        for _ in range(200):
            ends[0].sendmsg([b"x"], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", [0] * 25))])
        held.append(ends)
except OSError as error: print(error, len(held))`,
  'watches of files': `
import ctypes
libc = ctypes.CDLL(None)
held = [libc.inotify_init1(0) for _ in range(200)]
print(max(held))`,
  'timers and signals': `
import ctypes
libc = ctypes.CDLL(None)
timer = ctypes.c_void_p()
count = 0
while libc.timer_create(0, None, ctypes.byref(timer)) == 0: count += 1
print(count)`,
  'pages of pipes': `
import fcntl, os
held = []
try:
    while True:
        held.append(os.pipe())
        fcntl.fcntl(held[-1][1], 1031, 1 << 20)
except OSError as error: print(error, len(held))`,
  processes: `
import os
count = 0
try:
    while os.fork(): count += 1
    import time
    time.sleep(1000)
except OSError as error: print(error, count)`,
};

/** A little of each, as honest code needs it. */
const MODEST = `
import array, asyncio, ctypes, fcntl, os, socket, subprocess
libc = ctypes.CDLL(None)
ends = socket.socketpair()
for _ in range(10):
    ends[0].sendmsg([b"x"], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", [0] * 25))])
watcher = libc.inotify_init1(0)
timer = ctypes.c_void_p()
pipe = os.pipe()
seen = [watcher >= 0, libc.timer_create(0, None, ctypes.byref(timer)), fcntl.fcntl(pipe[1], 1032),
        subprocess.check_output(["echo", "hi"]).decode(), os.getuid() >= 10_000]`;

const isolated = fileFixture(() => isolationEngine({ pool: { size: 2 } }));

describe('row 43: a resource of the whole machine', () => {
  it('is not available: terminals', async () => {
    const code = `
import os
seen = 0
for open_one in (os.openpty, lambda: os.open("/dev/ptmx", os.O_RDWR), lambda: os.open("/dev/pts/ptmx", os.O_RDWR)):
    try: seen += bool(open_one())
    except OSError: pass`;
    expect(await look(isolated, code)).toBe(0);
  });
});

describe('row 43: a resource counted per user', () => {
  it.each(Object.entries(GREEDY))(
    'stays available to other owners when one sandbox uses all of it: %s',
    async (_, code) => {
      const greedy = new AbortController();
      let ready = () => {};
      const full = new Promise<void>((resolve) => {
        ready = resolve;
      });
      const owner: Owner = { id: 'greedy', kind: 'mcp', label: 'greedy' };
      const request = {
        language: 'python' as const,
        owner,
        code: `${code}\nimport time\nprint("full", flush=True)\ntime.sleep(100)`,
      };
      let printed = '';
      const onOutput = (output: { kind: string; text?: string }) => {
        printed += output.text ?? '';
        if (printed.includes('full')) ready();
      };
      const running = isolated.engine.run(request, onOutput, greedy.signal);
      await Promise.race([full, running]);
      for (let round = 0; round < 5; round += 1) {
        expect(await look(isolated, MODEST, { owner: NEIGHBOUR })).toEqual([true, 0, 65_536, 'hi\n', true]);
      }
      greedy.abort();
      expect((await running).status).toBe('interrupted');
    },
  );
});
