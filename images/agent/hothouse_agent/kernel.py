"""System calls and files of /proc and /sys that Python's standard library does not cover."""

import array
import ctypes
import errno
import fcntl
import mmap
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
# More than a sandbox's limit on open files.
MAX_FDS = 4096
_TABLE_BYTES = 1 << 16
# Less than the kernel gives at once of a table that has more.
_TABLE_PART = 2048
# A long, and struct fsxattr: flags, extent size, extents, project, copy-on-write size, padding.
_FLAGS = bytes(8)
_FSXATTR = bytes(28)
_OWN_KILLS = struct.Struct("q")
_FS_IOC_FSGETXATTR = 0x801C581F
_FS_IOC_GETFLAGS = 0x80086601
_FS_IOC_SETFLAGS = 0x40086602
_NOT_SUPPORTED = (errno.ENOTTY, errno.EOPNOTSUPP, errno.ENOSYS)
_REMOVERS = {
    "shm": lambda i: _libc.shmctl(i, _IPC_RMID, None),
    "sem": lambda i: _libc.semctl(i, 0, _IPC_RMID, 0),
    "msg": lambda i: _libc.msgctl(i, _IPC_RMID, None),
}


def set_dumpable(yes):
    """Whether processes of the same user may trace this one and open its descriptors and memory."""
    if _libc.prctl(_PR_SET_DUMPABLE, int(yes), 0, 0, 0) != 0:
        raise OSError(ctypes.get_errno(), "prctl(PR_SET_DUMPABLE)")


def close_all_but(fds):
    """Closes every descriptor but the standard streams and `fds`."""
    edge = 3
    for fd in sorted(fds):
        os.closerange(edge, fd)
        edge = fd + 1
    os.closerange(edge, MAX_FDS)


def flush_c_streams():
    """Writes out what C code has printed and not written yet."""
    _libc.fflush(None)


def unread(fd):
    """Unread bytes in a pipe."""
    count = array.array("i", [0])
    fcntl.ioctl(fd, termios.FIONREAD, count)
    return count[0]


def open_folder(path):
    """A descriptor of a folder, which stays usable whatever mode the folder gets."""
    return os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)


def inode_flags(folder):
    """Flags and project of an open folder, as chattr shows them; None where its file system has none."""
    try:
        flags = fcntl.ioctl(folder, _FS_IOC_GETFLAGS, _FLAGS)
        return flags, fcntl.ioctl(folder, _FS_IOC_FSGETXATTR, _FSXATTR)
    except OSError as error:
        if error.errno in _NOT_SUPPORTED:
            return None
        raise


def set_inode_flags(folder, flags):
    """Sets the flags that `inode_flags` returned. The check that follows finds what could not be set."""
    fcntl.ioctl(folder, _FS_IOC_SETFLAGS, flags[0])


def mount_points(kind=None):
    """The paths of all mounts, or of those of a kind of file system, the later of two at one place too."""
    with open("/proc/self/mountinfo", encoding="utf-8", errors="surrogateescape") as table:
        # The kind follows fields whose number differs, and a dash.
        mounts = [(line.split(" ")[4], line.partition(" - ")[2].split(" ")[0]) for line in table]
    fields = [path for path, its_kind in mounts if kind in (None, its_kind)]
    return [field.encode("latin-1", "surrogateescape").decode("unicode_escape") for field in fields]


def ended_children():
    """Reaps the children that have ended, as (process id, status, resource usage)."""
    while True:
        try:
            ended = os.wait4(-1, os.WNOHANG)
        except ChildProcessError:
            return
        if ended[0] == 0:
            return
        yield ended


