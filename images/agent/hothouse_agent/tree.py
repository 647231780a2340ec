"""What is in a folder: entries in the order of their names, totals, what has changed, and the removal of all of it."""

import errno
import os
import stat
import time

from . import contained, mediatype

# Entries that one request looks at, however many there are.
MAX_VISITED = 200_000
# Rounds of a removal, for user code that adds folders all the time.
_MAX_ROUNDS = 100_000
# What a put has not finished.
TEMPORARY = b".hothouse-put-"
# What a JSON number and a date of JavaScript can hold.
MAX_INT = (1 << 53) - 1
_MAX_MS = 8_640_000_000_000_000
_CLOCK_REALTIME_COARSE = 5
_TYPES = ((stat.S_ISREG, "file"), (stat.S_ISDIR, "folder"), (stat.S_ISLNK, "link"))


class Counts:
    """How many of each there are, and the bytes of the files."""

    def __init__(self):
        self.files = self.folders = self.others = self.bytes = 0

    def add(self, info):
        if stat.S_ISREG(info.st_mode):
            self.files += 1
            self.bytes += info.st_size
        elif stat.S_ISDIR(info.st_mode):
            self.folders += 1
        else:
            self.others += 1

    def message(self):
        shown = {name: getattr(self, name) for name in ("files", "folders", "others")}
        return {**shown, "bytes": min(self.bytes, MAX_INT)}


def describe(info):
    """The protocol's words for a `stat_result`."""
    kind = next((name for is_type, name in _TYPES if is_type(info.st_mode)), "other")
    modified = max(-_MAX_MS, min(_MAX_MS, info.st_mtime_ns // 1_000_000))
    return {"type": kind, "size": min(info.st_size, MAX_INT), "modifiedMs": modified}


class Walk:
    """
    The entries below an open folder, as (names, info), folders before what is in them. `after` are the names of the entry
    that came last before. Entries that cannot be reached by a path, or are too many, are counted in `skipped`.
    """

    def __init__(self, names, recursive, after=()):
        self._names = names
        self._recursive = recursive
        self._after = list(after)
        self._visited = 0
        self.skipped = 0

    def entries(self, folder):
        yield from self._entries(folder, self._names, self._after)

    def _entries(self, folder, above, after):
        for name in self._sorted(folder):
            if after and name < after[0]:
                continue
            is_seen = bool(after) and name == after[0]
            names = [*above, name]
            try:
                info = os.stat(name, dir_fd=folder, follow_symlinks=False)
            except OSError:
                continue
            self._visited += 1
            if self._visited > MAX_VISITED or len(b"/".join(names)) >= contained.MAX_PATH_BYTES:
                self.skipped += 1
                continue
            if not is_seen:
                yield names, info
            if self._recursive and stat.S_ISDIR(info.st_mode):
                yield from self._below(folder, names, after[1:] if is_seen else [])

    def _below(self, folder, names, after):
        try:
            child = os.open(names[-1], contained.FOLDER, dir_fd=folder)
        except OSError:
            # Gone or replaced since, or closed to everybody.
            self.skipped += 1
            return
        try:
            if len(names) < contained.MAX_DEPTH:
                yield from self._entries(child, names, after)
            else:
                self.skipped += len(os.listdir(child))
        finally:
            os.close(child)

    def _sorted(self, folder):
        return sorted(name for name in map(os.fsencode, os.listdir(folder)) if not name.startswith(TEMPORARY))


def totals(folder):
    """What is below an open folder, as a `Counts`, and how many entries are not in it."""
    counts, walk = Counts(), Walk([], True)
    for _, info in walk.entries(folder):
        counts.add(info)
    return counts, walk.skipped


def next_tick():
    """A time after every change that has happened, and not after any that will: in nanoseconds, by the kernel's clock."""
    # Changes have times between the coarse clock's and the exact one's.
    start, now = time.time_ns(), 0
    while now <= start:
        time.sleep(0.0005)
        now = time.clock_gettime_ns(_CLOCK_REALTIME_COARSE)
    return now


def changes(root, since, limit):
    """
    The files below a root that were made or changed at `since` or later, the first `limit` with their types, and
    the number and bytes of all of them. User code can set the time of a modification, and not that of a change.
    """
    files, counts, walk = [], Counts(), Walk([], True)
    folder = root.open_folder([])
    try:
        for names, info in walk.entries(folder):
            if not stat.S_ISREG(info.st_mode) or info.st_ctime_ns < since:
                continue
            counts.add(info)
            if len(files) < limit:
                files.append({"path": path_of(names), **describe(info), "mediaType": media_type(root, names)})
    finally:
        os.close(folder)
    return files, counts, walk.skipped


def path_of(names):
    return contained.show_path(b"/".join(names))


def media_type(root, names):
    """The media type of a file; by its name alone where it cannot be read."""
    try:
        fd = root.open_file(names)
    except OSError:
        return mediatype.of(names[-1], b"")
    try:
        return mediatype.of_file(names[-1], fd)
    finally:
        os.close(fd)


def empty(parent, name, counts):
    """
    Removes everything in a folder and adds it to `counts`. Folders within its folders move up before they are emptied, so
    that no tree is too deep.
    """
    _open_up(parent, name)
    folder = os.open(name, contained.FOLDER, dir_fd=parent)
    try:
        removal = _Removal(folder, counts)
        for _ in range(_MAX_ROUNDS):
            names = os.listdir(folder)
            if not names:
                break
            for inner in names:
                removal.remove(inner)
    finally:
        os.close(folder)


class _Removal:
    def __init__(self, folder, counts):
        self._counts = counts
        self._folder = folder
        self._moved = 0

    def remove(self, name):
        """Removes one entry; what user code has changed meanwhile is left for the next round."""
        try:
            info = os.stat(name, dir_fd=self._folder, follow_symlinks=False)
            if stat.S_ISDIR(info.st_mode):
                self._empty(name)
                os.rmdir(name, dir_fd=self._folder)
            else:
                os.unlink(name, dir_fd=self._folder)
            self._counts.add(info)
        except (FileNotFoundError, NotADirectoryError):
            pass
        except OSError as error:
            if error.errno != errno.ENOTEMPTY:
                raise

    def _empty(self, name):
        _open_up(self._folder, name)
        child = os.open(name, contained.FOLDER, dir_fd=self._folder)
        try:
            for inner in os.listdir(child):
                info = os.stat(inner, dir_fd=child, follow_symlinks=False)
                if stat.S_ISDIR(info.st_mode):
                    self._move_up(child, inner)
                else:
                    os.unlink(inner, dir_fd=child)
                    self._counts.add(info)
        finally:
            os.close(child)

    def _move_up(self, child, inner):
        # A folder that changes its parent must be writable itself.
        _open_up(child, inner)
        self._moved += 1
        name = TEMPORARY + b"%d-%d" % (os.getpid(), self._moved)
        os.rename(inner, name, src_dir_fd=child, dst_dir_fd=self._folder)


def _open_up(folder, name):
    """Lets its owner into a folder, and out of it, whatever its mode says; a link in its place is not followed."""
    fd = os.open(name, os.O_PATH | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=folder)
    try:
        os.chmod("/proc/self/fd/%d" % fd, 0o700)
    finally:
        os.close(fd)
