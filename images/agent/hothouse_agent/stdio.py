"""
stdin, stdout and stderr of user code. All output goes through pipes, and the relay reads each pipe by itself; so
before another pipe is written to, the one before must have been read. Then the order in which things were written is the
order in which they arrive. Events may follow output at once: the relay looks for output before it passes an event on.
"""

import io
import os
import sys
import time

from . import kernel

_SPINS = 50
_LINE_ENDS = ("\n", "\r")
_STARTS = frozenset(("subprocess.Popen", "os.system", "os.fork", "os.forkpty", "os.posix_spawn", "os.exec"))


def _unread(fd):
    try:
        return kernel.unread(fd)
    except OSError:
        # User code has closed it, or put a file in its place: there is no order to keep.
        return 0


def _drained(fd):
    spins = 0
    while _unread(fd):
        spins += 1
        if spins < _SPINS:
            os.sched_yield()
        else:
            time.sleep(0.0002)


class Order:
    """Whose turn it is to write: stdout, stderr or the events."""

    def __init__(self, events):
        self._events = events
        self._last = None
        self._pid = os.getpid()

    def turn(self, fd):
        # A process that the user forked has no say in the order.
        if self._last != fd and os.getpid() == self._pid:
            if self._last is not None:
                _drained(self._last)
            self._last = fd

    def settle(self):
        """Waits until everything written so far has been read."""
        if os.getpid() == self._pid:
            flush()
            for fd in (1, 2, self._events):
                _drained(fd)

    def emit(self, line):
        """Writes an event line after all that was written before."""
        if os.getpid() != self._pid:
            return
        flush()
        self._last = self._events
        # The newline in front ends whatever else was written to this descriptor.
        view = memoryview(b"\n" + line + b"\n")
        while view:
            view = view[os.write(self._events, view) :]


class _Stream(io.TextIOWrapper):
    def __init__(self, fd, order):
        super().__init__(io.BufferedWriter(io.FileIO(fd, "w", closefd=False)), "utf-8", "backslashreplace")
        self._order = order
        self._fd = fd

    def write(self, text):
        self._order.turn(self._fd)
        count = super().write(text)
        # Whole lines leave at once, and so does what print() ends without one: it writes its empty end.
        if not text or text.endswith(_LINE_ENDS):
            self.flush()
        return count


def install(order):
    """Replaces sys.stdout and sys.stderr."""
    sys.stdout = sys.__stdout__ = _Stream(1, order)
    sys.stderr = sys.__stderr__ = _Stream(2, order)
    # Programs write without taking turns, so they start when all is read.
    sys.addaudithook(lambda event, _: order.settle() if event in _STARTS else None)


def flush():
    for stream in (sys.stdout, sys.stderr, sys.__stdout__, sys.__stderr__):
        try:
            stream.flush()
        except Exception:
            # The user's own replacement; it is theirs to fail.
            continue


def give_stdin(text):
    """Makes `text` the whole of stdin, for this process and those it starts."""
    fd = os.memfd_create("stdin") if text else os.open("/dev/null", os.O_RDONLY)
    if text:
        with os.fdopen(os.dup(fd), "wb") as file:
            file.write(text.encode("utf-8", "surrogatepass"))
        os.lseek(fd, 0, os.SEEK_SET)
    os.dup2(fd, 0)
    os.close(fd)
    sys.stdin = sys.__stdin__ = io.TextIOWrapper(io.BufferedReader(io.FileIO(0, closefd=False)), "utf-8", "replace")
