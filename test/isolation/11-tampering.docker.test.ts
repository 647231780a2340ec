import { describe, expect, it } from 'vitest';
import { fileFixture } from '../fileFixture.ts';
import { changedAgent } from './changedAgent.ts';
import { isolationEngine, look, lookAfter, run, sandboxes } from './harness.ts';

/** `agent`: the processes that are not this run's own; PID 1 is the first. */
const AGENT_PIDS = `
import os
def parent(pid):
    with open("/proc/%d/stat" % pid) as file: return int(file.read().rpartition(")")[2].split()[1])
mine = {os.getpid()}
agent = sorted(pid for pid in map(int, filter(str.isdigit, os.listdir("/proc"))) if pid not in mine)
`;

// Each attack prints what it gained; a denied attack prints nothing.
const OPEN = `${AGENT_PIDS}
seen = []
def attempt(name, action):
    try: seen.append([name, action()])
    except OSError: pass
for pid in agent:
    base = "/proc/%d/" % pid
    for name in ("mem", "environ", "maps", "auxv", "stack", "syscall", "pagemap"):
        attempt(base + name, lambda: bool(open(base + name, "rb").read(1)))
    for name in ("mem", "oom_score_adj", "comm", "coredump_filter", "clear_refs", "autogroup"):
        attempt(base + name, lambda: os.close(os.open(base + name, os.O_WRONLY)))
    for name in ("fd", "fdinfo", "map_files", "task/%d/fd" % pid): attempt(base + name, lambda: os.listdir(base + name))
    for name in ("exe", "cwd", "root", "ns/pid", "fd/3"): attempt(base + name, lambda: os.readlink(base + name))
    for fd in range(32):
        for flag in (os.O_RDONLY, os.O_WRONLY): attempt(base + "fd", lambda: os.close(os.open(base + "fd/%d" % fd, flag)))
`;

const TRACE = `${AGENT_PIDS}
import ctypes
libc = ctypes.CDLL(None, use_errno=True)
libc.ptrace.restype = ctypes.c_long
class Vector(ctypes.Structure): _fields_ = [("base", ctypes.c_void_p), ("length", ctypes.c_size_t)]
buffer = ctypes.create_string_buffer(8)
here = Vector(ctypes.cast(buffer, ctypes.c_void_p), 8)
there = Vector(id(libc), 8)
ATTACH, SEIZE = 16, 0x4206
PIDFD_GETFD = 438
seen = []
for pid in agent:
    for request in (ATTACH, SEIZE):
        if libc.ptrace(request, pid, None, None) == 0: seen.append(["ptrace", pid])
    for call in (libc.process_vm_readv, libc.process_vm_writev):
        if call(pid, ctypes.byref(here), 1, ctypes.byref(there), 1, 0) >= 0: seen.append(["memory", pid])
    handle = os.pidfd_open(pid)
    for fd in range(16):
        if libc.syscall(PIDFD_GETFD, handle, fd, 0) >= 0: seen.append(["descriptor", pid])`;

// SIGCHLD is the only signal that the first process handles; it then asks the kernel which child has ended.
const SIGNAL_INIT = `
import os, time
for round in range(3):
    for number in range(1, 65):
        try: os.kill(1, number)
        except OSError: pass
time.sleep(0.2)
seen = open("/proc/1/stat").read().rpartition(")")[2].split()[0]`;

// Lasting marks on the first process, of which every later run is a copy.
const STANDING = `
import os
limits = open("/proc/1/limits").read()
seen = [limits, os.getpriority(os.PRIO_PROCESS, 1), sorted(os.sched_getaffinity(1)), os.sched_getscheduler(1)]`;
const MARKS = {
  limits: 'import resource\nattempt = lambda pid: resource.prlimit(pid, resource.RLIMIT_NOFILE, (1, 1))',
  priority: 'attempt = lambda pid: os.setpriority(os.PRIO_PROCESS, pid, 19)',
  'priority of a group': 'attempt = lambda pid: os.setpriority(os.PRIO_PGRP, pid, 19)',
  'priority of the user': 'attempt = lambda pid: os.setpriority(os.PRIO_USER, os.getuid(), 19)',
  'priority of this group': 'attempt = lambda pid: os.setpriority(os.PRIO_PGRP, 0, 19)',
  processors: 'attempt = lambda pid: os.sched_setaffinity(pid, {min(os.sched_getaffinity(0))})',
  scheduler: 'attempt = lambda pid: os.sched_setscheduler(pid, os.SCHED_IDLE, os.sched_param(0))',
  'scheduling parameters': 'attempt = lambda pid: os.sched_setparam(pid, os.sched_param(0))',
};
const MARK_ALL = `${AGENT_PIDS}
seen = []
for pid in agent:
    try: attempt(pid)
    except PermissionError: continue
    seen.append(pid)`;

