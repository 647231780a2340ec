"""Removes everything that a run may have left and checks that nothing remains."""

import errno
import os
import signal
import stat
import time

from . import kernel

KILL_ROUNDS = 50
# The ids of the permanent processes without a zygote.
ALONE = ("1",)


class Mount:
    """A writable mount, and the state of its root before the first run."""

    def __init__(self, path):
        self.path = path
        self._folder = kernel.open_folder(path)
        self._owned = os.stat(path).st_uid == os.getuid()
        self._root = _Root(path, self._folder) if self._owned else None
        # Of the host, and closed to this user: crun's folder of control groups can be written to, its entries cannot.
        self._given = frozenset(entry.name for entry in os.scandir(path) if _is_closed(entry))

    def is_clean(self):
        """Whether nothing is there to remove or to restore. While no other process lives."""
        names = os.listdir(self._folder)
        return self._given == frozenset(names) and (self._root is None or self._root.is_restored())

    def empty(self):
        if self._root is not None:
            self._root.open_up()
        _empty(self.path, self._given)

    def leftovers(self):
        """What is still there. Restores the times of the root, which emptying and reading change."""
        names = frozenset(os.listdir(self.path))
        left = ["file " + os.path.join(self.path, name) for name in names - self._given]
        left += ["no file " + os.path.join(self.path, name) for name in self._given - names]
        return left if self._root is None else left + self._root.restore()


class _Root:
    """The state of a mount's root, apart from its files: mode, owner, times, flags, attributes and access lists."""

    def __init__(self, path, folder):
        self._path = path
        self._folder = folder
        info = os.fstat(folder)
        self._times = (info.st_atime_ns, info.st_mtime_ns)
        self._names = frozenset(os.listxattr(folder))
        self._expected = self._state()

    def _state(self):
        info = os.fstat(self._folder)
        return {
            "mode": stat.S_IMODE(info.st_mode),
            "owner": (info.st_uid, info.st_gid),
            "times": (info.st_atime_ns, info.st_mtime_ns),
            "attributes": sorted(os.listxattr(self._folder)),
            "flags": kernel.inode_flags(self._folder),
        }

    def is_restored(self):
        """Whether all of it is as it was. The times may have to be set: also looking into a folder changes them."""
        os.utime(self._folder, ns=self._times)
        return self._state() == self._expected

    def open_up(self):
        """Undoes what could prevent emptying the mount."""
        os.chmod(self._folder, 0o700)
        if kernel.inode_flags(self._folder) != self._expected["flags"]:
            kernel.set_inode_flags(self._folder, self._expected["flags"])
        for name in os.listxattr(self._folder):
            if name not in self._names:
                os.removexattr(self._folder, name)
        # After the access list, whose mask is the group bits of the mode.
        os.chmod(self._folder, self._expected["mode"])

    def restore(self):
        os.utime(self._folder, ns=self._times)
        now = self._state()
        return ["%s of %s" % (name, self._path) for name, value in self._expected.items() if now[name] != value]


def writable_mounts():
    """Every mount that this user can write to."""
    paths = [path for path in kernel.mount_points() if os.path.isdir(path) and not path.startswith("/proc")]
    return [Mount(path) for path in paths if os.access(path, os.W_OK)]


def _is_closed(entry):
    return entry.stat(follow_symlinks=False).st_uid != os.getuid() and not (
        entry.is_dir(follow_symlinks=False) and os.access(entry.path, os.W_OK)
    )


def _empty(root, given):
    # Subfolders move to the root before they are emptied, so that no tree is too deep to remove.
    moved = 0
    pending = True
    while pending:
        pending = False
        for entry in list(os.scandir(root)):
            if entry.name in given:
                continue
            if not entry.is_dir(follow_symlinks=False):
                os.unlink(entry.path)
                continue
            os.chmod(entry.path, 0o700)
            for child in list(os.scandir(entry.path)):
                if child.is_dir(follow_symlinks=False):
                    os.chmod(child.path, 0o700)
                    moved += 1
                    os.rename(child.path, _free_name(root, moved))
                    pending = True
                else:
                    os.unlink(child.path)
            os.rmdir(entry.path)


