import { describe, expect, it } from 'vitest';
import { fileFixture } from '../fileFixture.ts';
import { isOnLocalHost } from '../testHost.ts';
import { isolationEngine, look, run, sandboxes } from './harness.ts';

/** What the root of a writable place has beside its files. */
const PLANTS = {
  'a default access list': 'os.setxattr(base, "system.posix_acl_default", acl(7, 0, 0))',
  'an access list': 'os.setxattr(base, "system.posix_acl_access", acl(7, 7, 7))',
  // A user namespace without a container engine has one user.
  ...(!isOnLocalHost && {
    'an access list with a named user': 'os.setxattr(base, "system.posix_acl_access", acl(7, 7, 7, (2, 7, 4242)))',
  }),
  'an attribute': 'os.setxattr(base, "user.secret", b"secret")',
  'many attributes': '[os.setxattr(base, "user.secret%d" % n, b"x" * 100) for n in range(50)]',
  'a mode without rights': 'os.chmod(base, 0o000)',
  'a mode for everybody': 'os.chmod(base, 0o1777)',
  'a mode of a group': 'os.chmod(base, 0o2770)',
  'times of long ago': 'os.utime(base, (1, 1))',
  'times to come': 'os.utime(base, (4e9, 4e9))',
  flags: 'flags(base, 0x80 | 0x40)',
  'every flag that it may': '[flags(base, 1 << bit) for bit in range(31)]',
};

const LIBRARY = `
import fcntl, os, struct
def acl(owner, group, other, *named):
    entries = [(1, owner, 0xFFFFFFFF), *named, (4, group, 0xFFFFFFFF), (0x10, 7, 0xFFFFFFFF), (0x20, other, 0xFFFFFFFF)]
    return struct.pack("<I", 2) + b"".join(struct.pack("<HHI", *entry) for entry in entries)
def flags(path, value):
    fd = os.open(path, os.O_RDONLY)
    try: fcntl.ioctl(fd, 0x40086602, struct.pack("l", value))
    except OSError: pass
    finally: os.close(fd)
`;

/** Everything that the kernel reports about the mounts' roots, and what honest code meets there. */
const LOOK = `
import fcntl, json, os, struct, subprocess
def flags(path):
    fd = os.open(path, os.O_RDONLY)
    try: return fcntl.ioctl(fd, 0x80086601, b"\\0" * 8).hex(), fcntl.ioctl(fd, 0x801c581f, b"\\0" * 28).hex()
    except OSError as error: return error.errno
    finally: os.close(fd)
seen = {}
for base in ("/workspace", "/tmp", "/dev/shm"):
    info = os.stat(base)
    seen[base] = [oct(info.st_mode), info.st_uid == os.getuid(), info.st_gid == os.getgid(), info.st_mtime_ns,
                  os.listxattr(base), flags(base)]
    os.makedirs(base + "/folder")
    open(base + "/folder/file", "w").write("honest")
    seen[base] += [oct(os.stat(base + "/folder").st_mode), oct(os.stat(base + "/folder/file").st_mode),
                   open(base + "/folder/file").read(), os.listxattr(base + "/folder")]`;

const isolated = fileFixture(() => isolationEngine());

describe('row 46: the roots of writable mounts', () => {
  it.each(Object.entries(PLANTS))('are restored after a run that left %s', async (_, plant) => {
    const fresh = await look(isolated, LOOK);
    const before = sandboxes(isolated);
    const code = `${LIBRARY}\nfor base in ("/workspace", "/tmp", "/dev/shm"): ${plant}`;
    expect(await run(isolated, code)).toMatchObject({ status: 'ok', error: null });
    const seen = await look(isolated, LOOK);
    // A file that cannot be removed destroys the sandbox; its successor is fresh, except for its times.
    if (sandboxes(isolated).join() === before.join()) expect(seen).toEqual(fresh);
    else expect(withoutTimes(seen)).toEqual(withoutTimes(fresh));
  });
});

describe('row 46: devices that every user may write to', () => {
  it.each(['/dev/null', '/dev/zero', '/dev/full', '/dev/random', '/dev/urandom', '/dev/tty'])(
    'keep no time that a run set: %s',
    async (device) => {
      const time = `seen = os.stat("${device}").st_mtime_ns // 1000`;
      // Users other than the owner may only set the current time, and none where the device is mounted read-only.
      const plant = `try: os.utime("${device}")\nexcept OSError: seen = None\nelse: ${time}`;
      const planted = await look(isolated, `import os\n${plant}`);
      expect(await look(isolated, `import os\n${time}`)).not.toBe(planted);
    },
  );
});

function withoutTimes(seen: unknown): unknown {
  const roots = Object.entries(seen as Record<string, unknown[]>);
  return roots.map(([path, facts]) => [path, facts.toSpliced(3, 1)]);
}
