import { once } from 'node:events';
import { chmod, mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { changedAgent } from './changedAgent.ts';
import { type Isolated, isolationEngine, look, lookAfter, run, sandboxes } from './harness.ts';
import { weakHost } from './weakHost.ts';

/** Each attack leaves in `seen` what it could do; a wall that holds leaves nothing. */
const TRY = `
seen = []
def attempt(name, action):
    try: action()
    except OSError: return
    seen.append(name)
`;

const WRITES = `${TRY}
import mmap, os, socket, subprocess, sys, threading
DIRS, FILES = ("/var/tmp", "/run/lock", "/dev/mqueue", "/"), ("/dev/termination-log", "/var/tmp/planted")
def write(path, flags=0):
    fd = os.open(path, os.O_WRONLY | flags)
    try: os.write(fd, b"x")
    finally: os.close(fd)
def bind(path): socket.socket(socket.AF_UNIX).bind(path)
def shell(text):
    if subprocess.run(["sh", "-c", text], stderr=subprocess.DEVNULL).returncode: raise OSError
open("/tmp/own", "w").close()
for folder in DIRS:
    new = folder + "/new"
    for name, action in {
        "create": lambda: write(new, os.O_CREAT), "folder": lambda: os.mkdir(new), "link": lambda: os.symlink("/tmp", new),
        "pipe": lambda: os.mkfifo(new), "socket": lambda: bind(new), "hard link": lambda: os.link("/tmp/own", new),
        "rename": lambda: os.rename("/tmp/own", new), "unnamed": lambda: write(folder, os.O_TMPFILE),
        "by root": lambda: write("/proc/self/root" + new, os.O_CREAT), "shell": lambda: shell("echo x > " + new),
        "by a folder's descriptor": lambda: os.close(os.open("new", os.O_CREAT | os.O_WRONLY, dir_fd=os.open(folder, os.O_PATH))),
    }.items(): attempt(name + " " + new, action)
for path in FILES:
    if not os.path.exists(path): continue
    os.path.lexists("/tmp/link") and os.unlink("/tmp/link"); os.symlink(path, "/tmp/link")
    seen_by_thread = []
    def in_thread():
        try: write(path)
        except OSError: return
        seen_by_thread.append(1)
    for name, action in {
        "write": lambda: write(path), "append": lambda: write(path, os.O_APPEND), "truncate": lambda: os.truncate(path, 0),
        "open and truncate": lambda: os.close(os.open(path, os.O_RDONLY | os.O_TRUNC)), "by a link": lambda: write("/tmp/link"),
        "by a descriptor": lambda: write("/proc/self/fd/%d" % os.open(path, os.O_PATH)), "remove": lambda: os.unlink(path),
        "reopened": lambda: write("/proc/self/fd/%d" % os.open(path, os.O_RDONLY)),
        "take": lambda: os.rename(path, "/tmp/taken"), "shell": lambda: shell("echo x > " + path),
        "mapped": lambda: mmap.mmap(os.open(path, os.O_RDWR), 1)}.items(): attempt(name + " " + path, action)
    thread = threading.Thread(target=in_thread); thread.start(); thread.join()
    seen += ["thread " + path] * len(seen_by_thread)
`;

/** Adds a rule that would allow everything, in the hope that the kernel adds it to what was denied. */
const OWN_RULES = `
import ctypes, os, struct
libc = ctypes.CDLL(None, use_errno=True)
ruleset = libc.syscall(444, struct.pack("Q", 2), ctypes.c_size_t(8), 0)
libc.syscall(445, ruleset, 1, struct.pack("=Qi", 2, os.open("/", os.O_PATH)), 0)
libc.syscall(446, ruleset, 0)
`;

const CALLS = `${TRY}
import ctypes, os, struct, subprocess, sys
libc = ctypes.CDLL(None, use_errno=True)
libc.syscall.restype = ctypes.c_long
x86 = os.uname().machine == "x86_64"
class Program(ctypes.Structure): _fields_ = [("length", ctypes.c_ushort), ("code", ctypes.c_char_p)]
allow = Program(1, struct.pack("HBBI", 6, 0, 0, 0x7fff0000))
# In the hope that a later filter, or none, replaces the first.
libc.prctl(22, 2, ctypes.byref(allow)); libc.prctl(22, 0, 0)
def call(*numbers):
    ctypes.set_errno(0)
    if libc.syscall(*map(ctypes.c_long, numbers)) < 0 and ctypes.get_errno() in (1, 38): raise OSError
for name, (number, *arguments) in {
    "io_uring_setup": (425, 1, 0), "userfaultfd": (323 if x86 else 282, 1), "ptrace": (101 if x86 else 117, 9999, 0),
    "keyctl": (250 if x86 else 219, 0, -3, 1), "vsock": (41 if x86 else 198, 40, 1, 0), "bpf": (321 if x86 else 280, 0, 0, 0),
    "netlink": (41 if x86 else 198, 16, 3, 0), "memfd_secret": (447, 0), "mq_open": (240 if x86 else 180, 0, 0),
    "personality": (135 if x86 else 92, 0x40000), "limits of the agent": (302 if x86 else 261, 1, 7, ctypes.addressof(allow), 0),
    "user namespace": (272 if x86 else 97, 0x10000000),
}.items():
    attempt(name, lambda: call(number, *arguments))
program = "import ctypes; print(ctypes.CDLL(None, use_errno=True).syscall(425, 1, 0) < 0 and ctypes.get_errno())"
if subprocess.run([sys.executable, "-c", program], capture_output=True).stdout.strip() != b"38": seen.append("another program")
`;

const PRIVILEGES = `${TRY}
import ctypes
status = dict(line.split(":\\t") for line in open("/proc/self/status").read().splitlines())
seen += [name for name in ("CapInh", "CapPrm", "CapEff", "CapAmb") if int(status[name], 16)]
libc = ctypes.CDLL(None)
libc.prctl(38, 0, 0, 0, 0)
if libc.prctl(39, 0, 0, 0, 0) != 1: seen.append("new privileges")
`;

const LIMITS = `${TRY}
import resource
for name in ("CORE", "NOFILE", "STACK", "MSGQUEUE", "NPROC", "SIGPENDING"):
    number = getattr(resource, "RLIMIT_" + name)
    hard = resource.getrlimit(number)[1]
    if hard == resource.RLIM_INFINITY or hard > 1 << 23: seen.append(name)
    try: resource.setrlimit(number, (hard, hard + 1))
    except (OSError, ValueError): continue
    seen.append("more " + name)
`;

const ENVIRONMENT = `
import os, subprocess
texts = [str(dict(os.environ)), *[open("/proc/%s/environ" % who).read() for who in ("self", os.getpid())]]
seen = ["KUBERNETES" in text or "REDIS" in text for text in (*texts, subprocess.run("env", capture_output=True, text=True).stdout)]
seen = [place for place, found in zip(("here", "self", "pid", "program"), seen) if found]
`;

/** A file and a folder of the host that everyone may write to, as clusters bind them into containers. */
let folder: string;
const log = () => path.join(folder, 'termination-log');

/** Docker without the walls that the agent can build itself. */
const weak = () =>
  weakHost((options) => ({
    ...options,
    Env: [...(options.Env ?? []), 'KUBERNETES_SERVICE_HOST=10.0.0.1', 'REDIS_PORT=tcp://10.0.0.2:6379'],
    HostConfig: {
      ...options.HostConfig,
      CapDrop: [],
      SecurityOpt: ['seccomp=unconfined'],
      ReadonlyRootfs: false,
      Ulimits: [],
      Binds: [`${log()}:/dev/termination-log`],
    },
  }));

/** The attacks, with what takes away the wall that stops them: Python at the end of the module `walls`. */
const WALLS: Readonly<Record<string, readonly [attack: string, remove: string]>> = {
  'files outside of the writable folders': [WRITES, '_restrict_writes = lambda plan: _holds()'],
  'files, with rules of its own': [OWN_RULES + WRITES, '_restrict_writes = lambda plan: _holds()'],
  'system calls': [CALLS, '_filter_calls = lambda filters: _holds()'],
  privileges: [PRIVILEGES, '_drop_privileges = lambda: _holds()'],
  'resource limits': [LIMITS, '_set_limits = lambda limits: _holds()'],
  environment: [ENVIRONMENT, '_clean_environment = lambda: _holds()'],
};

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'hothouse-walls-'));
});
beforeEach(async () => {
  await rm(log(), { force: true });
  await writeFile(log(), '');
  await chmod(log(), 0o666);
});
afterAll(() => rm(folder, { recursive: true }));

