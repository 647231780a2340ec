"""Landlock: what this process and all that come from it may write, connect to and signal, by its own restriction."""

import ctypes
import os
import struct

_libc = ctypes.CDLL(None, use_errno=True)
_libc.syscall.restype = ctypes.c_long
# The same on every architecture.
_CREATE_RULESET, _ADD_RULE, _RESTRICT_SELF = 444, 445, 446
_QUERY_VERSION = 1
_PATH_BENEATH = 1
# From linux/landlock.h. Rights to files.
_WRITE_FILE = 1 << 1
# Removing and making folders, files, sockets, pipes, links and devices.
_CHANGE_FOLDERS = sum(1 << bit for bit in range(4, 13))
_REFER = 1 << 13
_TRUNCATE = 1 << 14
# Rights to the network: to bind and to connect a TCP socket.
_TCP = 0b11
# What a domain keeps inside: connections to abstract sockets, and signals.
_SCOPES = 0b11
# The versions that have these features. The first one refuses to move files between folders, which programs rely on.
_MIN_VERSION = 2
_TRUNCATE_VERSION = 3
_TCP_VERSION = 4
SCOPE_VERSION = 6
_LOG_VERSION = 7
# The machine's log gets no line for what is denied: code could fill it.
_LOG_SAME_EXEC_OFF = 1


_version = max(0, _libc.syscall(_CREATE_RULESET, None, ctypes.c_size_t(0), _QUERY_VERSION))


def version():
    """The version that this kernel has; 0 where it has none."""
    return _version


def can_restrict_files():
    return version() >= _MIN_VERSION


def can_restrict_tcp():
    return version() >= _TCP_VERSION


def restrict(folders, files, tcp):
    """
    Denies every write but those to what lies below `folders` and to existing `files`, which may be folders of such
    files; with `tcp` also every TCP connection. Reading is not affected. Those that do not exist are left out. Keeps
    processes from reaching abstract sockets and processes outside. Raises OSError.
    """
    has_truncate = _TRUNCATE if version() >= _TRUNCATE_VERSION else 0
    change = _WRITE_FILE | _CHANGE_FOLDERS | _REFER | has_truncate
    ruleset = _create(change, _TCP if tcp and can_restrict_tcp() else 0)
    try:
        for paths, rights in ((folders, change), (files, _WRITE_FILE | has_truncate)):
            for path in paths:
                _allow(ruleset, path, rights)
        enter(ruleset)
    finally:
        os.close(ruleset)


def create_scope():
    """A descriptor for `enter`: a domain whose processes reach no process and no abstract socket outside of it."""
    # A domain that does not allow this refuses to move files between folders.
    ruleset = _create(_REFER, 0)
    _allow(ruleset, "/", _REFER)
    return ruleset


def enter(ruleset):
    """Restricts this process from now on, and what comes from it."""
    _call(_RESTRICT_SELF, ruleset, _LOG_SAME_EXEC_OFF if version() >= _LOG_VERSION else 0)


def _create(files, tcp):
    found = version()
    attributes = struct.pack("QQQ", files, tcp, _SCOPES)
    # Older kernels know a part of the structure.
    size = 24 if found >= SCOPE_VERSION else 16 if found >= _TCP_VERSION else 8
    return _call(_CREATE_RULESET, attributes, ctypes.c_size_t(size), 0)


def _allow(ruleset, path, rights):
    try:
        fd = os.open(path, os.O_PATH | os.O_CLOEXEC)
    except FileNotFoundError:
        return
    try:
        _call(_ADD_RULE, ruleset, _PATH_BENEATH, struct.pack("=Qi", rights, fd), 0)
    finally:
        os.close(fd)


def _call(number, *arguments):
    result = _libc.syscall(number, *arguments)
    if result < 0:
        raise OSError(ctypes.get_errno(), "landlock: " + os.strerror(ctypes.get_errno()))
    return result
