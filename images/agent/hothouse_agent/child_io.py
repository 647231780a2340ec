"""The relay's end of one child: its pipes, their limits, and the order in which they are read."""

import os
import select

from . import frames, jsonshape, kernel

_CHUNK = 1 << 16
# Reads of each pipe after its process has ended: more than a pipe can hold, so that nothing written before is lost.
_LAST_READS = 64


class OutputPipe:
    """A stream of a child: forwards up to `limit` bytes for one run, reads and counts the rest."""

    def __init__(self, fd, limit, forward):
        self.fd = fd
        self._limit = limit
        self._forward = forward
        self.total = 0

    def restart(self):
        """Starts the counts of a new run."""
        self.total = 0

    def read_available(self, count):
        """Reads `count` bytes that were there a moment ago; user code can read its own pipe and have them first."""
        end, before = self.total + count, -1
        while before < self.total < end:
            before = self.total
            if not self.pump(end - self.total):
                return

    def pump(self, most=_CHUNK):
        """Reads once. False at the end of the stream."""
        try:
            data = os.read(self.fd, min(most, _CHUNK))
        except BlockingIOError:
            return True
        room = self._limit - self.total
        self.total += len(data)
        if data and room > 0:
            self._forward(data[:room])
        return bool(data)


# What the engine waits for, and how often it may come beyond the limits: the end of a run, the answer to a completion.
_AWAITED = (b'{"type": "done", ', b'{"type": "completions", ')
_MAX_AWAITED_BYTES = 1 << 20
_MAX_AWAITED = 8


class EventLines:
    """
    The event lines of a child, limited together to `max_bytes` and `max_count` for one run. A line beyond the limits is
    dropped and counted. `before()` is called before each read and returns what is called after it.
    """

    def __init__(self, fd, max_bytes, max_count, before, forward):
        self.fd = fd
        self._max_bytes = max_bytes
        self._max_count = max_count
        self._before = before
        self._forward = forward
        self._buffer = bytearray()
        self.restart()

    def restart(self):
        """Starts the counts of a new run."""
        self._bytes = 0
        self._count = 0
        self._awaited = 0
        self.dropped = 0

    def pump(self):
        """Reads once. False at the end of the stream."""
        # Output written before these lines waits in the other pipes; what comes later is read after them.
        read_output = self._before()
        try:
            data = os.read(self.fd, _CHUNK)
        except BlockingIOError:
            return True
        read_output()
        if b"\n" not in data:
            # A line that is too long is dropped at its end, so only its beginning is kept.
            self._buffer += data[: max(0, jsonshape.MAX_BYTES + 1 - len(self._buffer))]
            return bool(data)
        *lines, rest = (bytes(self._buffer) + data).split(b"\n")
        self._buffer = bytearray(rest)
        for line in filter(None, lines):
            self._forward_or_drop(line)
        return True

    def _forward_or_drop(self, line):
        self._bytes += len(line)
        self._count += 1
        fits = len(line) <= jsonshape.MAX_BYTES
        if fits and self._bytes <= self._max_bytes and self._count <= self._max_count:
            self._forward(line)
        elif line.startswith(_AWAITED) and len(line) <= _MAX_AWAITED_BYTES and self._awaited < _MAX_AWAITED:
            self._awaited += 1
            self._forward(line)
        else:
            self.dropped += 1


class InputPipe:
    """The stdin or the requests of a child. `fd` None: the child has neither, and everything is ignored."""

    def __init__(self, fd, watch, unwatch):
        self._fd = fd
        self._watch = watch
        self._unwatch = unwatch
        self._queued = bytearray()
        self._closing = False

    def write(self, data):
        if self._fd is not None:
            self._queued += data
            self.flush()

    def close(self):
        """Closes it once everything queued is written."""
        self._closing = True
        self.flush()

    def abandon(self):
        """Closes it and drops what is queued."""
        self._queued.clear()
        self.close()

    def flush(self):
        """Writes what the pipe has room for; the rest is written when there is room again."""
        try:
            while self._queued:
                del self._queued[: os.write(self._fd, self._queued[:_CHUNK])]
        except BlockingIOError:
            self._watch(self._fd, select.POLLOUT, self.flush)
            return
        except OSError:
            # The child has closed its end and reads nothing more.
            self._queued.clear()
        if self._fd is not None:
            self._unwatch(self._fd)
            if self._closing:
                os.close(self._fd)
                self._fd = None


class Child:
    """
    A process and its pipes. `channel` is the engine's number for it, or None while no run uses it. `fds` maps `stdout`,
    `stderr`, and `events` or `failure` to the ends that are read, and `input` to the end that is written or None.
    """

    def __init__(self, relay, key, channel, fds, stdout_limit=None):
        self._relay = relay
        self.key = key
        self.channel = channel
        limits = relay.hello
        limit = limits["outputBytes"]
        self.stdout = OutputPipe(fds["stdout"], stdout_limit or limit, lambda data: self._send(frames.STDOUT, data))
        self.stderr = OutputPipe(fds["stderr"], limit, lambda data: self._send(frames.STDERR, data))
        self.events = None
        if "events" in fds:
            # Twice what the driver allows itself, so that an honest run never reaches this limit.
            max_bytes, max_count = 2 * limits["eventBytes"], 2 * limits["events"]
            self.events = EventLines(fds["events"], max_bytes, max_count, self._note_output, self._send_event)
        self._failure = fds.get("failure")
        self.input = InputPipe(fds["input"], relay.watch, relay.unwatch)

    def _send(self, kind, data):
        if self.channel is not None:
            self._relay.send(kind, self.channel, data)

    def _note_output(self):
        waiting = [(pipe, kernel.unread(pipe.fd)) for pipe in (self.stdout, self.stderr)]
        return lambda: [pipe.read_available(count) for pipe, count in waiting]

    def _send_event(self, line):
        self._send(frames.EVENT, frames.COUNTS.pack(self.stdout.total, self.stderr.total) + line)

    def readers(self):
        return [reader for reader in (self.stdout, self.stderr, self.events) if reader is not None]

    def restart(self):
        """Starts the counts of a new run."""
        for reader in self.readers():
            reader.restart()

    def exit(self, message):
        """Forwards what the ended child has left in its pipes, closes them and reports the exit to the engine."""
        self._drain()
        failure = self._start_failure()
        if self.channel is None:
            return
        names = ("code", "signal", "peakMemoryBytes", "oomKills", "failure")
        report = {"code": None, "signal": None, "peakMemoryBytes": 0, "oomKills": 0, "failure": None}
        report.update((name, message[name]) for name in names if name in message)
        report["failure"] = report["failure"] or failure
        report["stdoutBytes"] = self.stdout.total
        report["stderrBytes"] = self.stderr.total
        report["eventsDropped"] = self.events.dropped if self.events else 0
        self._relay.message(frames.EXIT, self.channel, report)

    def _drain(self):
        for reader in self.readers():
            for _ in range(_LAST_READS):
                ready = select.select([reader.fd], [], [], 0)[0]
                if not ready or not reader.pump():
                    break
        for reader in self.readers():
            self._relay.unwatch(reader.fd)
            os.close(reader.fd)
        self.input.abandon()

    def _start_failure(self):
        """Why the program could not be started; written by the child before it would have become the program."""
        if self._failure is None:
            return None
        try:
            return os.read(self._failure, 1000).decode("utf-8", "replace") or None
        except BlockingIOError:
            return None
        finally:
            os.close(self._failure)
