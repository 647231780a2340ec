import { describe, expect, it } from 'vitest';
import { fileFixture } from '../fileFixture.ts';
import { isolationEngine, look } from './harness.ts';

const EPERM = 1;
const ENOSYS = 38;
const SIGSYS = 31;

const SYSCALL = `
import ctypes, os, platform
libc = ctypes.CDLL(None, use_errno=True)
libc.syscall.restype = ctypes.c_long
def call(number, *arguments):
    """The error of a system call, or 0."""
    ctypes.set_errno(0)
    result = libc.syscall(ctypes.c_long(number), *[ctypes.c_ulong(value) for value in arguments])
    return ctypes.get_errno() if result < 0 else 0
`;

/** Numbers on x86-64 and on aarch64. */
const CALLS: Readonly<Record<string, Readonly<Record<string, readonly [number, number]>>>> = {
  io_uring: { io_uring_setup: [425, 425], io_uring_enter: [426, 426], io_uring_register: [427, 427] },
  'the old asynchronous I/O': { io_setup: [206, 0], io_submit: [209, 2] },
  keys: { add_key: [248, 217], request_key: [249, 218], keyctl: [250, 219] },
  namespaces: { unshare: [272, 97], setns: [308, 268], clone3: [435, 435] },
  tracing: {
    ...{ ptrace: [101, 117], process_vm_readv: [310, 270], process_vm_writev: [311, 271], kcmp: [312, 272] },
    ...{ pidfd_getfd: [438, 438], process_madvise: [440, 440], process_mrelease: [448, 448] },
  },
  'marks on other processes': { ioprio_set: [251, 30], sched_setattr: [314, 274] },
  mounts: {
    ...{ mount: [165, 40], umount2: [166, 39], pivot_root: [155, 41], chroot: [161, 51], fsopen: [430, 430] },
    ...{ open_tree: [428, 428], move_mount: [429, 429], mount_setattr: [442, 442] },
    ...{ name_to_handle_at: [303, 264], open_by_handle_at: [304, 265] },
  },
  'programs in the kernel': { bpf: [321, 280], perf_event_open: [298, 241] },
  'code in the kernel': {
    ...{ init_module: [175, 105], finit_module: [313, 273], delete_module: [176, 106] },
    ...{ kexec_load: [246, 104], kexec_file_load: [320, 294] },
  },
  'page faults': { userfaultfd: [323, 282], memfd_secret: [447, 447] },
  'message queues': { mq_open: [240, 180], mq_unlink: [241, 181], mq_notify: [244, 184] },
  'the machine': {
    ...{ reboot: [169, 142], swapon: [167, 224], syslog: [103, 116], sethostname: [170, 161], acct: [163, 89] },
    ...{
      clock_settime: [227, 112],
      settimeofday: [164, 170],
      quotactl: [179, 60],
      sync: [162, 81],
      vhangup: [153, 58],
    },
  },
  'places of memory': { mbind: [237, 235], move_pages: [279, 239], migrate_pages: [256, 238] },
  'reports on files': { fanotify_init: [300, 262] },
};

// A socket's family, type and protocol.
const SOCKETS = {
  AF_ALG: [38, 5, 0],
  AF_VSOCK: [40, 1, 0],
  AF_PACKET: [17, 3, 0],
  AF_KEY: [15, 3, 2],
  AF_BLUETOOTH: [31, 3, 1],
  AF_CAN: [29, 3, 1],
  AF_TIPC: [30, 1, 0],
  AF_RDS: [21, 5, 0],
  AF_XDP: [44, 3, 0],
  AF_SMC: [43, 1, 0],
  AF_RXRPC: [33, 2, 2],
  'AF_NETLINK for routes': [16, 3, 0],
  'AF_NETLINK for audit': [16, 3, 9],
  'AF_NETLINK for netfilter': [16, 3, 12],
  'AF_INET, ICMP': [2, 2, 1],
  'AF_INET, SCTP': [2, 1, 132],
  'AF_INET, MPTCP': [2, 1, 262],
  'AF_INET6, DCCP': [10, 6, 33],
} as const;

/** CLONE_NEW…, each with SIGCHLD. */
const NAMESPACES = { user: 0x1000_0011, mount: 0x2_0011, pid: 0x2000_0011, net: 0x4000_0011, ipc: 0x800_0011 };

