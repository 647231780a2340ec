"""
Puts, gets and lists files for the engine, in a process of its own beside the runs: `fileMessages.ts` of the protocol is
the other end. User code may change any name at any moment; it reaches nothing of this process but those names.
"""

import errno
import fcntl
import json
import os
import stat
import struct

from . import contained, mediatype, memory, tree

_HEADER = struct.Struct(">II")
_MAX_HEAD = 1 << 20
CHUNK = 60 * 1024
# A page of a list ends after so many bytes of it.
_PAGE_BYTES = 1 << 18
# Not every sandbox has a view, and none can write to it.
_FOLDERS = {"workspace": "/workspace", "tmp": "/tmp", "view": "/view"}
_NEW_FILE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
# Never waits for the reader of a pipe.
_APPEND = os.O_WRONLY | os.O_APPEND | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
# Between two looks at the memory that is left. Files are memory of the sandbox; without room the kernel kills its code.
_ROOM_CHECK_BYTES = 1 << 20
_KINDS = {
    errno.ENOENT: "not_found",
    errno.ENOTDIR: "not_a_folder",
    errno.EISDIR: "not_a_file",
    errno.ENXIO: "not_a_file",
    errno.ELOOP: "outside_workspace",
    errno.EXDEV: "outside_workspace",
    errno.EEXIST: "exists",
    errno.ENOTEMPTY: "not_empty",
    errno.ENOSPC: "no_space",
    errno.EDQUOT: "no_space",
    errno.ENOMEM: "no_space",
    errno.EFBIG: "too_large",
    errno.EACCES: "no_access",
    errno.EPERM: "no_access",
    errno.ENAMETOOLONG: "invalid_path",
}
_REASONS = {errno.ELOOP: "a symbolic link is not followed", errno.ENXIO: "it is no regular file"}


class Refused(Exception):
    """Why a request is not done; the protocol names the kinds."""

    def __init__(self, kind, reason):
        super().__init__(reason)
        self.kind = kind


class Left(Exception):
    """The engine has closed the stream."""


