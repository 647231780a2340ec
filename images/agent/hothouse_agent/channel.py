"""The agent's end of one child: its pipes, their limits, and the order in which they are passed on."""

import os

from . import frames, kernel, transfer

_HELD_WIDTH = 1 << 20


class Stream:
    """A pipe that a child writes to: passes on up to `limit` bytes for one run, drops and counts the rest."""

    def __init__(self, fd, kind, limit):
        self.fd = fd
        self.kind = kind
        self._limit = limit
        self.total = 0

    def restart(self):
        """Starts the count of a new run."""
        self.total = 0

    def pump(self, ports, number, prefix=b""):
        """Moves what is there, at most one frame: how many bytes, 0 at the end, None when there are none now."""
        room = self._limit - self.total
        if room > 0:
            count = ports.outbox.pass_on(self.kind, number, prefix, self.fd, room)
        else:
            count = ports.mover.move(self.fd, ports.null, frames.MAX_CHUNK_BYTES)
        self.total += count or 0
        return count


class Input:
    """The stdin or the requests of a child; without a descriptor it ignores everything."""

    def __init__(self, fd, ports, on_blocked):
        self.fd = fd
        self._ports = ports
        # Called with this and whether bytes wait for room in the pipe.
        self._on_blocked = on_blocked
        self._held = None
        self._waiting = 0
        self._is_closing = False
        # Called when everything that came is in the pipe.
        self._then = []

    def take(self, source, count, then=None):
        """Moves `count` bytes of the pipe `source` to the child, and calls `then` when the child's pipe has them all."""
        if self.fd is None:
            transfer.discard(self._ports.mover, source, count)
        elif not self._waiting:
            count -= self._move(source, count)
        if count and self.fd is not None:
            self._hold(source, count)
        if then is not None:
            self._then.append(then)
        self._finish()

    def close(self):
        """Closes it once the child's pipe has everything."""
        self._is_closing = True
        self._finish()

    def abandon(self):
        """Closes it and everything that waits."""
        self._then.clear()
        self._shut()

    def on_room(self):
        """Moves on, after the child has read something."""
        if self._waiting:
            self._waiting -= self._move(self._held[0], self._waiting)
        self._finish()

    def _move(self, source, count):
        """How many bytes are gone: the child has them, or it reads no more."""
        moved = 0
        try:
            while moved < count:
                step = self._ports.mover.move(source, self.fd, count - moved)
                if not step:
                    return moved
                moved += step
        except OSError:
            # What is held is closed with everything in it.
            if self._held is None or source != self._held[0]:
                transfer.discard(self._ports.mover, source, count - moved)
            self._shut()
            return count
        return moved

    def _hold(self, source, count):
        if self._held is None:
            self._held = transfer.store(_HELD_WIDTH)
        self._waiting += count
        while count:
            moved = self._ports.mover.move(source, self._held[1], count)
            if not moved:
                raise frames.Closed("more input came than was asked for")
            count -= moved
        self._on_blocked(self, True)

    def _finish(self):
        if self._waiting:
            return
        calls, self._then = self._then, []
        for then in calls:
            then()
        if self.fd is not None:
            self._on_blocked(self, False)
        if self._is_closing:
            self._shut()

    def _shut(self):
        if self.fd is not None:
            self._on_blocked(self, False)
            os.close(self.fd)
        if self._held is not None:
            self._ports.mover.forget(self._held[0])
            for fd in self._held:
                os.close(fd)
        self.fd = self._held = None
        self._waiting = 0


class Ports:
    """What channels share: the way to move bytes, the frames to the engine, and a place for what is dropped."""

    def __init__(self, mover, outbox):
        self.mover = mover
        self.outbox = outbox
        self.null = os.open("/dev/null", os.O_RDWR | os.O_CLOEXEC)


