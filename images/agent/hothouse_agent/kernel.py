"""What the agent asks of the kernel beyond Python's own library."""

import array
import ctypes
import fcntl
import os
import resource
import struct
import termios

_libc = ctypes.CDLL(None, use_errno=True)
_libc.madvise.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int]
_libc.poll.argtypes = [ctypes.c_void_p, ctypes.c_ulong, ctypes.c_int]
_PR_SET_DUMPABLE = 4
_MADV_COLLAPSE = 25
_HUGE_PAGE = 2 << 20
_IPC_RMID = 0
_POLLNVAL = 0x20
# As many as a sandbox's limit of open files.
_MAX_FDS = 4096
_REMOVERS = {
    "shm": lambda i: _libc.shmctl(i, _IPC_RMID, None),
    "sem": lambda i: _libc.semctl(i, 0, _IPC_RMID, 0),
    "msg": lambda i: _libc.msgctl(i, _IPC_RMID, None),
}


def set_dumpable(yes):
    """Whether processes of the same user may trace this one and open its descriptors and memory."""
    if _libc.prctl(_PR_SET_DUMPABLE, int(yes), 0, 0, 0) != 0:
        raise OSError(ctypes.get_errno(), "prctl(PR_SET_DUMPABLE)")


def unread(fd):
    """Bytes that wait in a pipe."""
    count = array.array("i", [0])
    fcntl.ioctl(fd, termios.FIONREAD, count)
    return count[0]


def use_huge_pages():
    """
    Puts this process's own memory into huge pages where the kernel can (Linux 6.1): a fork copies one entry for each
    page, and a third of its time goes with them. Elsewhere it does nothing.
    """
    with open("/proc/self/maps", encoding="utf-8", errors="surrogateescape") as table:
        for area in table.readlines():
            span, access, _, _, inode, *_ = area.split()
            start, end = (int(edge, 16) for edge in span.split("-"))
            start, end = -(-start // _HUGE_PAGE) * _HUGE_PAGE, end // _HUGE_PAGE * _HUGE_PAGE
            if access.startswith("rw") and inode == "0" and start < end:
                _libc.madvise(start, end - start, _MADV_COLLAPSE)


def sysv_objects():
    """The System V IPC objects of this namespace as (kind, id)."""
    found = []
    for kind in _REMOVERS:
        with open("/proc/sysvipc/" + kind, "rb", buffering=0) as table:
            rows = table.read(1 << 20).splitlines()[1:]
        found += [(kind, int(row.split()[1])) for row in rows]
    return found


def remove_sysv(kind, identifier):
    """Removes one System V IPC object; one that stays is found by the check that follows."""
    _REMOVERS[kind](identifier)


def _first_open(paths):
    for path in paths:
        try:
            return os.open(path, os.O_RDONLY | os.O_CLOEXEC)
        except OSError:
            continue
    return None


class OomCounter:
    """Counts the kills for memory in this container's cgroup, version 1 or 2."""

    def __init__(self):
        self._fd = _first_open(
            ["/sys/fs/cgroup/memory.events", "/sys/fs/cgroup/memory/memory.oom_control"]
        )
        self._seen = self._read()

    def _read(self):
        if self._fd is None:
            return 0
        for line in os.pread(self._fd, 4096, 0).splitlines():
            if line.startswith(b"oom_kill "):
                return int(line.split()[1])
        return 0

    def take(self):
        """Kills since the last call."""
        now = self._read()
        delta, self._seen = now - self._seen, now
        return delta


def _read_first(paths):
    fd = _first_open(paths)
    if fd is None:
        return None
    try:
        return os.read(fd, 8192)
    finally:
        os.close(fd)


def memory_used():
    """
    Bytes of memory that the container uses without the cache of files, which the kernel gives back at need; None where
    it does not tell. For cgroup version 1 and 2.
    """
    usage = _read_first(["/sys/fs/cgroup/memory.current", "/sys/fs/cgroup/memory/memory.usage_in_bytes"])
    stat = _read_first(["/sys/fs/cgroup/memory.stat", "/sys/fs/cgroup/memory/memory.stat"])
    if usage is None or stat is None:
        return None
    parts = dict(line.split() for line in stat.splitlines())
    return max(0, int(usage) - int(parts[b"inactive_file"]) - int(parts[b"active_file"]))


def own_memory():
    """Bytes of memory that this process has for itself."""
    with open("/proc/self/statm", "rb", buffering=0) as table:
        _, resident, shared, *_ = table.read(256).split()
    return (int(resident) - int(shared)) * resource.getpagesize()


class Descriptors:
    """
    The open descriptors of this process. /proc shows them to nobody while it is not dumpable, so poll() is asked about
    every number at once: it tells which are none.
    """

    def __init__(self):
        soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
        self._count = min(soft, _MAX_FDS) if soft > 0 else _MAX_FDS
        # struct pollfd, four shorts for each number; the last one is the answer.
        rows = b"".join(struct.pack("ihh", fd, 0, 0) for fd in range(self._count))
        self._table = array.array("h", rows)
        self._picture = None

    def open(self):
        """The numbers that are open."""
        if _libc.poll(self._table.buffer_info()[0], self._count, 0) < 0:
            raise OSError(ctypes.get_errno(), "poll")
        picture = self._table.tobytes()
        if picture != self._picture:
            self._picture = picture
            self._open = frozenset(fd for fd, state in enumerate(self._table[3::4]) if not state & _POLLNVAL)
        return self._open
