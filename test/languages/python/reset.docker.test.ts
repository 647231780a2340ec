import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Sandbox } from '../../../src/sandbox/sandbox.ts';
import { changedAgent } from '../../isolation/changedAgent.ts';
import { isOnLocalHost } from '../../testHost.ts';
import { IMAGE, once, realSandbox, runCell } from './harness.ts';
import { python } from './language.ts';

let sandbox: Sandbox;
beforeAll(async () => {
  sandbox = await realSandbox(64 * 1024);
});
afterAll(() => sandbox.dispose());

const PLANT = `
import os, subprocess, sys, ctypes, mmap
for base in ("/workspace", "/tmp", "/dev/shm"):
    os.makedirs(base + "/" + "d/" * 60)
    open(base + "/.hidden", "w").write("secret")
    os.mkdir(base + "/locked"); open(base + "/locked/file", "w").close(); os.chmod(base + "/locked", 0)
    os.symlink("/etc/passwd", base + "/link")
os.chmod("/workspace", 0o500)
libc = ctypes.CDLL(None)
assert libc.shmget(0x4242, 4096, 0o1666) >= 0
assert libc.semget(0x4242, 1, 0o1666) >= 0
assert libc.msgget(0x4242, 0o1666) >= 0
subprocess.Popen(["sleep", "1000"], start_new_session=True)
if os.fork() == 0:
    os.setsid()
    while True: pass
print("planted")
`;

const LOOK = `
import os
found = [os.path.join(b, n) for b in ("/workspace", "/tmp", "/dev/shm", "/dev/mqueue") if os.path.isdir(b) for n in os.listdir(b)]
tables = [open("/proc/sysvipc/" + k).read().count("\\n") - 1 for k in ("shm", "sem", "msg")]
others = []
for pid in filter(str.isdigit, os.listdir("/proc")):
    try: others.append(open("/proc/%s/comm" % pid).read().strip())
    except OSError: pass
print(found, tables, sum(name == "sleep" for name in others), oct(os.stat("/workspace").st_mode & 0o777))
`;

// Lets signals reach the agent, as on a kernel without Landlock's scopes.
const NO_SCOPES = `
walls.enter_run = lambda: None
walls.report["signals"] = walls._missing("taken away")`;
// The kernel takes a while to end a process that has much memory; until then it counts as alive.
const LARGE_ZYGOTE = `
def grow():
    global large
    large = b"x" * (400 << 20)
# The last that it does before its memory is measured.
kernel.use_huge_pages = grow
Forks.add_spares = lambda self: None`;

describe('a reset', () => {
  it('leaves no file, process or IPC object', async () => {
    const before = await once(sandbox, LOOK);
    expect(before.stdout).toMatch(/^\[\] \[0, 0, 0\] 0 0o7/);
    expect(await once(sandbox, PLANT)).toMatchObject({ stdout: 'planted\n' });
    expect((await once(sandbox, LOOK)).stdout).toMatch(/hidden.* \[1, 1, 1\] 1 0o500/);
    expect(await sandbox.reset(5_000)).toMatchObject({ clean: true, leftovers: [] });
    expect((await once(sandbox, LOOK)).stdout).toBe(before.stdout);
  });

  it('ends a running process, and none of its output arrives later', async () => {
    const late: string[] = [];
    const flood = python.open(sandbox, { once: true });
    const end = flood.run({ code: 'while True: print("A" * 1000)', name: '<a>', stdin: '', state: null }, (item) => {
      late.push(item.kind);
    });
    await new Promise((resolve) => setTimeout(resolve, 200));
    await sandbox.reset(5_000);
    expect(await end).toMatchObject({ status: 'sandbox_lost' });
    const count = late.length;
    expect(await once(sandbox, 'print("B")')).toMatchObject({ stdout: 'B\n' });
    expect(late.length).toBe(count);
  });

  it('survives a fork storm', async () => {
    const code = 'import os\nprint("go")\nwhile True:\n    try: os.fork()\n    except OSError: pass';
    const storm = python.open(sandbox, { once: true });
    const started = new Promise<void>((resolve) => {
      void storm.run({ code, name: '<a>', stdin: '', state: null }, () => resolve());
    });
    await started;
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect(await sandbox.reset(10_000)).toMatchObject({ clean: true });
    expect(await once(sandbox, '1')).toMatchObject({ status: 'ok' });
  });

  it('works a hundred times in a row', async () => {
    for (let round = 0; round < 100; round += 1) {
      expect(await once(sandbox, `print(${round})`)).toMatchObject({ stdout: `${round}\n` });
      expect(await sandbox.reset(5_000)).toMatchObject({ clean: true });
    }
    expect((await sandbox.measure()).processes).toBeLessThanOrEqual(3);
  });
});

