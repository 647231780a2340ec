import type { OutcomeStatus } from '../../src/engine/types.ts';
import { STARVE_AGENT } from '../isolation/starveAgent.ts';

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
  {
    name: 'server',
    code: 'import socket\nwith socket.create_server(("127.0.0.1", 4242)): print(socket.gethostname())',
    ends: ['ok'],
    stdout: 'sandbox\n',
  },
  { name: 'cancelled', code: 'import time\ntime.sleep(60)', ends: ['interrupted'], cancelAfterMs: 300 },
];

/** Writes events past the driver, with its own token. */
const FORGE = `
import os, sys
driver = sys.modules["hothouse_agent.interpreter"]._interpreter
def flood(kind, fields, times):
    data = ('\\n{"type": "%s", "token": "%s", %s}\\n' % (kind, driver._token, fields)).encode() * times
    view = memoryview(data)
    while view: view = view[os.write(driver._sequencer._order[2], view):]
`;

const STUBBORN = 'import signal\nfor n in (1, 2, 3, 15): signal.signal(n, signal.SIG_IGN)\n';

/** What hostile code does; whatever it comes to, the next run must find nothing of it. */
export const HOSTILE: readonly Job[] = [
  {
    name: 'fork storm',
    code: 'import os\nwhile True:\n  try: os.fork()\n  except OSError: pass',
    // On a busy machine its agent may not get the CPU to stop it in time: then its own sandbox is destroyed.
    ends: ['timeout', 'sandbox_lost'],
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
  // The kernel spares the caller; what else dies with the zygote depends on which process the run was forked from.
  { name: 'kills all', code: 'import os\nos.kill(-1, 9)', ends: ['ok', 'error', 'sandbox_lost'] },
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
  {
    name: 'poisons imports',
    code: 'import os\nfor f in ("matplotlibrc", "sitecustomize.py", "numpy.py", "json.py"):\n  for d in (".", "/tmp"): open(d + "/" + f, "w").write("raise SystemExit(9)")',
    ends: ['ok'],
  },
  {
    name: 'puts the agent aside',
    code: `${STARVE_AGENT}
while True: pass`,
    ends: ['timeout'],
    timeoutSeconds: 1,
  },
  {
    name: 'descriptors in flight',
    code: `import array, socket
held = []
try:
  while True:
    held.append(socket.socketpair())
    for _ in range(200): held[-1][0].sendmsg([b"x"], [(1, 1, array.array("i", [0] * 25))])
except OSError: pass
import time
time.sleep(0.5)`,
    ends: ['ok'],
  },
  {
    name: 'watches, timers and pipes',
    code: `import ctypes, fcntl, os
c = ctypes.CDLL(None)
timer = ctypes.c_void_p()
held = [c.inotify_init1(0) for _ in range(200)]
while c.timer_create(0, None, ctypes.byref(timer)) == 0: pass
try:
  while True: fcntl.fcntl(os.pipe()[1], 1031, 1 << 20)
except OSError: pass`,
    ends: ['ok'],
  },
  {
    name: 'floods of events',
    code: `${FORGE}
flood("display", '"data": {"text/plain": "x"}, "id": "a"', 50_000)
flood("update", '"data": {"text/plain": "y"}, "id": "a"', 50_000)
flood("clear", '"wait": true', 10_000)
print("done")`,
    ends: ['ok'],
    stdout: 'done\n',
  },
  {
    name: 'deep and wide events',
    code: `${FORGE}
flood("display", '"data": {"application/json": %s%s}, "id": null' % ("[" * 1_000_000, "]" * 1_000_000), 1)
flood("state", '"state": {"x": [%s0]}, "leftOut": []' % ("0," * 1_000_000), 1)
flood("result", '"data": {"no mime type": 1}', 10)
print("done")`,
    ends: ['ok'],
    stdout: 'done\n',
  },
  {
    name: 'access lists and attributes',
    code: `import os, struct
acl = struct.pack("<I", 2) + b"".join(struct.pack("<HHI", t, p, 0xFFFFFFFF) for t, p in ((1, 7), (4, 0), (16, 0), (32, 0)))
for base in ("/workspace", "/tmp", "/dev/shm"):
  os.setxattr(base, "system.posix_acl_default", acl)
  os.setxattr(base, "user.x", b"x")
  os.utime(base, (1, 1))`,
    ends: ['ok'],
  },
  {
    name: 'lingering connections',
    code: `import socket
server = socket.create_server(("127.0.0.1", 4242))
client = socket.create_connection(("127.0.0.1", 4242))
other, _ = server.accept()
other.close(), client.close(), server.close()`,
    ends: ['ok'],
  },
  {
    name: 'connections that no process holds',
    code: `import socket
server = socket.create_server(("127.0.0.1", 0), backlog=400)
for _ in range(300):
  client = socket.create_connection(server.getsockname())
  client.setblocking(False)
  client.send(b"x" * 60_000)
  client.close()`,
    ends: ['ok', 'error'],
  },
  {
    name: 'many sockets',
    code: `import os, socket, time
for _ in range(4):
  if os.fork() == 0:
    held = [socket.socket() for _ in range(600)]
    time.sleep(20)
time.sleep(20)`,
    ends: ['sandbox_lost', 'out_of_memory'],
    timeoutSeconds: 20,
  },
  {
    name: 'reads its own streams',
    code: `${FORGE}
stream = os.open("/proc/self/fd/1", os.O_RDONLY | os.O_NONBLOCK)
if os.fork() == 0:
  while True:
    try: os.read(stream, 1 << 16)
    except OSError: pass
for _ in range(1000):
  os.write(1, b"x" * 1000)
  flood("no event", '"data": 1', 1)`,
    ends: ['ok'],
  },
];
