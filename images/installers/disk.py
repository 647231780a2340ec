"""What all installers do about the disk: the limit of the download cache, and room for what they have made."""

import fcntl
import os
import sys
import time

CACHE = "/cache/data"
# A full disk; the engine knows the status.
FULL = 28
# The engine stops an installer before the disk has less.
RESERVE = 1 << 30
CHECK_EVERY = 3600


def hold_cache(name, wait):
    """A lock that installers share while they use the cache; alone (`wait` is false), None when another one uses it."""
    file = open(os.path.join(CACHE, name + ".lock"), "a")
    try:
        fcntl.flock(file, fcntl.LOCK_SH if wait else fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        file.close()
        return None
    return file


def trim_cache(name, limit, empty):
    """Calls `empty` when the download cache is over its limit; looks at most once in `CHECK_EVERY` seconds for each name."""
    mark = os.path.join(CACHE, "checked-" + name)
    try:
        if 0 <= time.time() - os.stat(mark).st_mtime < CHECK_EVERY:
            return
    except FileNotFoundError:
        pass
    with open(mark, "w"):
        pass
    if size_of(CACHE) > limit:
        empty()


def size_of(folder):
    """Bytes of all files below a folder; those that vanish meanwhile do not count."""
    size = 0
    for parent, _, names in os.walk(folder):
        for name in names:
            try:
                size += os.lstat(os.path.join(parent, name)).st_size
            except FileNotFoundError:
                continue
    return size


def require_room(folder):
    """Ends the program when a copy of the folder does not fit on the disk: the session gets one."""
    disk = os.statvfs(folder)
    needed, has = size_of(folder) + RESERVE, disk.f_bavail * disk.f_frsize
    if needed > has:
        print("The packages need %d MB more than the disk has." % ((needed - has >> 20) + 1), file=sys.stderr)
        sys.exit(FULL)