def _free_name(root, number):
    path = os.path.join(root, ".hothouse-%d" % number)
    while os.path.lexists(path):
        path += "x"
    return path


def others(stay):
    """The ids of all processes but those in `stay`."""
    if are_alone(stay):
        return []
    return [name for name in os.listdir("/proc") if name.isdigit() and name not in stay]


def are_alone(stay):
    """
    Whether the kernel knows of no process but these, which must be permanent: the first one, perhaps with the zygote. False
    where it does not say.
    """
    count = kernel.task_count()
    if count == len(stay) or stay == ALONE:
        return count == len(stay) or _is_alone()
    return count is None and _are_alone(*map(int, stay))


def _are_alone(first, zygote):
    try:
        # Every process descends from the first one. What the zygote's children leave behind comes to the first one, and
        # stays a child of it until that reaps it: in this order none is missed.
        return not kernel.children(zygote) and kernel.children(first) == [zygote]
    except OSError:
        return False


def _is_alone():
    try:
        os.kill(-1, 0)
    except ProcessLookupError:
        # There is no process but this one, which is the first. The kernel counts zombies too.
        return True
    except OSError:
        pass
    return False


def kill_and_reap():
    """Kills every process but this one and the first, and reaps this one's children; returns how many were reaped."""
    reaped = 0
    try:
        os.kill(-1, signal.SIGKILL)
    except ProcessLookupError:
        pass
    try:
        while True:
            os.waitpid(-1, 0)
            reaped += 1
    except ChildProcessError:
        return reaped


def kill_all():
    """Kills every process but this one and reaps until none is left; returns how many were reaped."""
    reaped = 0
    for _ in range(KILL_ROUNDS):
        reaped += kill_and_reap()
        if not others(ALONE):
            break
        time.sleep(0.001)
    return reaped


def reap_but(pid):
    """Reaps every child but `pid`, all of which were killed; returns how many."""
    reaped = 0
    while True:
        # Orphans come to this process when their parent ends, so there may be more in a moment.
        found = os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG)
        if found is not None:
            reaped += 1
        elif others(("1", str(pid))):
            time.sleep(0.0002)
        else:
            return reaped


def _step(leftovers, name, action):
    try:
        return action()
    except OSError as error:
        leftovers.append("%s: %s" % (name, errno.errorcode.get(error.errno, error.errno)))


def _check(mounts, has_objects):
    left = []
    for mount in mounts:
        left += mount.leftovers()
    return left + ["%s %d" % found for found in (kernel.sysv_objects() if has_objects else [])]


def empty_mounts(mounts):
    """Removes what this process itself has written to the mounts. Raises OSError when something remains."""
    for mount in mounts:
        mount.empty()
        if mount.leftovers():
            raise OSError("files remain in " + mount.path)


def wipe(mounts, baseline, kill, on_work=lambda: None):
    """
    Does all of that, compares with the baseline, and returns the protocol's `ResetReport`. `kill()` kills every process
    but the permanent ones and returns how many, and the ids of those that stay. Calls `on_work` before it removes files.
    """
    started = time.monotonic()
    leftovers = []
    killed, stay = _step(leftovers, "kill", kill) or (0, ALONE)
    leftovers += ["process " + pid for pid in _step(leftovers, "processes", lambda: others(stay)) or []]
    # What has nothing to be removed needs no second look: no process is left that could add something.
    full = [mount for mount in mounts if not _step(leftovers, mount.path, mount.is_clean)]
    if full:
        on_work()
    for mount in full:
        _step(leftovers, mount.path, mount.empty)
    objects = _step(leftovers, "ipc", kernel.sysv_objects) or []
    for kind, identifier in objects:
        kernel.remove_sysv(kind, identifier)
    leftovers += _step(leftovers, "check", lambda: _check(full, bool(objects))) or []
    more, fds, memory = _step(leftovers, "baseline", lambda: baseline.compare(stay)) or ([], 0, 0)
    leftovers += more
    return {
        "clean": not leftovers,
        "leftovers": [ascii(text)[1:-1] for text in leftovers[:20]],
        "killed": killed,
        "fds": fds,
        "memoryBytes": memory,
        "durationMs": (time.monotonic() - started) * 1000,
    }
