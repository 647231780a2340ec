"""Files that this user can write to outside of the writable mounts: some hosts bind such files into a sandbox."""

import os
import stat

from . import kernel

# Kept to be restored; a file that had more than this before the first run is not restored.
_MAX_CONTENT = 1 << 20
_DEV = "/dev"
# What is written there goes nowhere.
DEVICES = tuple("/dev/" + name for name in ("null", "zero", "full", "random", "urandom", "tty"))


class WritableFile:
    """One such file, and its state before the first run. Like `wipe.Mount`."""

    def __init__(self, path):
        self.path = path
        with open(path, "rb") as file:
            self._content = file.read(_MAX_CONTENT)
        self._names = frozenset(os.listxattr(path))
        self._set_times()
        self._expected = self._state()

    def _set_times(self):
        """To now, which every user who can write to a file may do: so they say nothing of the run."""
        os.utime(self.path)

    def _state(self):
        info = os.stat(self.path)
        return {
            "content": (info.st_size, self._read() == self._content),
            "blocks": info.st_blocks,
            "mode": stat.S_IMODE(info.st_mode),
            "owner": (info.st_uid, info.st_gid),
            "attributes": sorted(os.listxattr(self.path)),
        }

    def _read(self):
        with open(self.path, "rb") as file:
            return file.read(_MAX_CONTENT)

    def is_clean(self):
        """Its times always have to be set."""
        return False

    def empty(self):
        """Gives it the content, the mode and the attributes that it had. Raises OSError where that is not permitted."""
        info = os.stat(self.path)
        if info.st_uid == os.getuid() and stat.S_IMODE(info.st_mode) != self._expected["mode"]:
            os.chmod(self.path, self._expected["mode"])
        for name in os.listxattr(self.path):
            if name not in self._names:
                os.removexattr(self.path, name)
        if self._state() != self._expected:
            with open(self.path, "r+b") as file:
                file.truncate(0)
                file.write(self._content)
        self._set_times()

    def leftovers(self):
        """What differs from before the first run."""
        now = self._state()
        return ["%s of %s" % (name, self.path) for name, value in self._expected.items() if now[name] != value]


def files():
    """Those that a reset can restore. One that cannot be read cannot be checked."""
    return [WritableFile(path) for path in paths() if os.path.isfile(path) and os.access(path, os.R_OK)]


def paths():
    """All of them: files, sockets, pipes and devices, but not those devices where what is written goes nowhere."""
    found = {path for path in kernel.mount_points() if not path.startswith("/proc")}
    # The folders of /dev are mounts.
    found.update(entry.path for entry in os.scandir(_DEV) if not entry.is_symlink())
    return [path for path in sorted(found - set(DEVICES)) if _is_file(path) and os.access(path, os.W_OK)]


def is_socket(path):
    return stat.S_ISSOCK(os.stat(path).st_mode)


def _is_file(path):
    return os.path.exists(path) and not os.path.isdir(path)
