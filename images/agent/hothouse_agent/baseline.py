"""The state of init and its container before the first run, which every reset must restore."""

import os
import time

from . import kernel, memory, sockets, walls
from .attributes import process_attributes

# The kernel keeps some memory after its user has gone: path names, per-CPU charges, stacks for the next process.
_SLACK_BYTES = 16 << 20
# It frees some of it only a moment later. Seconds.
_SETTLE_TIMEOUT = 0.05
_SETTLE_PAUSE = 0.002
_DEVICES = tuple("/dev/" + name for name in ("null", "zero", "full", "random", "urandom", "tty"))


def _can_be_marked(path):
    """Whether it is there, and its times can be set. Where a mount is read-only, only others can: they are not this sandbox's."""
    return os.path.exists(path) and not os.statvfs(path).f_flag & os.ST_RDONLY


def _device_times(paths):
    """When the world-writable devices were last changed. Every process can set these times."""
    return [os.stat(path).st_mtime_ns for path in paths]


class Baseline:
    """Made before the first run can start."""

    def __init__(self, memory_use):
        self._descriptors = kernel.Descriptors()
        self._memory = memory_use
        kernel.open_tables()
        self._counter = sockets.Counter()
        # The filter of system calls lets a process change only its own.
        self._attributes = None if walls.holds("systemCalls") else process_attributes()
        self._sockets = self._counter.used()
        self._devices = [path for path in _DEVICES if _can_be_marked(path)]
        self._device_times = _device_times(self._devices)
        # Memory of the container in addition to init's. Measured once: what is there later may be a run's.
        self._other_bytes = self._memory.used() - memory.of_process("self")
        self._fds = self._descriptors.open()
        self.record(0)

    def allow(self, make):
        """
        `make()` returns a new descriptor. It and its sockets are part of the state to restore from now on; the sockets of a
        process that waits for a run are not. Only while no run is there.
        """
        before = self._counter.used()
        self._fds |= {make()}
        now = self._counter.used()
        if self._sockets and before and now:
            self._sockets = {name: count + now[name] - before[name] for name, count in self._sockets.items()}

    def record(self, zygote_bytes):
        """Takes the memory that init has now, and that the zygote has, as those to return to."""
        self._bytes = self._other_bytes + memory.of_process("self") + zygote_bytes

    def compare(self, processes):
        """(leftovers, count of open descriptors, bytes of memory) once all but these processes, by their ids, have ended."""
        fds = self._descriptors.open()
        left = ["descriptor %d" % fd for fd in sorted(fds ^ self._fds)]
        if self._attributes is not None:
            now = process_attributes()
            left += ["attribute: " + name for name, value in now.items() if value != self._attributes[name]]
        times = _device_times(self._devices)
        if times != self._device_times:
            left += ["times of " + path for path, *pair in zip(self._devices, times, self._device_times) if len({*pair}) > 1]
        # Before the memory, which sockets may hold.
        if not self._sockets_settled():
            left.append("sockets: %s instead of %s" % (self._counter.used(), self._sockets))
        used = self._settled_memory(processes)
        if used > self._bytes + _SLACK_BYTES:
            left.append("memory: %d bytes more than before the first run" % (used - self._bytes))
        return left, len(fds), used

    def _sockets_settled(self):
        if self._sockets is None:
            return False
        if self._counter.used() == self._sockets:
            return True
        sockets.trigger_collection()
        deadline = time.monotonic() + _SETTLE_TIMEOUT
        while self._counter.used() != self._sockets and time.monotonic() < deadline:
            time.sleep(_SETTLE_PAUSE)
        return self._counter.used() == self._sockets

    def _settled_memory(self, processes):
        bound = self._memory.bound(processes)
        if bound <= self._bytes + _SLACK_BYTES:
            return bound
        deadline = time.monotonic() + _SETTLE_TIMEOUT
        used = self._memory.used()
        while used > self._bytes + _SLACK_BYTES and time.monotonic() < deadline:
            time.sleep(_SETTLE_PAUSE)
            used = self._memory.used()
        return used