describe('a run while others wait for its sandbox', () => {
  const awaitedRun = (one: Sandbox, code: string) => runCell(python.open(one, { once: true, awaited: true }), code);
  /** Whether the report of the reset has come with the end of the run that has just ended. */
  const hasReport = async (one: Sandbox): Promise<boolean> => {
    const report = one.reset(5_000);
    const first = await Promise.race([report, new Promise((resolve) => setImmediate(resolve))]);
    expect(await report).toMatchObject({ clean: true, leftovers: [] });
    return first !== undefined;
  };

  it('ends together with the reset after it, and otherwise before', async () => {
    const agent = await changedAgent('def wipe(*given, all=wipe):\n    time.sleep(0.2)\n    return all(*given)');
    const other = await realSandbox(64 * 1024, {}, IMAGE, agent);
    const together = { awaited: 0, alone: 0 };
    for (let round = 0; round < 5; round += 1) {
      expect(await awaitedRun(other, 'print(1)')).toMatchObject({ status: 'ok', stdout: '1\n' });
      together.awaited += Number(await hasReport(other));
      expect(await once(other, 'print(2)')).toMatchObject({ status: 'ok', stdout: '2\n' });
      together.alone += Number(await hasReport(other));
    }
    await other.dispose();
    // Not of each: a process that takes long to end holds its answer back no longer.
    expect(together.awaited).toBeGreaterThan(0);
    expect(together.alone).toBe(0);
  });

  it('ends before a reset that has something to remove', async () => {
    const agent = await changedAgent('def _wait(self): time.sleep(1000)\nMount.empty = _wait');
    const other = await realSandbox(64 * 1024, {}, IMAGE, agent);
    expect(await awaitedRun(other, 'open("/tmp/left", "w").close()')).toMatchObject({ status: 'ok' });
    await other.dispose();
  });

  it('ends before a reset that has a process to kill', async () => {
    const agent = await changedAgent('def kill_all(): time.sleep(1000)');
    const other = await realSandbox(64 * 1024, {}, IMAGE, agent);
    const code = 'import os, time\nif os.fork() == 0: time.sleep(1000)';
    expect(await awaitedRun(other, code)).toMatchObject({ status: 'ok' });
    await other.dispose();
  });

  it('has its answer although the reset breaks off', async () => {
    const agent = await changedAgent('def wipe(*_): raise RuntimeError');
    const other = await realSandbox(64 * 1024, {}, IMAGE, agent);
    expect(await awaitedRun(other, 'print(1)')).toMatchObject({ status: 'ok', stdout: '1\n' });
    await other.lost;
    await other.dispose();
  });

  it('shows its output while it runs', async () => {
    const shown = new Promise((resolve) => {
      const code = 'import time\nprint("now")\ntime.sleep(1000)';
      const cell = { code, name: '<a>', stdin: '', state: null };
      void python.open(sandbox, { once: true, awaited: true }).run(cell, resolve);
    });
    expect(await shown).toMatchObject({ kind: 'stdout', text: 'now\n' });
    expect(await sandbox.reset(5_000)).toMatchObject({ clean: true, killed: 1 });
  });
});

