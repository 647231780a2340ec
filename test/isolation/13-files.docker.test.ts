import { describe, expect, it } from 'vitest';
import { fileFixture } from '../fileFixture.ts';
import { isolationEngine, look, run, sandboxes } from './harness.ts';

// In each writable place: what a careless `rm -rf` would leave, then what is not in any folder.
const PLANT = `
import fcntl, mmap, os, socket, time
planted = 0
def plant(action, *arguments):
    global planted
    try: action(*arguments)
    except OSError: return
    planted += 1
def write(path, mode=0o600):
    with open(path, "wb") as file: file.write(b"secret" * 1000)
    os.chmod(path, mode)
def locked(path, mode=0):
    os.makedirs(path + "/in")
    write(path + "/in/file", 0)
    os.chmod(path + "/in", 0)
    os.chmod(path, mode)
def tagged(path):
    write(path)
    os.setxattr(path, "user.secret", b"secret")
def deep(path):
    top = os.open(path, os.O_RDONLY)
    here = top
    for _ in range(300):
        os.mkdir("d" * 200, dir_fd=here)
        below = os.open("d" * 200, os.O_RDONLY, dir_fd=here)
        if here != top: os.close(here)
        here = below
    os.close(os.open("secret", os.O_CREAT | os.O_WRONLY, dir_fd=here))
def sparse(path):
    write(path)
    os.truncate(path, 1 << 40)
held = []
def deleted(path):
    held.append(open(path, "w+b", buffering=0))
    held[-1].write(b"secret" * 100_000)
    os.unlink(path)
def mapped(path):
    write(path)
    with open(path, "r+b") as file: held.append(mmap.mmap(file.fileno(), 0))
    os.unlink(path)
def flocked(path):
    held.append(open(path, "wb"))
    fcntl.flock(held[-1], fcntl.LOCK_EX)
def bound(path):
    held.append(socket.socket(socket.AF_UNIX))
    held[-1].bind(path)
    held[-1].listen()
def inside(path):
    os.mkdir(path)
    if os.fork() == 0:
        os.chdir(path)
        os.rmdir(path)
        time.sleep(1000)
for base in ("/workspace", "/tmp", "/dev/shm"):
    for n in range(5):
        plant(write, "%s/.hidden%d" % (base, n))
        plant(write, "%s/closed%d" % (base, n), 0)
        plant(locked, "%s/locked%d" % (base, n))
        plant(locked, "%s/.sticky%d" % (base, n), 0o3000)
        plant(write, "%s/setuid%d" % (base, n), 0o6755)
        plant(tagged, "%s/tagged%d" % (base, n))
        plant(os.link, "%s/.hidden%d" % (base, n), "%s/linked%d" % (base, n))
        plant(os.makedirs, "%s/.cache%d/.../ /.hidden" % (base, n))
        plant(os.mkfifo, "%s/pipe%d" % (base, n))
        plant(deleted, "%s/deleted%d" % (base, n))
        plant(os.symlink, ("/etc/passwd", "/nowhere", ".", "/proc/1/root", "a" * 4000)[n], "%s/link%d" % (base, n))
        plant(write, os.fsencode(base) + b"/" + (b"-rf *", b"a\\nb", b"\\xff\\xfe", b"n" * 255, b"\\x1b[31m")[n])
    plant(sparse, base + "/sparse")
    plant(mapped, base + "/mapped")
    plant(flocked, base + "/flocked")
    plant(bound, base + "/socket")
    plant(inside, base + "/inside")
    os.makedirs(base + "/.hothouse-1/.hothouse-2/.hothouse-1")
    plant(deep, base)
    plant(os.setxattr, base, "user.secret", b"secret")
for base in ("/workspace", "/tmp", "/dev/shm"): plant(os.chmod, base, 0o300)
os.fork() or time.sleep(1000)`;

// Every writable mount: its own look, what it lists, and how many inodes and blocks are in use, listed or not.
const LOOK = `
import os
places = {}
for line in open("/proc/self/mountinfo", errors="surrogateescape"):
    path = line.split()[4]
    if not os.path.isdir(path) or path.startswith("/proc") or not os.access(path, os.W_OK): continue
    disk = os.statvfs(path)
    places[path] = {
        "mode": oct(os.stat(path).st_mode),
        "names": os.listdir(path) if os.access(path, os.R_OK) else None,
        "xattrs": [name for name in os.listxattr(path) if name.startswith("user.")],
        "inodes": disk.f_files - disk.f_ffree,
        "blocks": disk.f_blocks - disk.f_bfree,
    }
seen = places`;

const isolated = fileFixture(() => isolationEngine());

describe('row 13: files of an earlier run', () => {
  it('are all removed: none of two hundred is found', async () => {
    const fresh = await look(isolated, LOOK);
    expect(Object.keys(fresh as object)).toEqual(expect.arrayContaining(['/workspace', '/tmp', '/dev/shm']));
    const { state, error } = await run(isolated, `${PLANT}\n${LOOK}`, { state: {} });
    expect(error).toBeNull();
    expect(state?.planted).toBeGreaterThanOrEqual(200);
    expect(state?.seen).not.toEqual(fresh);
    const before = sandboxes(isolated);
    expect(await look(isolated, LOOK)).toEqual(fresh);
    expect(sandboxes(isolated)).toEqual(before);
  });

  it('cannot be created anywhere else', async () => {
    const code = `
import os
seen = []
for folder, folders, _ in os.walk("/"):
    folders[:] = [name for name in folders if os.path.join(folder, name) not in ("/proc", "/sys", "/workspace", "/tmp")]
    folders[:] = [name for name in folders if os.path.join(folder, name) not in ("/dev/shm", "/dev/mqueue")]
    try: os.mkdir(folder + "/planted")
    except OSError: continue
    seen.append(folder)`;
    expect(await run(isolated, code, { state: {} })).toMatchObject({ status: 'ok', state: { seen: [] } });
  });
});