// One child for each: a denied call must not end the run itself. It reports the signal that ended it, or its
// status.
const FOREIGN = `
import ctypes, mmap, os
def machine_code(code):
    page = mmap.mmap(-1, mmap.PAGESIZE, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)
    page.write(bytes.fromhex(code))
    entry = ctypes.CFUNCTYPE(ctypes.c_long)(ctypes.addressof(ctypes.c_char.from_buffer(page)))
    child = os.fork()
    if child == 0: os._exit(0 if entry() > 0 else 1)
    status = os.waitpid(child, 0)[1]
    return [os.WIFSIGNALED(status), os.WTERMSIG(status) if os.WIFSIGNALED(status) else os.WEXITSTATUS(status)]
`;

const isolated = fileFixture(() => isolationEngine());

describe('row 2: kernel surface', () => {
  // Not EPERM, the kernel's own answer to most of these: only the profile returns ENOSYS.
  it.each(Object.entries(CALLS))('blocks the calls for %s', async (_, calls) => {
    const errors = await look(
      isolated,
      `${SYSCALL}
column = ["x86_64", "aarch64"].index(platform.machine())
seen = {name: call(numbers[column], 0, 0, 0, 0, 0, 0) for name, numbers in calls.items()}`,
      { state: { calls } },
    );
    expect(errors).toEqual(Object.fromEntries(Object.keys(calls).map((name) => [name, ENOSYS])));
  });

  it('allows only local, TCP and UDP sockets', async () => {
    const ask = `
import socket
seen = {}
for name, (family, kind, protocol) in sockets.items():
    try:
        socket.socket(family, kind, protocol).close()
        seen[name] = 0
    except OSError as error: seen[name] = error.errno`;
    const denied = await look(isolated, ask, { state: { sockets: SOCKETS } });
    expect(denied).toEqual(Object.fromEntries(Object.keys(SOCKETS).map((name) => [name, EPERM])));
    const honest = { unix: [1, 1, 0], tcp: [2, 1, 6], udp: [10, 2, 0] };
    const allowed = await look(isolated, ask, { state: { sockets: honest } });
    expect(allowed).toEqual({ unix: 0, tcp: 0, udp: 0 });
  });

  it('allows no namespace by clone', async () => {
    const ask = `${SYSCALL}
number = {"x86_64": 56, "aarch64": 220}[platform.machine()]
def attempt(flags):
    """The error, or 0 when a child was made."""
    ctypes.set_errno(0)
    child = libc.syscall(ctypes.c_long(number), ctypes.c_ulong(flags), None, None, None, None)
    if child == 0: os._exit(0)
    if child > 0: os.waitpid(child, 0)
    return ctypes.get_errno() if child < 0 else 0
seen = {name: attempt(value) for name, value in flags.items()}`;
    const seen = await look(isolated, ask, { state: { flags: { ...NAMESPACES, none: 0x11 } } });
    expect(seen).toEqual({ user: EPERM, mount: EPERM, pid: EPERM, net: EPERM, ipc: EPERM, none: 0 });
  });

  it('allows no other personality', async () => {
    const ask = `
import ctypes
libc = ctypes.CDLL(None, use_errno=True)
ADDR_NO_RANDOMIZE, READ_IMPLIES_EXEC = 0x40000, 0x400000
seen = [libc.personality(ctypes.c_ulong(flag)) for flag in (ADDR_NO_RANDOMIZE, READ_IMPLIES_EXEC, 0xffffffff)]`;
    expect(await look(isolated, ask)).toEqual([-1, -1, 0]);
  });

  it.runIf(process.arch === 'x64')('ends programs that make 32-bit calls', async () => {
    // mov eax, number; then int 0x80 (i386: getpid is 20) or syscall (x32: getpid is 39 with bit 30); ret.
    const ask = `${FOREIGN}
seen = {"i386": machine_code("b814000000cd80c3"), "x32": machine_code("b8270000400f05c3"),
        "x86_64": machine_code("b8270000000f05c3")}`;
    expect(await look(isolated, ask)).toEqual({ i386: [true, SIGSYS], x32: [true, SIGSYS], x86_64: [false, 0] });
  });
});
