import type { OutcomeStatus } from '../../src/engine/types.ts';

/** Something to run, and how it may end. */
export interface Job {
  readonly name: string;
  readonly code: string;
  readonly ends: readonly OutcomeStatus[];
  /** What it must have printed when it ends `ok`. */
  readonly stdout?: string;
  readonly timeoutSeconds?: number;
  /** Milliseconds after which its caller gives it up. */
  readonly cancelAfterMs?: number;
}

/** What honest code does. */
export const HONEST: readonly Job[] = [
  { name: 'print', code: 'print(6 * 7)', ends: ['ok'], stdout: '42\n' },
  { name: 'numbers', code: 'import numpy\nprint(int(numpy.arange(1000).sum()))', ends: ['ok'], stdout: '499500\n' },
  {
    name: 'files',
    code: 'import os\nfor n in range(50): open(f"f{n}", "w").write("x" * 1000)\nprint(len(os.listdir(".")))',
    ends: ['ok'],
    stdout: '50\n',
  },
  { name: 'error', code: '1 / 0', ends: ['error'] },
  { name: 'exit', code: 'import sys\nsys.exit(3)', ends: ['error'] },
  { name: 'child', code: 'import subprocess\nprint(subprocess.call(["true"]))', ends: ['ok'], stdout: '0\n' },
  { name: 'reads', code: 'try: input()\nexcept EOFError: print("end")', ends: ['ok'], stdout: 'end\n' },
  { name: 'late', code: 'import time\ntime.sleep(60)', ends: ['timeout'], timeoutSeconds: 0.5 },
  { name: 'cancelled', code: 'import time\ntime.sleep(60)', ends: ['interrupted'], cancelAfterMs: 300 },
];

const STUBBORN = 'import signal\nfor n in (1, 2, 3, 15): signal.signal(n, signal.SIG_IGN)\n';

/** What hostile code does; whatever it comes to, the next run must find nothing of it. */
export const HOSTILE: readonly Job[] = [
  {
    name: 'fork storm',
    code: 'import os\nwhile True:\n  try: os.fork()\n  except OSError: pass',
    ends: ['timeout'],
    timeoutSeconds: 1,
  },
  { name: 'memory bomb', code: 'x = []\nwhile True: x.append(bytearray(1 << 22))', ends: ['out_of_memory', 'error'] },
  {
    name: 'disk fill',
    code: 'try:\n  with open("/tmp/big", "wb") as f:\n    while True: f.write(bytes(1 << 20))\nexcept OSError as e: print(e.errno)',
    ends: ['ok', 'out_of_memory'],
    stdout: '28\n',
  },
  { name: 'flood', code: 'import os\nfor _ in range(100): os.write(1, b"x" * (1 << 20))', ends: ['ok'] },
  { name: 'stubborn', code: `${STUBBORN}while True: pass`, ends: ['timeout'], timeoutSeconds: 0.5 },
  {
    name: 'daemon',
    code: `import os, time\n${STUBBORN}if os.fork() == 0:\n  os.setsid()\n  if os.fork() == 0:\n    while True: time.sleep(1)\n  os._exit(0)`,
    ends: ['ok', 'error'],
  },
  { name: 'kills all', code: 'import os\nos.kill(-1, 9)', ends: ['error', 'sandbox_lost'] },
  { name: 'plants', code: 'import os\nos.makedirs("a/" * 500, exist_ok=True)\nos.chmod("a", 0)', ends: ['ok'] },
  {
    name: 'shared memory',
    code: 'import ctypes\nc = ctypes.CDLL(None)\nfor n in range(20): c.shmget(n + 1, 4096, 0o1600); c.msgget(n + 1, 0o1600)',
    ends: ['ok'],
  },
  {
    name: 'forged frames',
    code: 'import os\nfor fd in range(3, 64):\n  try: os.write(fd, b"E" * 500)\n  except OSError: pass',
    ends: ['ok', 'error', 'sandbox_lost'],
  },
  {
    name: 'recursion',
    code: 'import sys\nsys.setrecursionlimit(10**6)\ndef f(): return f() + 1\nf()',
    ends: ['error', 'out_of_memory'],
  },
  {
    name: 'threads',
    code: 'import threading, time\ntry:\n  for _ in range(1000): threading.Thread(target=time.sleep, args=(9,), daemon=True).start()\nexcept RuntimeError: print("no")',
    ends: ['ok', 'error'],
  },
];
