"""
stdin, stdout and stderr of user code. The agent empties each pipe separately, so before a process writes to another
pipe, the previous one must be empty: then everything arrives in the order of writing. Events may follow output at once,
and answers may follow both: the agent passes on output before events, and events before answers.
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
        # User code has closed it or replaced it by a file: there is no order to keep.
        return 0


def wait_until_empty(fd):
    """Waits until everything written to the pipe is read."""
    spins = 0
    while _unread(fd):
        spins += 1
        if spins < _SPINS:
            os.sched_yield()
        else:
            time.sleep(0.0002)


class OutputSequencer:
    """Keeps stdout, stderr, the events and the answers in the order of writing."""

    def __init__(self, events, answers):
        # In the order in which the agent passes them on.
        self._order = (1, 2, events, answers)
        self._last = None
        self._pid = os.getpid()

    def before_write(self, fd):
        """Waits until what was written to another pipe is passed on."""
        # The order concerns only this process, not those that user code forks.
        if self._last != fd and os.getpid() == self._pid:
            if self._last is not None:
                wait_until_empty(self._last)
            self._last = fd

    def adopt(self):
        """In a copy of the process, whose pipes are others under the same numbers: keeps their order from now on."""
        self._last = None
        self._pid = os.getpid()

    def drain(self):
        """Waits until everything written so far is passed on."""
        if os.getpid() == self._pid:
            flush()
            for fd in self._order:
                wait_until_empty(fd)

    def emit(self, line, is_answer):
        """Writes the line of an event or an answer after all that was written before."""
        if os.getpid() != self._pid:
            return
        flush()
        _, _, events, answers = self._order
        if not is_answer and self._last == answers:
            wait_until_empty(answers)
        self._last = answers if is_answer else events
        # The first newline ends what user code may have written to this descriptor.
        view = memoryview(b"\n" + line + b"\n")
        while view:
            view = view[os.write(self._last, view) :]


class _Stream(io.TextIOWrapper):
    def __init__(self, fd, sequencer):
        super().__init__(io.BufferedWriter(io.FileIO(fd, "w", closefd=False)), "utf-8", "backslashreplace")
        self._sequencer = sequencer
        self._fd = fd

    def renew(self):
        """In a copy of the process: another thread may have had the buffer's lock, which nothing opens there."""
        # Kept, since its end would wait for that lock too.
        self._locked = self.buffer
        super().__init__(io.BufferedWriter(io.FileIO(self._fd, "w", closefd=False)), "utf-8", "backslashreplace")

    def write(self, text):
        self._sequencer.before_write(self._fd)
        count = super().write(text)
        # Flushes after each line, and after print(end=""), which writes an empty text at last.
        if not text or text.endswith(_LINE_ENDS):
            self.flush()
        return count


class Streams:
    """What becomes sys.stdin, sys.stdout and sys.stderr of a process that is forked later, whose stdin is empty."""

    def __init__(self, sequencer):
        self._sequencer = sequencer
        self._input = _reader()
        # Streams remember whether their descriptors are pipes.
        reader, writer = os.pipe()
        saved = [os.dup(fd) for fd in (1, 2)]
        for fd in (1, 2):
            os.dup2(writer, fd)
        self._output, self._errors = _Stream(1, sequencer), _Stream(2, sequencer)
        for fd, before in zip((1, 2), saved):
            os.dup2(before, fd)
        for fd in (reader, writer, *saved):
            os.close(fd)

    def become_output(self):
        """Of this process too, whose descriptors 1 and 2 they write to."""
        sys.stdout, sys.stderr = self._output, self._errors

    def install(self):
        """In that process."""
        sys.stdin = sys.__stdin__ = self._input
        sys.stdout = sys.__stdout__ = self._output
        sys.stderr = sys.__stderr__ = self._errors
        # Programs write without a sequencer, so they start once everything is passed on.
        sys.addaudithook(self._on_event)

    def renew(self):
        """In a copy of that process, which has one thread."""
        for stream in (self._output, self._errors):
            stream.renew()

    def _on_event(self, event, _):
        if event in _STARTS:
            self._sequencer.drain()


def flush():
    for stream in (sys.stdout, sys.stderr, sys.__stdout__, sys.__stderr__):
        try:
            stream.flush()
        except Exception:
            # A replacement by user code may fail.
            continue


def _reader():
    return io.TextIOWrapper(io.BufferedReader(io.FileIO(0, closefd=False)), "utf-8", "replace")


def give_stdin(text):
    """Makes `text` the whole of stdin, for this process and those it starts."""
    fd = os.memfd_create("stdin") if text else os.open("/dev/null", os.O_RDONLY)
    if text:
        with os.fdopen(os.dup(fd), "wb") as file:
            file.write(text.encode("utf-8", "surrogatepass"))
        os.lseek(fd, 0, os.SEEK_SET)
    os.dup2(fd, 0)
    os.close(fd)
    sys.stdin = sys.__stdin__ = _reader()