class Channel:
    """
    A child and its pipes. `number` is the engine's for it, None while no run uses it. `fds` maps `stdout`, `stderr`, and
    `events` and `answers`, or `failure`, to the ends that are read, and `input` to the end that is written, or None;
    `control` is the socket of an interpreter.
    """

    def __init__(self, ports, limits, fds, on_blocked, stdout_limit=None):
        self._ports = ports
        self.number = None
        self.pid = None
        # The sandbox is reset after its end, unless the run has left files, which the engine may ask for.
        self.is_once = False
        # Its end is sent together with the report of that reset.
        self.is_awaited = False
        # What another engine learns of it: how many requests came, the bytes of the last one, the count of the engine's
        # stream before it, and a text of the engine.
        self.runs = 0
        self.input_bytes = 0
        self.run_at = 0
        self.note = None
        # Those that came before there was a process.
        self.signals = []
        self.stdout = Stream(fds["stdout"], frames.STDOUT, stdout_limit or limits["outputBytes"])
        self.stderr = Stream(fds["stderr"], frames.STDERR, limits["outputBytes"])
        # Twice what the driver allows itself, so that an honest run never reaches this limit.
        self._lines = [
            Stream(fds[name], kind, 2 * limits["eventBytes"] + (1 << 20))
            for name, kind in (("events", frames.EVENT), ("answers", frames.ANSWER))
            if name in fds
        ]
        self._failure = fds.get("failure")
        self.control = fds.get("control")
        # Of a copy: how many processes of the sandbox had been killed for memory before it was there.
        self.kills_before = None
        self.input = Input(fds["input"], ports, on_blocked)
        # The report of the process's end, while output that came before waits to be sent.
        self._ended = None

    def streams(self):
        """In the order in which they are passed on."""
        return [self.stdout, self.stderr, *self._lines]

    def restart(self):
        """Starts the counts of a new run."""
        self.runs += 1
        self.input_bytes = 0
        for stream in self.streams():
            stream.restart()

    def kept(self):
        """The protocol's `KeptChannel`."""
        return {
            "number": self.number,
            "runs": self.runs,
            "inputBytes": self.input_bytes,
            "runAt": self.run_at,
            "note": self.note,
        }

    def pump(self, stream):
        """Passes on what a stream has, at most one frame. False at the end of the stream."""
        if stream not in self._lines:
            return stream.pump(self._ports, self.number) != 0
        # What was written before these lines; what comes later is written when they are read. See stdio.py.
        earlier = self.streams()[: self.streams().index(stream)]
        for other in earlier:
            if not self._pump_all(other, kernel.unread(other.fd)):
                return True
        return self._pump_lines(stream) != 0

    def _pump_lines(self, stream):
        return stream.pump(self._ports, self.number, self._counts())

    def _counts(self):
        return frames.COUNTS.pack(self.stdout.total, self.stderr.total)

    def _pump_all(self, stream, count):
        """Passes on `count` bytes that were there a moment ago; False when the engine has no room for all of them."""
        prefix = self._counts() if stream in self._lines else b""
        while count > 0:
            if not self._ports.outbox.has_room:
                return False
            moved = stream.pump(self._ports, self.number, prefix)
            if not moved:
                # User code can read its own pipe too, and has them.
                return True
            count -= moved
        return self._ports.outbox.has_room

    def end(self, report):
        """Starts to end it: its process has ended with `report`."""
        self.input.abandon()
        self._ended = report

    def finish(self):
        """Sends what the ended process has left, its exit, and closes the pipes; False when that needs more room."""
        for stream in self.streams():
            if not self._pump_all(stream, kernel.unread(stream.fd)):
                return False
        report = {"code": None, "signal": None, "peakMemoryBytes": 0, "oomKills": 0, "failure": None, **self._ended}
        report["failure"] = report["failure"] or self._start_failure()
        report["stdoutBytes"] = self.stdout.total
        report["stderrBytes"] = self.stderr.total
        self._ports.outbox.message(frames.EXIT, self.number, report)
        self.close()
        return True

    def close(self):
        """Closes every pipe."""
        self.input.abandon()
        for stream in self.streams():
            os.close(stream.fd)
        if self._failure is not None:
            os.close(self._failure)
        if self.control is not None:
            self.control.close()

    def _start_failure(self):
        """Why the program could not start; written by the child before it would have become the program."""
        if self._failure is None:
            return None
        try:
            return os.read(self._failure, 1000).decode("utf-8", "replace") or None
        except BlockingIOError:
            return None
