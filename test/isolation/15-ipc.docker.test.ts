import { describe, expect, it } from 'vitest';
import { fileFixture } from '../fileFixture.ts';
import { isolationEngine, look, lookAfter } from './harness.ts';

const LOOK = `
import fcntl, os, socket
def locked(path):
    with open(path) as file:
        try: fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError: return 1
    return 0
def rows(path, skip=1):
    # A masked one is empty, or cannot be opened.
    try:
        with open(path) as table: return table.read().splitlines()[skip:]
    except PermissionError: return []
names = [name for row in rows("/proc/net/unix") for name in row.split()[7:]]
seen = {
    "memory": len(rows("/proc/sysvipc/shm")), "semaphores": len(rows("/proc/sysvipc/sem")),
    "messages": len(rows("/proc/sysvipc/msg")), "queues": os.listdir("/dev/mqueue") if os.path.exists("/dev/mqueue") else [], "shared": os.listdir("/dev/shm"),
    "names": sorted(names), "tcp": len(rows("/proc/net/tcp")), "udp": len(rows("/proc/net/udp")),
    # The kernel's own list is masked: it shows those of other sandboxes too.
    "locks": locked("/usr/bin/env"), "list of locks": rows("/proc/locks", 0),
}`;

// A hundred objects in all, and processes that want to keep theirs.
const PLANT = `
import ctypes, fcntl, os, signal, socket, threading, time
from multiprocessing import shared_memory, resource_tracker
libc = ctypes.CDLL(None, use_errno=True)
libc.shmat.restype = ctypes.c_void_p
CREATE = 0o1666
for number in range(10):
    memory = libc.shmget(0x4200 + number, 1 << 16, CREATE)
    ctypes.memmove(libc.shmat(memory, None, 0), b"secret", 6)
    assert min(memory, libc.semget(0x4200 + number, 4, CREATE), libc.msgget(0x4200 + number, CREATE)) >= 0
    assert min(libc.shmget(0, 4096, CREATE), libc.semget(0, 1, CREATE), libc.msgget(0, CREATE)) >= 0
    queue = libc.msgget(0x4200 + number, 0)
    assert libc.msgsnd(queue, ctypes.create_string_buffer(b"\\1" + bytes(7) + b"secret"), 6, 0) == 0
    with open("/dev/shm/plain%d" % number, "w") as file: file.write("secret")
    shared_memory.SharedMemory("named%d" % number, create=True, size=4096)
ready, go = os.pipe()
keep = []
if os.fork() == 0:
    os.setsid()
    signal.pthread_sigmask(signal.SIG_BLOCK, range(1, 32))
    for number in range(10):
        link = socket.socket(socket.AF_UNIX); link.bind("\\0planted%d" % number); link.listen(); keep.append(link)
        link = socket.socket(socket.AF_UNIX); link.bind("/tmp/planted%d" % number); link.listen(); keep.append(link)
        link = socket.create_server(("127.0.0.1", 4200 + number)); keep.append(link)
        link = socket.socket(socket.AF_INET, socket.SOCK_DGRAM); link.bind(("127.0.0.1", 4200 + number)); keep.append(link)
        file = open("/tmp/lock%d" % number, "w"); fcntl.flock(file, fcntl.LOCK_EX); keep.append(file)
        file = open("/usr/bin/env"); fcntl.flock(file, fcntl.LOCK_SH); keep.append(file)
    # Sockets that hold each other, and that no process holds.
    one, two = socket.socketpair()
    socket.send_fds(one, [b"x"], [two.fileno(), one.fileno()] + [link.fileno() for link in keep[:4]])
    os.write(go, b"x")
    time.sleep(1000)
os.read(ready, 1)
`;

const DENIED = `
import ctypes, platform
libc = ctypes.CDLL(None, use_errno=True)
numbers = {"x86_64": {"mq_open": 240, "add_key": 248, "keyctl": 250}, "aarch64": {"mq_open": 180, "add_key": 217, "keyctl": 219}}
seen = {name: libc.syscall(number, b"user", b"planted", b"secret", 6, -3) for name, number in numbers[platform.machine()].items()}`;

const EMPTY = {
  ...{ memory: 0, semaphores: 0, messages: 0, queues: [], shared: [], names: [], tcp: 0, udp: 0, locks: 0 },
  'list of locks': [],
};

const isolated = fileFixture(() => isolationEngine());

describe('row 15: IPC', () => {
  it('objects of a run are found during the run', async () => {
    const seen = await look(isolated, `${PLANT}${LOOK}`);
    expect(seen).toMatchObject({ memory: 20, semaphores: 20, messages: 20, tcp: 10, udp: 10, locks: 1 });
    expect((seen as { shared: string[] }).shared).toHaveLength(20);
    expect((seen as { names: string[] }).names).toHaveLength(20);
  });

  it('objects of a run are not found in the next run of the same sandbox', async () => {
    expect(await look(isolated, LOOK)).toEqual(EMPTY);
    for (let round = 0; round < 3; round += 1) expect(await lookAfter(isolated, PLANT, LOOK)).toEqual(EMPTY);
  });

  it('message queues and keys, which would outlive a sandbox, are blocked', async () => {
    expect(await look(isolated, DENIED)).toEqual({ mq_open: -1, add_key: -1, keyctl: -1 });
  });
});
