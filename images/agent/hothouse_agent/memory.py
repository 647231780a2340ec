"""How much memory a sandbox uses and may use: by its cgroup, or counted here where no cgroup shows it."""

import os
import re
import resource

from . import kernel, walls

_USAGE_FILES = ("/sys/fs/cgroup/memory.current", "/sys/fs/cgroup/memory/memory.usage_in_bytes")
_STAT_FILES = ("/sys/fs/cgroup/memory.stat", "/sys/fs/cgroup/memory/memory.stat")
_LIMIT_FILES = ("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes")
_RESERVE = 16 << 20
_PROPORTION = re.compile(rb"^Pss_(\w+): +(\d+) kB$", re.M)
# Of a file in memory, beside its contents; measured with files of no bytes on Linux 6.
_INODE_BYTES = 1024


class MemoryUse:
    """
    Of this container, without the file cache, which the kernel reclaims when needed. For cgroup version 1 and 2; without a
    cgroup it is what processes share with no file, and files in memory with their inodes. Made before the first run.
    """

    def __init__(self):
        self._table = kernel.Table(*_USAGE_FILES)
        # No run can mount, but it can take the right to write from a folder.
        self._folders = _folders_in_memory()

    def used(self):
        """Bytes; pages that forks share count for each of them where no cgroup counts."""
        return _used(self._folders)

    def bound(self, processes):
        """Bytes that are not less than `used`, and quick to read, while there are no processes but these."""
        usage = self._table.read()
        return int(usage) if usage else _counted(self._folders, processes, of_process)

    def quick(self, but):
        """Bytes that are not less than `exact`, and quicker to count."""
        return _counted(self._folders, _processes(but), of_process)

    def exact(self, but):
        """Bytes where no cgroup counts, without those of the processes `but`."""
        return _counted(self._folders, _processes(but), _proportion_of)


def _folders_in_memory():
    # An installer also has folders on the disk.
    return [path for path in kernel.mount_points("tmpfs") if os.access(path, os.W_OK) and os.path.isdir(path)]


def _used(folders):
    usage, stat = kernel.read_first(_USAGE_FILES), kernel.read_first(_STAT_FILES)
    if usage is None or stat is None:
        return _counted(folders, _processes(), of_process)
    parts = dict(line.split() for line in stat.splitlines())
    return max(0, int(usage) - int(parts[b"inactive_file"]) - int(parts[b"active_file"]))


def _counted(folders, processes, of_one):
    sizes = [os.statvfs(path) for path in folders]
    in_files = sum((size.f_blocks - size.f_bfree) * size.f_frsize for size in sizes)
    in_inodes = sum(size.f_files - size.f_ffree for size in sizes) * _INODE_BYTES
    return sum(map(of_one, processes)) + in_files + in_inodes


def _processes(but=()):
    return [shown(name) for name in os.listdir("/proc") if name.isdigit() and int(name) not in but]


def shown(process):
    """The thread by which /proc shows the memory of a process: its first one, or another one where that has ended."""
    if _pages(process)[0]:
        return process
    try:
        threads = os.listdir("/proc/%s/task" % process)
    except OSError:
        # It has ended.
        return process
    # Those that have started last first: code can replace one by the next all the time.
    return next((thread for thread in reversed(threads) if _pages(thread)[0]), process)


def limit():
    """Bytes of memory that the container may use; None where that is not known."""
    found = kernel.read_first(_LIMIT_FILES)
    return int(found) if (found or b"").strip().isdigit() else walls.watched_memory


def room():
    """Bytes of memory that the container may still take, less a reserve for its processes; None where that is not known."""
    most = limit()
    return None if most is None else most - _used(_folders_in_memory()) - _RESERVE


def of_process(process):
    """Bytes of memory that a process, or `self`, shares with no file; 0 when it has ended."""
    resident, shared = _pages(process)
    return (resident - shared) * resource.getpagesize()


def resident(process):
    """Bytes of all its pages; 0 when it has ended."""
    return _pages(process)[0] * resource.getpagesize()


def freed_by(process):
    """About how many bytes its end frees: a page that is shared counts for each in part."""
    found = _proportions(process)
    return sum(found) if found else of_process(process)


def _pages(process):
    try:
        with open("/proc/%s/statm" % process, "rb", buffering=0) as table:
            _, all_pages, shared, *_ = table.read(256).split()
    except (FileNotFoundError, ProcessLookupError):
        return 0, 0
    return int(all_pages), int(shared)


def _proportion_of(process):
    """A page that forks share counts for each of them in part. More where the process does not let itself be looked at."""
    found = _proportions(process)
    return found[0] if found else of_process(process)


def _proportions(process):
    """Bytes of its private memory, and of what it has mapped of files in memory; None where it cannot be looked at."""
    try:
        with open("/proc/%s/smaps_rollup" % process, "rb") as table:
            found = dict(_PROPORTION.findall(table.read()))
        return [int(found[name]) * 1024 for name in (b"Anon", b"Shmem")]
    except (OSError, KeyError):
        return None