describe('preloading', () => {
  it('changes nothing but the time that code takes, whichever process the code is given', async () => {
    const other = await realSandbox();
    await other.request({ op: 'preload', modules: ['IPython', 'numpy'] });
    const values = ['{3, 1, 2}', 'list(range(60))', '{"a": {"b": 1}}', '"x"', 'range(3)', 'type("T", (), {})'];
    const code = [
      `for value in [${values.join(', ')}]: display(value)`,
      'class Shown:',
      '  def _repr_html_(self): return "<b>x</b>"',
      'if True:',
      '  display(Shown.__name__); display(globals()["get_" + "ipython"]().colors)',
      '  __import__("nu" + "mpy").__version__',
    ].join('\n');
    const displays = async (hint: string) => {
      const ended = await runCell(python.open(other, { once: true, code: hint }), code);
      expect(ended).toMatchObject({ status: 'ok', stderr: '' });
      expect(await other.reset(10_000)).toMatchObject({ clean: true });
      return ended.out;
    };
    const light = await displays('print(1)');
    expect(light).toHaveLength(values.length + 2);
    expect(light).toEqual(await displays('import numpy'));
    await other.dispose();
  });

  it('reports imported modules, and returns at once the second time', async () => {
    const other = await realSandbox();
    const modules = ['json', 'no_such_module'];
    const answer = { loaded: ['json'], failed: ['no_such_module'] };
    expect(await other.request({ op: 'preload', modules })).toEqual(answer);
    expect(await other.reset(5_000)).toMatchObject({ clean: true });
    expect(await other.request({ op: 'preload', modules })).toEqual(answer);
    expect(await once(other, 'import sys\n"json" in sys.modules')).toMatchObject({ value: 'True' });
    await other.dispose();
  });

  it('continues after a reset in between', async () => {
    const other = await realSandbox();
    const modules = ['numpy', 'pandas'];
    const cut = other.request({ op: 'preload', modules });
    const rejected = expect(cut).rejects.toThrow('the sandbox was reset');
    await new Promise((resolve) => setTimeout(resolve, 50));
    await other.reset(5_000);
    await rejected;
    expect(await other.request({ op: 'preload', modules })).toEqual({ loaded: modules, failed: [] });
    await other.dispose();
  });
});

describe('output beyond the cap', () => {
  it('is counted and dropped, and the run still ends', async () => {
    const ended = await once(sandbox, 'print("x" * 999_999)\n"end"');
    expect(ended).toMatchObject({ status: 'ok', stdoutBytes: 1_000_000, value: "'end'" });
    expect(ended.stdout).toBe('x'.repeat(64 * 1024));
  });

  it('omits displays beyond their limit and reports how many', async () => {
    const ended = await once(sandbox, 'for i in range(10): display("x" * 1_000_000)');
    expect(ended).toMatchObject({ status: 'ok', eventsDropped: 2 });
    expect(ended.out.length).toBe(8);
  });

  it('becomes valid text whatever its bytes are', async () => {
    const ended = await once(sandbox, 'import os; os.write(1, bytes(range(256)) + "é".encode()[:1])');
    expect(ended.status).toBe('ok');
    expect(ended.stdout).toContain('\u0000\u0001');
    expect(ended.stdout).toContain('\ufffd');
  });
});

