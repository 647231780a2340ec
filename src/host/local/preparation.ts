import { LOOPBACK_ONLY } from '../network.ts';
import { type ContainerSpec, memoryMounts, type TmpfsSpec } from '../spec.ts';

/**
 * Runs in a sandbox before its agent, with the capabilities that bubblewrap has left: mounts what lives in memory, sets what
 * the kernel has for each namespace, limits memory, drops every capability, and becomes the program of its further arguments.
 */
const PROGRAM = `
import ctypes, os, resource, select, sys
# The module json would be a third of this program's time. With these names its texts are expressions here.
plan = eval(sys.argv[1], dict(null=None, true=True, false=False))
# What this machine's program has inherited and passes on.
os.closerange(3, 1 << 20)
libc = ctypes.CDLL(None, use_errno=True)
def call(name, *arguments):
    if getattr(libc, name)(*arguments) != 0:
        sys.exit("%s: %s" % (name, os.strerror(ctypes.get_errno())))
if plan["mounts"]:
    call("unshare", 0x20000)
# That of bubblewrap belongs to a user namespace in which this process has no rights.
if plan["loopback"] and libc.unshare(0x40000000) == 0:
    interface = b"lo".ljust(16, bytes(1)) + (1).to_bytes(2, sys.byteorder)
    call("ioctl", libc.socket(2, 0x80001, 0), ctypes.c_ulong(0x8914), interface.ljust(40, bytes(1)))
for path, flags, data in plan["mounts"]:
    call("mount", b"tmpfs", path.encode(), b"tmpfs", ctypes.c_ulong(flags), data.encode())
for path, flags in plan["devices"]:
    call("mount", None, path.encode(), None, ctypes.c_ulong(flags), None)
for path, text in plan["settings"]:
    try:
        with open(path, "w") as file:
            file.write(text)
    except OSError:
        # A machine may forbid it, or not have it.
        pass
if plan["bytes"]:
    resource.setrlimit(resource.RLIMIT_DATA, (plan["bytes"], plan["bytes"]))
none = ctypes.c_ulong(0)
call("prctl", 47, ctypes.c_ulong(4), none, none, none)
number = 0
while libc.prctl(24, ctypes.c_ulong(number), none, none, none) == 0:
    number += 1
call("capset", (ctypes.c_uint32 * 2)(0x20080522, 0), (ctypes.c_uint32 * 6)())
# The program at the other end of stdin may have ended before bubblewrap could tie this process to its own end.
engine = select.poll()
engine.register(0, 0)
if engine.poll(0):
    sys.exit("the engine has ended")
program = sys.argv[2:]
if program[:3] == ["python3", "-I", "-c"]:
    # It is this interpreter, but for the packages, which the agent adds.
    sys.argv = ["-c"]
    exec(program[3], {"__name__": "__main__"})
else:
    os.execvp(program[0], program)
`;

/** Arguments of bubblewrap for a process that mounts, and then drops the bounding set. */
export const MOUNTING_RIGHTS = ['--cap-add', 'CAP_SYS_ADMIN', '--cap-add', 'CAP_SETPCAP'];
/** For one that sets what the kernel has for each network, and for each user namespace. */
const SETTING_RIGHTS = ['--cap-add', 'CAP_NET_ADMIN', '--cap-add', 'CAP_SYS_RESOURCE'];
/** The kernel also counts them for the user, outside: an eighth of what it gives one, so that other programs have the rest. */
const WATCHES = { 'user.max_inotify_instances': '16', 'user.max_inotify_watches': '8192' };
/** They are the machine's own. In a read-only mount they are read and written as before, but their times cannot be set. */
const DEVICES = ['null', 'zero', 'full', 'random', 'urandom', 'tty'];
/** Read-only, and what bubblewrap's mounts of them already are. */
const REMOUNT = 32 | 4096 | 1 | 2;
const NOSUID = 2;
const NODEV = 4;
const NOEXEC = 8;

/**
 * `limited`: a program in the sandbox mounts what lives in memory, with every limit of the spec. `plain`: bubblewrap does,
 * which cannot limit inodes, nor forbid programs.
 */
export type Mounts = 'limited' | 'plain';

/** Arguments of bubblewrap for what lives in memory. */
export function mountArguments(spec: ContainerSpec, mounts: Mounts): string[] {
  const all = memoryMounts(spec);
  if (mounts === 'limited')
    return [...MOUNTING_RIGHTS, ...SETTING_RIGHTS, ...all.flatMap(({ path }) => ['--dir', path])];
  return all.flatMap(({ path, bytes, mode }) => ['--size', `${bytes}`, '--perms', mode, '--tmpfs', path]);
}

/**
 * The program of a sandbox with its arguments: what prepares it, which then becomes that of the spec. `python3` is the path of
 * the Python that runs both, or its name.
 */
export function preparedArguments(spec: ContainerSpec, mounts: Mounts, python3: string): string[] {
  const canMount = mounts === 'limited';
  const plan = {
    mounts: canMount ? memoryMounts(spec).map(mountOf) : [],
    loopback: canMount && spec.network !== 'bridge',
    settings: canMount ? settingsOf(spec) : [],
    devices: canMount ? DEVICES.map((name) => [`/dev/${name}`, REMOUNT]) : [],
    // The kernel's limit counts what is reserved, too.
    bytes: spec.reservesMemory ? 0 : spec.memoryBytes,
  };
  return [python3, '-I', '-S', '-c', PROGRAM, JSON.stringify(plan), ...spec.argv];
}

/** Path and content of files. */
function settingsOf({ network }: ContainerSpec): [string, string][] {
  const all = { ...WATCHES, ...(network === 'bridge' ? {} : LOOPBACK_ONLY) };
  return Object.entries(all).map(([name, text]) => [`/proc/sys/${name.replaceAll('.', '/')}`, text]);
}

/** Path, flags and options of `mount`. */
function mountOf({ path, bytes, inodes, mode, exec }: TmpfsSpec): [string, number, string] {
  const flags = NOSUID | NODEV | (exec ? 0 : NOEXEC);
  return [path, flags, `size=${bytes},nr_inodes=${inodes},mode=${mode}`];
}
