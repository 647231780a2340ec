import { describe, expect, it } from 'vitest';
import { fileFixture } from '../fileFixture.ts';
import { isOnLocalHost } from '../testHost.ts';
import { isolationEngine, look, lookAfter } from './harness.ts';

// Each hook writes its name when it runs. The environment is as code can leave it: that of its own process.
const PLANT = `
import marshal, os, sys
os.environ["HOOKED"] = "/tmp/hooked"
def write(path, text):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w" if isinstance(text, str) else "wb") as file: file.write(text)
def python(name): return "import os\\nwith open('/tmp/hooked', 'a') as file: file.write('%s\\\\n')\\n" % name
def shell(name): return "echo %s >> /tmp/hooked\\n" % name
home = os.path.expanduser("~")
site = home + "/.local/lib/python%d.%d/site-packages/" % sys.version_info[:2]
write(site + "planted.pth", "import os; open('/tmp/hooked', 'a').write('pth\\\\n')\\n")
write(site + "usercustomize.py", python("usercustomize"))
write("/tmp/path/sitecustomize.py", python("sitecustomize")); os.environ["PYTHONPATH"] = "/tmp/path"
write("/tmp/startup.py", python("PYTHONSTARTUP")); os.environ["PYTHONSTARTUP"] = "/tmp/startup.py"
write(home + "/.bashrc", shell("bashrc"))
write(home + "/.profile", shell("profile"))
write("/tmp/bash-env", shell("BASH_ENV")); os.environ["BASH_ENV"] = "/tmp/bash-env"
write("/tmp/hook.js", ""); os.environ["NODE_OPTIONS"] = "--require /tmp/hook.js"
write(home + "/tabnanny.py", python("module"))
write(home + "/planted.py", "")
code = compile(python("pycache"), "planted.py", "exec")
cached = "%s/__pycache__/planted.cpython-%d%d.pyc" % (home, *sys.version_info[:2])
from importlib.util import MAGIC_NUMBER
# Flags 1: never compared with its source.
write(cached, MAGIC_NUMBER + (1).to_bytes(4, "little") + bytes(8) + marshal.dumps(code))
write("/tmp/ipython/profile_default/startup/00.py", python("ipython"))
class Finder:
    def find_spec(self, name, path=None, target=None):
        if name == "wave": exec(python("finder"))
sys.meta_path.insert(0, Finder())
`;

// Starts programs and imports modules, as honest code does; prints the names of the hooks that ran.
const TRIGGER = `
import os, subprocess, sys
open("/tmp/hooked", "w").close()
def start(*argv): subprocess.run(argv, stdin=subprocess.DEVNULL, capture_output=True, cwd=os.path.expanduser("~"))
start("python3", "-c", "pass")
start("python3", "-i", "-c", "pass")
start("python3", "-i")
start("bash", "-i", "-c", "true")
start("bash", "-l", "-c", "true")
start("bash", "-c", "true")
start("python3", "-m", "IPython", "-c", "pass")
if "NODE_OPTIONS" in os.environ: open("/tmp/hooked", "a").write("NODE_OPTIONS\\n")
for name in ("tabnanny", "planted", "wave"):
    sys.modules.pop(name, None)
    try: __import__(name)
    except ImportError: pass
seen = sorted(set(open("/tmp/hooked").read().split()))`;

const HOOKS = [
  ...['BASH_ENV', 'NODE_OPTIONS', 'PYTHONSTARTUP', 'bashrc', 'finder', 'ipython', 'module', 'profile', 'pycache'],
  // Of the user's own packages, which a virtual environment does not have.
  ...(isOnLocalHost ? [] : ['pth', 'usercustomize']),
  'sitecustomize',
];

// Where hooks would outlive a reset: the image itself, and what the first process runs from.
const READ_ONLY = `
import os, sys
from importlib.util import cache_from_source
places = [path for path in sys.path if path and os.path.isdir(path) and not path.startswith("/workspace")]
places += [path + "/__pycache__" for path in places] + ["/usr/lib/python3/dist-packages/numpy/__pycache__"]
places += ["/", "/etc", "/etc/profile.d", "/etc/python3", "/etc/ld.so.conf.d", "/usr/local/bin", "/root", "/home", "/var/tmp",
           "/opt", "/run", "/var/lib", "/usr/share/bash-completion", "/proc/sys/kernel", "/sys/fs/cgroup"]
seen = []
for place in places:
    try: open(place + "/planted", "w").close(); seen.append(place)
    except OSError: pass
for path in ("/etc/passwd", "/etc/profile", "/etc/bash.bashrc", "/etc/ld.so.preload", "/etc/hosts", "/etc/resolv.conf",
             "/etc/hostname", "/usr/bin/python3", "/proc/sys/kernel/core_pattern", os.__file__, cache_from_source(os.__file__)):
    try: open(path, "a").close(); seen.append(path)
    except OSError: pass`;

const isolated = fileFixture(() => isolationEngine());

describe('row 16: interpreter poisoning', () => {
  it('twelve start-up hooks work during their run', async () => {
    expect(await look(isolated, `${PLANT}${TRIGGER}`)).toEqual([...HOOKS].sort());
  });

  it('no hook runs later', async () => {
    expect(await look(isolated, TRIGGER)).toEqual([]);
    for (let round = 0; round < 2; round += 1) expect(await lookAfter(isolated, PLANT, TRIGGER)).toEqual([]);
  });

  it('the image has no place where a hook could be left', async () => {
    expect(await look(isolated, READ_ONLY)).toEqual([]);
  });

  it('preloaded modules come from the image alone, whatever the workspace contains', async () => {
    const preloading = await isolationEngine({ python: { preload: ['colorsys', 'wave'] } });
    const plant = `
import os, time
for name in ("colorsys", "wave"): open(name + ".py", "w").write("POISON = 1")
time.sleep(1)`;
    const ask = 'import colorsys, wave\nseen = [hasattr(colorsys, "POISON"), hasattr(wave, "POISON")]';
    try {
      expect(await lookAfter(preloading, plant, ask)).toEqual([false, false]);
    } finally {
      await preloading.dispose();
    }
  });
});