def is_own_child(pid):
    """Whether it is a child of this process that has not ended."""
    try:
        return os.waitid(os.P_PID, pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is None
    except (ChildProcessError, OverflowError):
        return False


def descendants(pid):
    """The descendants of `pid` whose parents all live."""
    found = _children(pid)
    for child in found:
        found.extend(_children(child))
    return found


def _children(pid):
    try:
        return children(pid)
    except OSError:
        # It has ended.
        return []


def children(pid):
    """
    Those that its threads have started. Unlike other files of /proc, these have no names that a program chose. Raises
    OSError when the process has ended, and where the kernel does not list them.
    """
    found = []
    for thread in os.listdir("/proc/%d/task" % pid):
        with open("/proc/%d/task/%s/children" % (pid, thread), "rb", buffering=0) as table:
            found += [int(child) for child in table.readall().split()]
    return found


def started_at(pid):
    """When it has started, in the kernel's ticks; None when it has ended and is reaped."""
    try:
        with open("/proc/%d/stat" % pid, "rb", buffering=0) as file:
            # The second field is the name of the program and may contain anything.
            return int(file.read().rpartition(b")")[2].split()[19])
    except OSError:
        return None


def release_free_memory():
    """Gives what the C library keeps of freed memory back to the kernel, where the library is glibc."""
    trim = getattr(_libc, "malloc_trim", None)
    if trim is not None:
        trim(0)


def use_huge_pages():
    """
    Moves this process's own memory into huge pages (Linux 6.1 and newer; elsewhere it does nothing). A fork copies one
    entry for each page, and huge pages save a third of its time.
    """
    with open("/proc/self/maps", encoding="utf-8", errors="surrogateescape") as table:
        for area in table.readlines():
            span, access, _, _, inode, *_ = area.split()
            start, end = (int(edge, 16) for edge in span.split("-"))
            start, end = -(-start // _HUGE_PAGE) * _HUGE_PAGE, end // _HUGE_PAGE * _HUGE_PAGE
            if access.startswith("rw") and inode == "0" and start < end:
                _libc.madvise(start, end - start, _MADV_COLLAPSE)


def _first_open(paths):
    for path in paths:
        try:
            return os.open(path, os.O_RDONLY | os.O_CLOEXEC)
        except OSError:
            continue
    return None


class Table:
    """A file of /proc or of a cgroup that is read often: the first of `paths` that exists, kept open."""

    def __init__(self, *paths):
        self._fd = _first_open(paths)

    def read(self):
        """What it says now; empty where there is none."""
        if self._fd is None:
            return b""
        text = part = os.pread(self._fd, _TABLE_BYTES, 0)
        # The kernel gives a long table in parts.
        while len(part) >= _TABLE_PART:
            part = os.pread(self._fd, _TABLE_BYTES, len(text))
            text += part
        return text


_sysv_tables = {}
_task_table = Table()
# Whether that table counts the processes of this sandbox, and how many it counts beside them.
_is_task_count_known = False
_tasks_beside = 0


def open_tables():
    """Before the first run, `sysv_objects` and `confirm_task_count`; they stay open."""
    global _task_table, _tasks_beside
    _sysv_tables.update({kind: Table("/proc/sysvipc/" + kind) for kind in _REMOVERS})
    _task_table = Table("/sys/fs/cgroup/pids.current", "/sys/fs/cgroup/pids/pids.current")
    _tasks_beside = _count_tasks_beside()


def _count_tasks_beside():
    """How many the table counts that /proc does not show: bubblewrap keeps a process of its own outside. 0 where in doubt."""
    before = _listed_task_count()
    try:
        shown = sum(len(os.listdir("/proc/%s/task" % name)) for name in os.listdir("/proc") if name.isdigit())
    except FileNotFoundError:
        # One has just ended.
        return 0
    return before - shown if before is not None and before == _listed_task_count() else 0


def confirm_task_count(start):
    """What `start()` returns, which starts a process: `task_count` is known from now on if the cgroup has counted it."""
    global _is_task_count_known
    before = _listed_task_count()
    started = start()
    _is_task_count_known = before is not None and _listed_task_count() == before + 1
    return started


def task_count():
    """
    How many threads this container has, with those that have ended and were not reaped; None where that is not known. The
    kernel counts a new process before its parent can end, so unlike a list of /proc it misses none.
    """
    return _listed_task_count() - _tasks_beside if _is_task_count_known else None


def _listed_task_count():
    count = _task_table.read().strip()
    return int(count) if count.isdigit() else None


def sysv_objects():
    """The System V IPC objects of this namespace as (kind, id). Raises OSError where the kernel does not list them."""
    found = []
    for kind, table in _sysv_tables.items():
        rows = table.read()
        # The first line is the header.
        if not rows:
            raise OSError(errno.ENOENT, "no table of " + kind)
        if rows.count(b"\n") > 1:
            found += [(kind, int(row.split()[1])) for row in rows.splitlines()[1:]]
    return found


def sysv_memory():
    """Bytes of the System V shared memory of this namespace, in memory or swapped out."""
    rows = _sysv_tables["shm"].read().splitlines()[1:]
    return sum(int(size) for row in rows for size in row.split()[14:16])


def remove_sysv(kind, identifier):
    """Removes one System V IPC object. The check that follows finds one that remains."""
    _REMOVERS[kind](identifier)


def duplicate_above(fd, lowest):
    """A copy of the descriptor, of a number that is at least `lowest`; programs that this process becomes lack it."""
    return fcntl.fcntl(fd, fcntl.F_DUPFD_CLOEXEC, lowest)


# Of this process: the file where it writes how many it has killed for memory, and how all that it forks see that.
_own_kills_fd = _own_kills = None


def show_own_kills():
    """From now on `oom_kills` has those of `OomCounter.add` too, also in what this process forks."""
    global _own_kills_fd, _own_kills
    _own_kills_fd = os.memfd_create("kills", os.MFD_CLOEXEC)
    os.ftruncate(_own_kills_fd, _OWN_KILLS.size)
    # What is open only for reading can never be mapped for writing.
    fd = os.open("/proc/self/fd/%d" % _own_kills_fd, os.O_RDONLY | os.O_CLOEXEC)
    _own_kills = mmap.mmap(fd, _OWN_KILLS.size, prot=mmap.PROT_READ)
    os.close(fd)


_OOM_FILES = ("/sys/fs/cgroup/memory.events", "/sys/fs/cgroup/memory/memory.oom_control")


def _oom_kills(text):
    for line in text.splitlines():
        if line.startswith(b"oom_kill "):
            return int(line.split()[1])
    return 0


def _read_own_kills():
    return 0 if _own_kills is None else _OWN_KILLS.unpack(_own_kills[:])[0]


class OomCounter:
    """Counts OOM kills in this container's cgroup, version 1 or 2, and those of the agent itself."""

    def __init__(self):
        self._fd = _first_open(_OOM_FILES)
        self._seen = self._read()

    def add(self, kills):
        """The agent has killed so many processes for memory; after `show_own_kills`."""
        os.pwrite(_own_kills_fd, _OWN_KILLS.pack(_read_own_kills() + kills), 0)

    def _read(self):
        return _read_own_kills() + (0 if self._fd is None else _oom_kills(os.pread(self._fd, 4096, 0)))

    def take(self):
        """Kills since the last call."""
        now = self._read()
        delta, self._seen = now - self._seen, now
        return delta

    def forget(self):
        """Kills up to now are not seen any more, by what this process forks either where no cgroup shows them."""
        if _own_kills_fd is not None:
            os.pwrite(_own_kills_fd, _OWN_KILLS.pack(0), 0)
        self._seen = self._read()

    @property
    def total(self):
        """Kills up to the last call of `take`."""
        return self._seen


def read_first(paths):
    """The first 8 KiB of the first of these files that exists; None where there is none."""
    fd = _first_open(paths)
    if fd is None:
        return None
    try:
        return os.read(fd, 8192)
    finally:
        os.close(fd)


def oom_kills():
    """Processes of this container that the kernel or the agent killed for memory since the container was created."""
    return _read_own_kills() + _oom_kills(read_first(_OOM_FILES) or b"")


def cpu_used():
    """
    CPU time in milliseconds that this container has used, from its cgroup, version 1 or 2; without one, that of the
    processes that live now.
    """
    stat = read_first(["/sys/fs/cgroup/cpu.stat"])
    for line in (stat or b"").splitlines():
        if line.startswith(b"usage_usec "):
            return int(line.split()[1]) / 1000
    usage = read_first(["/sys/fs/cgroup/cpuacct/cpuacct.usage", "/sys/fs/cgroup/cpu,cpuacct/cpuacct.usage"])
    return _cpu_of_living() if usage is None else int(usage) / 1e6


def _cpu_of_living():
    ticks = 0
    for name in os.listdir("/proc"):
        stat = read_first(["/proc/%s/stat" % name]) if name.isdigit() else None
        if stat:
            # The second field is the name of the program and may contain anything.
            fields = stat[stat.rindex(b")") + 2 :].split()
            ticks += int(fields[11]) + int(fields[12])
    return ticks * 1000 / os.sysconf("SC_CLK_TCK")


# More than the first process has open while no run is there.
_USUAL_FDS = 128


class Descriptors:
    """
    The open descriptors of this process. /proc hides them while the process is not dumpable; poll() reports the numbers
    that are not open, for all of them in one call.
    """

    def __init__(self):
        soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
        self._all = _poll_table(min(soft, MAX_FDS) if soft > 0 else MAX_FDS)
        self._usual = self._all[: 4 * _USUAL_FDS]
        self._last_result = None

    def open(self):
        """The numbers that are open."""
        count = _descriptor_count()
        # Where the kernel says how many there are, and these are all of them, the other numbers need not be asked for.
        found = self._poll(self._usual) if count else None
        return found if found is not None and len(found) == count else self._poll(self._all)

    def _poll(self, table):
        if _libc.poll(table.buffer_info()[0], len(table) // 4, 0) < 0:
            raise OSError(ctypes.get_errno(), "poll")
        result = table.tobytes()
        if result != self._last_result:
            self._last_result = result
            self._open = frozenset(fd for fd, state in enumerate(table[3::4]) if not state & _POLLNVAL)
        return self._open


def _poll_table(count):
    # struct pollfd is four shorts; the last one is the result.
    return array.array("h", b"".join(struct.pack("ihh", fd, 0, 0) for fd in range(count)))


def _descriptor_count():
    """How many descriptors this process has open; 0 where the kernel does not say (before Linux 6.2)."""
    try:
        return os.stat("/proc/self/fd").st_size
    except OSError:
        return 0
