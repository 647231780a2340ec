"""
Memory beside the private pages of processes that no folder of the sandbox holds either: what processes share, and the
tables of their pages. For sandboxes whose memory no control group counts.
"""

import os
import re

from . import kernel

_MACHINE = re.compile(rb"^Shmem: +(\d+) kB$", re.M)
_TABLES = re.compile(rb"^VmPTE:\s+(\d+) kB$", re.M)
_RESIDENT = re.compile(rb"^RssShmem:\s+(\d+) kB$", re.M)
_BLOCK_BYTES = 512


def _nameless_device():
    """The file system that has what the kernel shares without a name."""
    fd = os.memfd_create("device", os.MFD_CLOEXEC)
    try:
        return os.fstat(fd).st_dev
    finally:
        os.close(fd)


_device = _nameless_device()
# Of a table of mappings: start, end, offset and inode. System V has a list of its own.
_MAPPING = re.compile(
    rb"^([0-9a-f]+)-([0-9a-f]+) \S+ ([0-9a-f]+) %02x:%02x (\d+) +(?!/SYSV)" % (os.major(_device), os.minor(_device)), re.M
)


def bound(processes):
    """Bytes that are not exceeded, and quick to count: they include what other programs of the machine share."""
    return tables(processes) + _of_machine()


def used(processes):
    """
    Bytes of these processes. What several share counts once, and what is mapped counts in full, whether or not it has been
    written: pages that no process has mapped any more remain.
    """
    sizes = {}
    for process in processes:
        for inode, size in (*_mapped(process), *_open(process)):
            sizes[inode] = max(size, sizes.get(inode, 0))
    return tables(processes) + min(sum(sizes.values()) + kernel.sysv_memory(), _of_machine())


def tables(processes):
    """Bytes of their tables of pages."""
    return sum(_number(_TABLES, "/proc/%s/status" % process) for process in processes)


def _of_machine():
    return _number(_MACHINE, "/proc/meminfo")


def _mapped(process):
    """Inodes and bytes of what it has mapped; at least its pages where it does not let itself be looked at."""
    try:
        with open("/proc/%s/maps" % process, "rb", buffering=0) as table:
            found = _MAPPING.findall(table.readall())
    except PermissionError:
        return [((process,), _number(_RESIDENT, "/proc/%s/status" % process))]
    except OSError:
        return []
    return [(int(inode), int(offset, 16) + int(end, 16) - int(start, 16)) for start, end, offset, inode in found]


def _open(process):
    """The same of the files without a name that its threads have open, of which each can have files of its own."""
    found = []
    threads = "/proc/%s/task/" % process
    try:
        for thread in os.listdir(threads):
            folder = threads + thread + "/fd/"
            found += [_state(folder + name) for name in os.listdir(folder)]
    except OSError:
        # It, or a thread, has ended, or does not let itself be looked at.
        pass
    return [(info.st_ino, info.st_blocks * _BLOCK_BYTES) for info in found if info and info.st_dev == _device]


def _state(path):
    try:
        return os.stat(path)
    except OSError:
        # It has just been closed.
        return None


def _number(pattern, path):
    try:
        with open(path, "rb", buffering=0) as table:
            found = pattern.search(table.readall())
    except OSError:
        found = None
    return 0 if found is None else int(found[1]) * 1024