class Service:
    """Serves one request after the other."""

    def __init__(self, stdin, stdout, folders=_FOLDERS, room=memory.room):
        self._stdin = stdin
        self._stdout = stdout
        self._roots = {name: contained.Root(path) for name, path in folders.items() if os.path.isdir(path)}
        self._room = room

    def serve(self):
        try:
            while True:
                self._serve_one(*self._read())
        except (Left, BrokenPipeError):
            pass

    def _serve_one(self, request, _):
        handler = _HANDLERS.get(request["op"])
        # What belongs to a request that has ended before it came.
        if handler is None:
            return
        try:
            names = contained.parse_path(request["path"])
            handler(self, self._roots[request["root"]], names, request)
        except contained.BadPath as error:
            self._send({"op": "error", "kind": "invalid_path", "reason": str(error)})
        except Refused as error:
            self._send({"op": "error", "kind": error.kind, "reason": str(error)})
        except OSError as error:
            kind = _KINDS.get(error.errno, "failed")
            reason = _REASONS.get(error.errno) or os.strerror(error.errno or 0)
            self._send({"op": "error", "kind": kind, "reason": reason})

    def _read(self):
        head_bytes, body_bytes = _HEADER.unpack(self._take(_HEADER.size))
        if head_bytes > _MAX_HEAD or body_bytes > CHUNK:
            raise Left("a message is too large")
        return json.loads(self._take(head_bytes)), self._take(body_bytes)

    def _take(self, count):
        parts = []
        while count:
            part = os.read(self._stdin, count)
            if not part:
                raise Left("stdin has ended")
            parts.append(part)
            count -= len(part)
        return b"".join(parts)

    def _send(self, head, body=b""):
        text = json.dumps(head).encode()
        view = memoryview(b"".join((_HEADER.pack(len(text), len(body)), text, body)))
        while view:
            view = view[os.write(self._stdout, view) :]

    def _answer(self, **value):
        self._send({"op": "answer", **value})

    def _stat(self, root, names, _):
        info = _lstat(root, names)
        contents = media_type = None
        if stat.S_ISDIR(info.st_mode):
            contents = _contents(root, names)
        elif stat.S_ISREG(info.st_mode):
            media_type = tree.media_type(root, names)
        self._answer(**tree.describe(info), links=info.st_nlink, mediaType=media_type, contents=contents)

    def _list(self, root, names, request):
        after = contained.parse_path(request["after"])[len(names) :]
        folder = root.open_folder(names)
        try:
            walk = tree.Walk(names, request["recursive"], after)
            entries, counts, size, is_cut = [], tree.Counts(), 0, False
            for path, info in walk.entries(folder):
                if len(entries) >= request["limit"] or size > _PAGE_BYTES:
                    is_cut = True
                    break
                entries.append({"path": tree.path_of(path), **tree.describe(info)})
                counts.add(info)
                # A byte that is not UTF-8 takes six in JSON.
                size += 6 * len(entries[-1]["path"]) + 80
        finally:
            os.close(folder)
        self._answer(entries=entries, next=entries[-1]["path"] if is_cut else None, skipped=walk.skipped, **counts.message())

    def _make(self, root, names, _):
        fd, made = root.make_folders(names)
        os.close(fd)
        self._answer(made=made)

    def _remove(self, root, names, request):
        if not names:
            raise Refused("outside_workspace", "it is the root of all files and stays")
        parent = root.open_folder(names[:-1])
        try:
            info = os.stat(names[-1], dir_fd=parent, follow_symlinks=False)
            counts = tree.Counts()
            if not stat.S_ISDIR(info.st_mode):
                os.unlink(names[-1], dir_fd=parent)
            else:
                if request["recursive"]:
                    tree.empty(parent, names[-1], counts)
                os.rmdir(names[-1], dir_fd=parent)
            counts.add(info)
        finally:
            os.close(parent)
        self._answer(**counts.message())

    def _get(self, root, names, request):
        fd = root.open_file(names)
        try:
            info = os.fstat(fd)
            if not stat.S_ISREG(info.st_mode):
                raise Refused("not_a_file", "it is a folder" if stat.S_ISDIR(info.st_mode) else "it is no regular file")
            offset = request["offset"]
            length = max(0, min(info.st_size, tree.MAX_INT) - offset)
            if request["length"] is not None:
                length = min(length, request["length"])
            elif length > _capacity(fd):
                raise Refused("too_large", "its size is mostly holes; read a part of it")
            media_type = mediatype.of_file(names[-1], fd)
            self._answer(**tree.describe(info), links=info.st_nlink, mediaType=media_type, length=length)
            self._send_content(fd, offset, length)
        finally:
            os.close(fd)

    def _send_content(self, fd, offset, length):
        """Sends no more than the engine has room for; it grants that by `more`."""
        left, room = length, 0
        while left:
            while room == 0:
                message, _ = self._read()
                room += message["bytes"] if message["op"] == "more" else 0
            data = os.pread(fd, min(CHUNK, left, room), offset)
            if not data:
                break
            self._send({"op": "data"}, data)
            offset, left, room = offset + len(data), left - len(data), room - len(data)
        # What is missing was cut off after the answer.
        self._send({"op": "end", "missing": left})

    def _put(self, root, names, request):
        if not names:
            raise Refused("not_a_file", "it is the root of all files")
        parent = root.make_folders(names[:-1])[0] if request["folders"] else root.open_folder(names[:-1])
        try:
            before = _entry(parent, names[-1])
            if before is not None and stat.S_ISDIR(before.st_mode):
                raise Refused("not_a_file", "it is a folder")
            if before is not None and not request["replace"]:
                raise Refused("exists", "it exists already")
            self._check_room(parent, request["size"] or 0)
            offset = request.get("offset")
            if offset is None:
                self._answer()
                size = self._receive_file(parent, names[-1], request["replace"])
            else:
                size = self._append(parent, names[-1], offset)
        finally:
            os.close(parent)
        self._answer(size=size, replaced=before is not None)

    def _room_of(self, root, _names, request):
        folder = root.open_folder([])
        try:
            free = _free_bytes(folder)
        finally:
            os.close(folder)
        # A view is on a disk.
        room = None if request["root"] == "view" else self._room()
        self._answer(bytes=free if room is None else max(0, min(free, room)))

    def _check_room(self, folder, size):
        """Refuses before half of a file is written, where that can be known."""
        free = _free_bytes(folder)
        if size > free:
            raise Refused("no_space", "it has %d bytes, and %d are free" % (size, free))
        self._check_memory(size)

    def _check_memory(self, size):
        room = self._room()
        if room is not None and size > room:
            raise Refused("no_space", "files are kept in the sandbox's memory, of which %d bytes are free" % max(0, room))

    def _receive_file(self, parent, name, may_replace):
        temporary = tree.TEMPORARY + os.urandom(8).hex().encode()
        # A new file takes over the name: what has it now may be a link, a pipe without a reader, or have other names.
        fd = os.open(temporary, _NEW_FILE, 0o644, dir_fd=parent)
        try:
            try:
                size = self._receive_content(fd)
            finally:
                os.close(fd)
            if may_replace:
                os.rename(temporary, name, src_dir_fd=parent, dst_dir_fd=parent)
            else:
                os.link(temporary, name, src_dir_fd=parent, dst_dir_fd=parent, follow_symlinks=False)
        finally:
            try:
                os.unlink(temporary, dir_fd=parent)
            except FileNotFoundError:
                pass
        return size

    def _append(self, parent, name, offset):
        """Writes at the end of the file itself; refuses when another writer has been there."""
        fd = os.open(name, _APPEND | (os.O_CREAT if offset == 0 else 0), 0o644, dir_fd=parent)
        try:
            info = os.fstat(fd)
            if not stat.S_ISREG(info.st_mode):
                raise Refused("not_a_file", "it is no regular file")
            try:
                fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                raise Refused("conflict", "it is being written")
            size = os.fstat(fd).st_size
            if size != offset:
                raise Refused("conflict", "it has %d bytes, and not %d" % (size, offset))
            self._answer()
            return offset + self._receive_content(fd)
        finally:
            os.close(fd)

    def _receive_content(self, fd):
        size = checked = 0
        while True:
            message, data = self._read()
            if message["op"] == "end":
                return size
            if size >= checked:
                self._check_memory(_ROOM_CHECK_BYTES)
                checked = size + _ROOM_CHECK_BYTES
            view = memoryview(data)
            while view:
                view = view[os.write(fd, view) :]
            size += len(data)
            self._send({"op": "taken", "bytes": len(data)})

    def _changes(self, root, _, request):
        # Whatever happens from here on belongs to the next report.
        mark = tree.next_tick()
        files, counts, skipped = tree.changes(root, int(request["since"]), request["limit"])
        self._answer(files=files, count=counts.files, bytes=counts.message()["bytes"], skipped=skipped, mark=str(mark))

    def _mark(self, _root, _names, _request):
        self._answer(mark=str(tree.next_tick()))