describe('row 55: walls that the agent builds where the host builds none', () => {
  let isolated: Isolated;
  beforeEach(async () => {
    isolated = await isolationEngine({}, { connect: weak });
  });
  afterEach(() => isolated.dispose());

  it.each(Object.entries(WALLS))('stop attacks on %s', async (_, [attack]) => {
    expect(await look(isolated, attack)).toEqual([]);
  });
});

describe('row 55: without one of these walls', () => {
  it.each(Object.entries(WALLS))('the attack succeeds on %s', async (_, [attack, remove]) => {
    const isolated = await isolationEngine({}, { connect: weak, agent: await changedAgent(remove, 'walls') });
    try {
      expect(await look(isolated, attack)).not.toEqual([]);
    } finally {
      await isolated.dispose();
    }
  });
});

describe('row 55: a change of the agent itself that no filter of system calls prevents', () => {
  it('destroys the sandbox', async () => {
    const agent = await changedAgent('_filter_calls = lambda filters: _missing("taken away")', 'walls');
    const isolated = await isolationEngine({}, { connect: weak, agent });
    try {
      await look(isolated, 'seen = 1');
      const before = sandboxes(isolated);
      const attack = 'import os\nos.setpriority(os.PRIO_PROCESS, 1, 19)\nseen = os.getpriority(os.PRIO_PROCESS, 1)';
      expect(await look(isolated, attack)).toBe(19);
      expect(await look(isolated, 'import os\nseen = os.getpriority(os.PRIO_PROCESS, 1)')).toBe(0);
      expect(sandboxes(isolated)).not.toContain(before[0]);
    } finally {
      await isolated.dispose();
    }
  });
});

