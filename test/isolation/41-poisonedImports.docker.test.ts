import { describe, expect, it } from 'vitest';
import { fileFixture } from '../fileFixture.ts';
import { once, realSandbox } from '../languages/python/harness.ts';
import { isolationEngine, look } from './harness.ts';

const MODULES = ['numpy', 'pandas', 'matplotlib.pyplot', 'IPython'];

/** Matplotlib evaluates this setting, and frames lead from its empty namespace to the one of its caller. */
const CYCLE = `
axes.prop_cycle: [g := (g.gi_frame.f_back.f_back for _ in [1]), f := [*g][0], f.f_builtins['exec']("import builtins; builtins.poisoned = 'matplotlibrc'", f.f_globals)][0] and cycler('color', ['r'])
`;

/** One file of every kind that Python, the preloaded libraries and libc read, in each place that a run can write to. */
const PLANT = `
import os
CYCLE = ${JSON.stringify(CYCLE)}
def mark(name): return "import builtins\\nbuiltins.poisoned = %r\\n" % name
version = "python3.%d" % __import__("sys").version_info.minor
def plant(path, text):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w") as file: file.write(text)
for base in ("/workspace", "/tmp", "/dev/shm"):
    for folder in ("", "/matplotlib", "/.matplotlib", "/.config/matplotlib", "/.cache/matplotlib", "/cache/matplotlib"):
        plant(base + folder + "/matplotlibrc", CYCLE)
        plant(base + folder + "/stylelib/default.mplstyle", CYCLE)
        plant(base + folder + "/fontlist-v390.json", "{")
    for folder in ("", "/ipython", "/.ipython", "/.config/ipython"):
        plant(base + folder + "/profile_default/ipython_config.py", mark("ipython_config"))
        plant(base + folder + "/profile_default/startup/00-poison.py", mark("ipython startup"))
        plant(base + folder + "/ipython_config.py", mark("ipython_config"))
    for folder in ("", "/.local/lib/" + version + "/site-packages", "/lib/" + version + "/site-packages"):
        for name in ("sitecustomize", "usercustomize", "numpy", "pandas", "IPython", "matplotlib", "json", "jedi", "cycler"):
            plant(base + folder + "/" + name + ".py", mark(name))
            plant(base + folder + "/__pycache__/" + name + ".cpython-313.pyc", "x")
        plant(base + folder + "/poison.pth", "import builtins; builtins.poisoned = 'pth'")
    plant(base + "/.pythonrc.py", mark("pythonrc"))
    plant(base + "/pyvenv.cfg", "home = %s\\ninclude-system-site-packages = true\\n" % base)
    plant(base + "/.numpy-site.cfg", "[DEFAULT]\\n")
    plant(base + "/site.cfg", "[DEFAULT]\\n")
    plant(base + "/.config/pandas/pandasrc", "x")
    plant(base + "/locale/C.UTF-8/LC_MESSAGES/SYS_LC_MESSAGES", "x")
    plant(base + "/.terminfo/d/dumb", "x")
    plant(base + "/.inputrc", "x")
    plant(base + "/.termcap", "x")
    plant(base + "/.fonts.conf", "<fontconfig/>")
    plant(base + "/.config/fontconfig/fonts.conf", "<fontconfig/>")
`;

/** Leaves a process running that records which of the planted files are opened. */
const WATCH = `${PLANT}
import ctypes, struct
log = open("/workspace/opened", "w", buffering=1)
print("watching", file=log)
libc = ctypes.CDLL(None)
watcher = libc.inotify_init1(0)
for folder in [folder for base in ("/workspace", "/tmp", "/dev/shm") for folder, _, _ in os.walk(base)]:
    assert libc.inotify_add_watch(watcher, folder.encode(), 0x20) >= 0
if os.fork() == 0:
    os.setsid()
    os.closerange(0, 3)
    while True:
        data = os.read(watcher, 65536)
        while data:
            _, mask, _, length = struct.unpack_from("iIII", data)
            name, data = data[16:16 + length].rstrip(b"\\0").decode(), data[16 + length:]
            if not mask & 0x40000000 and name != "opened": print(name, file=log)`;

/** Where the marker shows: in a fork of the process that imports. */
const MARKER = 'import builtins\nseen = getattr(builtins, "poisoned", None)';

/** What the permanent processes could be led by: folder, environment, search path. */
const LEAD = `
import os, sys
seen = [os.readlink("/proc/self/cwd"), sys.path, dict(os.environ)]`;

describe('row 41: files of a run that the permanent processes could read', () => {
  const sandbox = fileFixture(() => realSandbox());

  it('are not read between the end of a run and the next reset, however long that is', async () => {
    expect(await once(sandbox, WATCH)).toMatchObject({ status: 'ok', error: null });
    await expect(sandbox.request({ op: 'preload', modules: MODULES })).rejects.toThrow('a run came first');
    const look = `${MARKER}
import sys, time
time.sleep(1)
opened = open("/workspace/opened").read().split()
loaded = "numpy" in sys.modules`;
    const { state } = await once(sandbox, look, { state: {} });
    expect(state).toMatchObject({ seen: null, opened: ['watching'], loaded: false });
    expect(await sandbox.reset(5_000)).toMatchObject({ clean: true });
    await sandbox.request({ op: 'preload', modules: MODULES });
    expect((await once(sandbox, MARKER, { state: {} })).state).toMatchObject({ seen: null });
  });
});

describe('row 41: the folder, the variables and the search path of runs', () => {
  const isolated = fileFixture(() => isolationEngine({ python: { preload: MODULES } }));

  it('are their own, not those of the process that they are forked from', async () => {
    expect(await look(isolated, LEAD)).toEqual([
      '/workspace',
      expect.arrayContaining(['/workspace']),
      expect.objectContaining({ HOME: '/workspace', MPLCONFIGDIR: '/tmp/matplotlib', IPYTHONDIR: '/tmp/ipython' }),
    ]);
  });
});