_HANDLERS = {
    "stat": Service._stat,
    "list": Service._list,
    "room": Service._room_of,
    "make": Service._make,
    "remove": Service._remove,
    "get": Service._get,
    "put": Service._put,
    "changes": Service._changes,
    "mark": Service._mark,
}


def _entry(folder, name):
    """The `stat_result` of a name, which may be a link; None where there is none."""
    try:
        return os.stat(name, dir_fd=folder, follow_symlinks=False)
    except FileNotFoundError:
        return None


def _free_bytes(folder):
    space = os.fstatvfs(folder)
    return space.f_bavail * space.f_frsize


def _capacity(file):
    """Bytes of the file system of an open file. A longer file has holes, which would fill the disk of who reads all of it."""
    space = os.fstatvfs(file)
    return space.f_blocks * space.f_frsize


def _lstat(root, names):
    folder = root.open_folder(names[:-1])
    try:
        return os.stat(names[-1], dir_fd=folder, follow_symlinks=False) if names else os.fstat(folder)
    finally:
        os.close(folder)


def _contents(root, names):
    try:
        folder = root.open_folder(names)
    except PermissionError:
        return None
    try:
        counts, skipped = tree.totals(folder)
        return {**counts.message(), "skipped": skipped}
    finally:
        os.close(folder)


def serve(stdin, stdout):
    """Serves until the engine closes `stdin`."""
    Service(stdin, stdout).serve()
