"""Whether a run has changed a file, as its own process sees it: cheap where there are few files, and for a hint only."""

import os

from . import environment

# Entries that are looked at; in a larger workspace the engine looks itself.
_MAX_ENTRIES = 1000


def has_changed(since):
    """Whether anything was made or changed at that time or later, in nanoseconds; None where that is not known."""
    try:
        return _has_changed(environment.WORKSPACE, since)
    except Exception:
        # User code may have replaced what this calls, or removes folders meanwhile.
        return None


def _has_changed(root, since):
    folders, seen = [root], 0
    while folders:
        with os.scandir(folders.pop()) as entries:
            for entry in entries:
                seen += 1
                if seen > _MAX_ENTRIES:
                    return None
                if entry.stat(follow_symlinks=False).st_ctime_ns >= since:
                    return True
                if entry.is_dir(follow_symlinks=False):
                    folders.append(entry.path)
    return False
