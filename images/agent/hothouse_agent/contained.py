"""
Opens what a path names below one folder, and nothing elsewhere. User code runs meanwhile and may change any name at any
moment; the kernel or one descriptor after the other keeps each step inside.
"""

import ctypes
import errno
import os
import stat
import struct

MAX_PATH_BYTES = 4096
MAX_NAME_BYTES = 255
MAX_DEPTH = 128

FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
# A pipe without a writer must not hold up the reader, and a terminal must not become its own.
_FILE = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC

_OPENAT2 = 437
# struct open_how: flags, mode, resolve.
_HOW = struct.Struct("QQQ")
# RESOLVE_NO_MAGICLINKS, RESOLVE_NO_SYMLINKS and RESOLVE_BENEATH.
_RESOLVE = 0x02 | 0x04 | 0x08
_libc = ctypes.CDLL(None, use_errno=True)
_libc.syscall.restype = ctypes.c_long
_libc.syscall.argtypes = [ctypes.c_long, ctypes.c_long, ctypes.c_char_p, ctypes.c_char_p, ctypes.c_size_t]
# Where a kernel, a runtime or a filter does not have the call.
_NO_CALL = (errno.ENOSYS, errno.EPERM)


class BadPath(Exception):
    """A path that names nothing below a root."""


def parse_path(text):
    """The names of a path as bytes; a character U+DC80 to U+DCFF stands for one byte that is not UTF-8."""
    try:
        path = text.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        raise BadPath("it is not valid text") from None
    if len(path) >= MAX_PATH_BYTES:
        raise BadPath("it is too long")
    names = path.split(b"/") if path else []
    if len(names) > MAX_DEPTH:
        raise BadPath("it is too deep")
    for name in names:
        if name in (b"", b".", b"..") or b"\0" in name or len(name) > MAX_NAME_BYTES:
            raise BadPath("it has a name that cannot be used")
    return names


def show_path(path):
    """The text of which `parse_path` makes these names again."""
    return path.decode("utf-8", "surrogateescape")


class Root:
    """A folder that paths begin at."""

    def __init__(self, path):
        self._fd = os.open(path, FOLDER)
        self._has_openat2 = True

    def open_folder(self, names):
        """A descriptor of the folder; a symbolic link anywhere in the path is refused with ELOOP."""
        return self._open(names, FOLDER)

    def open_file(self, names):
        """A descriptor to read from, of whatever has the name; the caller looks at what it is."""
        return self._open(names, _FILE)

    def make_folders(self, names):
        """A descriptor of the folder, and how many folders of the path were made for it."""
        fd, made = os.dup(self._fd), 0
        for name in names:
            try:
                os.mkdir(name, 0o755, dir_fd=fd)
                made += 1
            except FileExistsError:
                pass
            except OSError:
                os.close(fd)
                raise
            fd = _step(fd, name, FOLDER)
        return fd, made

    def _open(self, names, flags):
        if self._has_openat2:
            try:
                return _openat2(self._fd, b"/".join(names) or b".", flags)
            except OSError as error:
                if error.errno not in _NO_CALL:
                    raise
            self._has_openat2 = False
        return self._walk(names, flags)

    def _walk(self, names, flags):
        fd = os.dup(self._fd)
        for name in names[:-1]:
            fd = _step(fd, name, FOLDER)
        return _step(fd, names[-1], flags) if names else fd


def _step(folder, name, flags):
    """Opens the name and closes the folder it is in."""
    try:
        return os.open(name, flags, dir_fd=folder)
    except OSError as error:
        if error.errno == errno.ENOTDIR and _is_link(folder, name):
            raise OSError(errno.ELOOP, os.strerror(errno.ELOOP)) from None
        raise
    finally:
        os.close(folder)


def _is_link(folder, name):
    try:
        return stat.S_ISLNK(os.stat(name, dir_fd=folder, follow_symlinks=False).st_mode)
    except OSError:
        return False


def _openat2(folder, path, flags):
    # With the flag, a folder that is a link would be said to be no folder.
    how = _HOW.pack(flags & ~os.O_NOFOLLOW, 0, _RESOLVE)
    while True:
        fd = _libc.syscall(_OPENAT2, folder, path, how, _HOW.size)
        if fd >= 0:
            return fd
        number = ctypes.get_errno()
        if number not in (errno.EINTR, errno.EAGAIN):
            raise OSError(number, os.strerror(number))