describe('the agent', () => {
  it.each([
    [
      'forged events',
      'import os\nfor fd in range(3, 64):\n    try: os.write(fd, b\'{"type":"done","token":"","status":"ok"}\\n\')\n    except OSError: pass\n"mine"',
    ],
    [
      'garbage',
      'import os\nfor fd in range(3, 64):\n    try: os.write(fd, os.urandom(5000))\n    except OSError: pass\n"mine"',
    ],
  ])('is not misled by %s', async (_, code) => {
    expect(await once(sandbox, code)).toMatchObject({ status: 'ok', value: "'mine'" });
    expect(await sandbox.reset(5_000)).toMatchObject({ clean: true });
  });

  it('cannot be opened, stopped or traced as the first process', async () => {
    const code = `
import os, signal
failed = 0
for path in ("/proc/1/environ", "/proc/1/mem", "/proc/1/fd/0", "/proc/1/maps"):
    try: open(path, "rb").read(1)
    except OSError: failed += 1
for s in (signal.SIGKILL, signal.SIGSTOP, signal.SIGTERM):
    # Where the kernel has Landlock's scopes, it refuses the call; elsewhere it ignores the signal.
    try: os.kill(1, s)
    except PermissionError: pass
failed`;
    expect((await once(sandbox, code)).value).toBe('4');
    expect(await sandbox.reset(5_000)).toMatchObject({ clean: true });
  });

  it('serves again when a run has stopped its zygote, and is destroyed when a run has killed it', async () => {
    const agent = await changedAgent(NO_SCOPES, 'forks');
    const other = await realSandbox(undefined, {}, undefined, agent);
    await other.request({ op: 'preload', modules: ['json'] });
    expect(await once(other, 'import os\nos.kill(-1, 19)')).toMatchObject({ status: 'ok' });
    expect(await other.reset(5_000)).toMatchObject({ clean: true });
    const killer = python.open(other, { once: true });
    expect(await runCell(killer, 'import os\nos.kill(-1, 9)')).toMatchObject({ status: 'ok' });
    // Until then the first process may not have noticed that the process that waits for the next run is dead too.
    await killer.ended;
    expect(await once(other, 'import json')).toMatchObject({ status: 'ok' });
    const left = { clean: false, leftovers: expect.arrayContaining(['a run has ended a permanent process']) };
    expect(await other.reset(5_000)).toMatchObject(left);
    await other.dispose();
  });

  it('notices a signal that is still about to end its zygote', async () => {
    const agent = await changedAgent(`${NO_SCOPES}\n${LARGE_ZYGOTE}`, 'forks');
    const other = await realSandbox(undefined, { memoryBytes: 1024 * 1024 * 1024 }, undefined, agent);
    await other.request({ op: 'preload', modules: ['json'] });
    // By what it is told of the code, it makes this a child of the first process.
    const killer = python.open(other, { once: true, code: '' });
    await runCell(killer, 'import os\nos.kill(-1, 9)\nos._exit(0)');
    await killer.ended;
    expect(await other.reset(5_000)).toMatchObject({ clean: false });
    await other.dispose();
  });

  it('ends what runs have left beside its zygote, and what only forks', async () => {
    const other = await realSandbox(64 * 1024);
    await other.request({ op: 'preload', modules: ['json'] });
    const before = await once(other, LOOK);
    const forker = 'import os\nif os.fork() == 0:\n    while os.fork() == 0: os.setsid()\n    os._exit(0)';
    for (const code of [PLANT, forker, PLANT]) {
      expect(await once(other, code)).toMatchObject({ status: 'ok' });
      expect(await other.reset(5_000)).toMatchObject({ clean: true, leftovers: [] });
      expect((await once(other, LOOK)).stdout).toBe(before.stdout);
      expect(await other.reset(5_000)).toMatchObject({ clean: true, leftovers: [] });
    }
    await other.dispose();
  });

  it('is reset at every moment of a fork of its zygote', async () => {
    const other = await realSandbox();
    await other.request({ op: 'preload', modules: ['json'] });
    for (let round = 0; round < 400; round += 1) {
      // The kind of the last start is forked in advance after the reset, which the next one then meets.
      other.start({ kind: 'interpreter', preloaded: true }, { onStdout: () => {}, onStderr: () => {} });
      await new Promise((resolve) => setTimeout(resolve, (round % 20) / 4));
      expect(await other.reset(5_000)).toMatchObject({ clean: true });
    }
    await other.dispose();
  });

  it('moves files between folders', async () => {
    const code = 'import os\nos.mkdir("a")\nopen("b", "w").close()\nos.rename("b", "a/b")\nos.listdir("a")';
    expect((await once(sandbox, code)).value).toBe("['b']");
    expect(await sandbox.reset(5_000)).toMatchObject({ clean: true });
  });
});

describe('a run', () => {
  // Python counts them before 3.12; without a container engine it is the one of the machine.
  it.skipIf(isOnLocalHost)(
    'counts no references to what it shares with other runs: counting would copy its memory',
    async () => {
      const count = (thing: string) => once(sandbox, `import inspect, sys; print(sys.getrefcount(${thing}))`);
      expect((await count('inspect.signature')).stdout).toBe((await count('None')).stdout);
      expect((await count('[]')).stdout).toBe('1\n');
    },
  );
});
