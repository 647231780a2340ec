"""Gives up what this process could use to gain rights, and filters the system calls that it and its children make."""

import ctypes
import os

_libc = ctypes.CDLL(None, use_errno=True)
_PR_SET_SECCOMP = 22
_PR_SET_NO_NEW_PRIVS = 38
_SECCOMP_MODE_FILTER = 2
_INSTRUCTION_BYTES = 8
_CAPABILITY_VERSION = 0x20080522
_CAPABILITIES = (b"CapInh", b"CapPrm", b"CapEff", b"CapAmb")


class _Program(ctypes.Structure):
    _fields_ = [("length", ctypes.c_ushort), ("instructions", ctypes.c_char_p)]


def drop():
    """No program that is started from now on has more rights than this process; its capabilities go too."""
    _prctl(_PR_SET_NO_NEW_PRIVS, 1)
    header = (ctypes.c_uint32 * 2)(_CAPABILITY_VERSION, 0)
    if _libc.capset(header, (ctypes.c_uint32 * 6)()) != 0:
        raise OSError(ctypes.get_errno(), "capset")


def held():
    """What this process could use to gain rights, by name; empty where there is nothing."""
    with open("/proc/self/status", "rb") as table:
        status = dict(line.split()[:2] for line in table if len(line.split()) > 1)
    found = [name.decode() for name in _CAPABILITIES if int(status.get(name + b":", b"0"), 16) != 0]
    if os.getuid() == 0 or os.getgid() == 0:
        found.append("root")
    if status.get(b"NoNewPrivs:") != b"1":
        found.append("new privileges")
    return found


def filter_calls(program):
    """Installs a seccomp filter: `struct sock_filter`s as bytes. Needs `drop` first. Raises OSError."""
    _prctl(_PR_SET_SECCOMP, _SECCOMP_MODE_FILTER, ctypes.byref(_Program(len(program) // _INSTRUCTION_BYTES, program)))


def _prctl(option, *arguments):
    values = (*arguments, 0, 0, 0, 0)[:4]
    if _libc.prctl(option, *(value if not isinstance(value, int) else ctypes.c_ulong(value) for value in values)) != 0:
        raise OSError(ctypes.get_errno(), "prctl: " + os.strerror(ctypes.get_errno()))