const isolated = fileFixture(() => isolationEngine());

describe('row 11: tampering with the agent', () => {
  it('cannot open its memory, environment, descriptors or settings', async () => {
    expect(await look(isolated, OPEN)).toEqual([]);
  });

  it('cannot trace it, nor read, write or take from its memory', async () => {
    expect(await look(isolated, TRACE)).toEqual([]);
  });

  it('cannot end, stop or confuse its first process with any signal', async () => {
    const quiet = 'seen = "quiet"';
    expect(await lookAfter(isolated, SIGNAL_INIT, SIGNAL_INIT)).toMatch(/^[SR]$/);
    expect(await lookAfter(isolated, SIGNAL_INIT, quiet)).toBe('quiet');
  });

  it('cannot signal any of its processes, where Landlock has scopes', async () => {
    const attack = `${AGENT_PIDS}
import signal
seen = []
for pid in agent:
    for number in (0, signal.SIGUSR1, signal.SIGSTOP, signal.SIGKILL):
        for send in (os.kill, lambda pid, number: signal.pidfd_send_signal(os.pidfd_open(pid), number)):
            try: send(pid, number)
            except PermissionError: continue
            seen.append([pid, int(number)])`;
    await warm();
    const [walls] = isolated.engine.snapshot().environments.flatMap((environment) => environment.walls ?? []);
    expect(walls?.signals).toMatchObject({ state: expect.stringMatching(/holds|missing/) });
    if (walls?.signals.state === 'holds') expect(await look(isolated, attack)).toEqual([]);
  });

  it.each([
    ['SIGSTOP', 'keeps'],
    ['SIGKILL', 'replaces'],
  ])(
    'with %s on its other processes harms no run; the reset %s the sandbox, where Landlock has no scopes',
    async (signal) => {
      const agent = await changedAgent('_prepare_scope = lambda: _missing("taken away")', 'walls');
      const isolated = await isolationEngine({ python: { preload: ['json'] } }, { agent });
      await look(isolated, 'seen = 1');
      const before = sandboxes(isolated);
      const attack = `${AGENT_PIDS}
import signal
for pid in agent[1:]: os.kill(pid, signal.${signal})
print(len(agent) > 1)`;
      expect(await run(isolated, attack)).toMatchObject({ status: 'ok', stdout: 'True\n' });
      expect(await look(isolated, 'seen = 1')).toBe(1);
      if (signal === 'SIGSTOP') expect(sandboxes(isolated)).toEqual(before);
      else expect(sandboxes(isolated)).not.toContain(before[0]);
      await isolated.dispose();
    },
  );

  it.each(Object.entries(MARKS))('does not affect later runs: %s', async (_, attack) => {
    const before = await look(isolated, STANDING);
    expect(await look(isolated, `import os\n${attack}\n${MARK_ALL}`)).toEqual([]);
    expect(await look(isolated, STANDING)).toEqual(before);
  });

  it('does not prevent a run from changing its own limits', async () => {
    const own = `
import os, resource
os.nice(1)
os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
os.sched_setscheduler(0, os.SCHED_BATCH, os.sched_param(0))
resource.setrlimit(resource.RLIMIT_NOFILE, (64, 64))
seen = [os.getpriority(os.PRIO_PROCESS, 0), os.sched_getscheduler(0), resource.getrlimit(resource.RLIMIT_NOFILE)]`;
    expect(await look(isolated, own)).toEqual([1, 3, [64, 64]]);
  });

  async function warm(): Promise<string> {
    await look(isolated, 'seen = 1');
    return sandboxes(isolated)[0] ?? '';
  }
});