describe('row 55: a file of the host that code can write to', () => {
  const WRITE = `
import os
with open("/dev/termination-log", "w") as file: file.write("secret")
os.setxattr("/dev/termination-log", "user.secret", b"s")`;
  const LOOK = 'import os\nseen = [open("/dev/termination-log").read(), os.listxattr("/dev/termination-log")]';
  const withoutLandlock = 'version = lambda: 0';
  const engineWith = async (code: string, module: string) =>
    isolationEngine({}, { connect: weak, agent: await changedAgent(code, module) });

  it('is emptied by a reset when the kernel has no Landlock', async () => {
    const isolated = await engineWith(withoutLandlock, 'landlock');
    try {
      expect(await lookAfter(isolated, WRITE, LOOK)).toEqual(['', []]);
      expect((await stat(log())).size).toBe(0);
    } finally {
      await isolated.dispose();
    }
  });

  it('keeps the secret of a run when no reset checks it', async () => {
    const noFiles = 'files = lambda: []\nfrom . import landlock\nlandlock.version = lambda: 0';
    const isolated = await engineWith(noFiles, 'writable');
    try {
      expect(await lookAfter(isolated, WRITE, LOOK)).toEqual(['secret', ['user.secret']]);
    } finally {
      await isolated.dispose();
    }
  });

  it('has no attributes of a run after a reset, which Landlock does not prevent', async () => {
    const isolated = await isolationEngine({}, { connect: weak });
    try {
      const plant = 'import os\nos.setxattr("/dev/termination-log", "user.secret", b"s")';
      expect(await lookAfter(isolated, plant, LOOK)).toEqual(['', []]);
    } finally {
      await isolated.dispose();
    }
  });
});

describe('row 55: an unexpected network', () => {
  const connected = () =>
    weakHost((options) => ({
      ...options,
      HostConfig: { ...options.HostConfig, NetworkMode: 'bridge', Sysctls: {} },
    }));

  it('prevents code from running, and leaves no container', async () => {
    const isolated = await isolationEngine({}, { connect: connected });
    try {
      const { status, error } = await run(isolated, 'print("ran")');
      expect(status).toBe('rejected');
      expect(error?.message).toMatch(/Sandboxes can reach a network here \(eth0, a route\).*network\.policy/);
      expect(await isolated.containers()).toEqual([]);
    } finally {
      await isolated.dispose();
    }
  });

  it('has no TCP for code even if the engine does not check', async () => {
    const blind = '_check_network = lambda plan: _holds()';
    const isolated = await isolationEngine({}, { connect: connected, agent: await changedAgent(blind, 'walls') });
    const connect = `
import socket
seen = []
for address in ("127.0.0.1", "172.17.0.1", "1.1.1.1"):
    try: socket.create_connection((address, 80), 2)
    except PermissionError: continue
    except OSError as error: pass
    seen.append(address)
try: socket.create_server(("", 0)); seen.append("server")
except PermissionError: pass`;
    try {
      expect(await look(isolated, connect)).toEqual([]);
    } finally {
      await isolated.dispose();
    }
  });
});

describe('row 55: the report of the walls', () => {
  const statesOf = async (weaken: Parameters<typeof weakHost>[0]) => {
    const isolated = await isolationEngine({}, { connect: () => weakHost(weaken) });
    try {
      const walls = await isolated.engine.checkWalls('python');
      if (!walls.ok) throw new Error(walls.error.message);
      return Object.fromEntries(Object.entries(walls.value).map(([name, { state }]) => [name, state]));
    } finally {
      await isolated.dispose();
    }
  };

  it('names what a host does not have', async () => {
    const states = await statesOf((options) => ({
      ...options,
      HostConfig: {
        ...options.HostConfig,
        ...{ ReadonlyRootfs: false, Memory: 0, MemorySwap: 0, PidsLimit: 0, OomScoreAdj: 1_000 },
      },
    }));
    expect(states).toMatchObject({
      readOnlyRoot: 'missing',
      memory: 'missing',
      processes: 'missing',
      outOfMemory: 'missing',
      network: 'holds',
      privileges: 'holds',
    });
  });

  it('names a socket of the host, which nothing closes', async () => {
    const socket = path.join(folder, 'socket');
    const server = createServer().listen(socket);
    await once(server, 'listening');
    await chmod(socket, 0o666);
    try {
      const states = await statesOf((options) => ({
        ...options,
        HostConfig: { ...options.HostConfig, Binds: [`${socket}:/run/host.sock`] },
      }));
      expect(states).toMatchObject({ hostFiles: 'missing', readOnlyRoot: 'holds' });
    } finally {
      server.close();
    }
  });
});
