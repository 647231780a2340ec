"""What init and its container held when they were new; a reset has to come back to it."""

import os
import time

from . import kernel, sockets
from .standing import standing

# The kernel keeps some memory of what has gone: names it looked up, charges of each CPU, stacks for the next process.
_SLACK_BYTES = 16 << 20
# It frees some only a moment later. Seconds.
_PATIENCE = 0.05
_PAUSE = 0.002
_DEVICES = tuple("/dev/" + name for name in ("null", "zero", "full", "random", "urandom", "tty"))


def _touched():
    """When the devices were last changed that everybody may write to, and so may give another time."""
    return {path: os.stat(path).st_mtime_ns for path in _DEVICES if os.path.exists(path)}


class Baseline:
    """Made before the first run can start."""

    def __init__(self):
        self._descriptors = kernel.Descriptors()
        self._standing = standing()
        self._sockets = sockets.used()
        self._devices = _touched()
        # What the container needs beside init. Taken only now: what is there later may be a run's.
        self._beside = (kernel.memory_used() or 0) - kernel.own_memory()
        self.settle()

    def settle(self, *passing):
        """Takes init as it is now for the measure: it has imported modules. `passing` descriptors don't count."""
        self._fds = self._descriptors.open() - frozenset(passing)
        self._bytes = self._beside + kernel.own_memory()

    def compare(self):
        """(leftovers, open descriptors, bytes of memory) after everything else has gone."""
        fds = self._descriptors.open()
        left = ["descriptor %d" % fd for fd in sorted(fds ^ self._fds)]
        left += ["standing: " + name for name, value in standing().items() if value != self._standing[name]]
        left += ["times of " + path for path, times in _touched().items() if times != self._devices.get(path)]
        # Before the memory, which they may hold.
        if not self._sockets_settled():
            left.append("sockets: %s instead of %s" % (sockets.used(), self._sockets))
        used = self._settled_memory()
        if used is None:
            left.append("memory: the kernel does not tell")
        elif used > self._bytes + _SLACK_BYTES:
            left.append("memory: %d bytes more than at first" % (used - self._bytes))
        return left, len(fds), used or 0

    def _sockets_settled(self):
        if self._sockets is None:
            return False
        if sockets.used() == self._sockets:
            return True
        sockets.collect()
        deadline = time.monotonic() + _PATIENCE
        while sockets.used() != self._sockets and time.monotonic() < deadline:
            time.sleep(_PAUSE)
        return sockets.used() == self._sockets

    def _settled_memory(self):
        deadline = time.monotonic() + _PATIENCE
        used = kernel.memory_used()
        while used is not None and used > self._bytes + _SLACK_BYTES and time.monotonic() < deadline:
            time.sleep(_PAUSE)
            used = kernel.memory_used()
        return used
