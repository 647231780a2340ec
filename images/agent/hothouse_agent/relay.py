"""Speaks frames with the engine and pipes with the children; everything a run says passes through here."""

import errno
import json
import os
import select
import signal
import socket
import sys
import time

from . import files, frames, jsonshape, kernel, sockets

_CHUNK = 1 << 16
# Between two looks at the sockets of a run. Seconds.
_LOOK = 0.5
# Reads of each pipe after its process has ended: more than a pipe can hold, so that nothing written before is lost.
_LAST_READS = 64


class _Pipe:
    """One stream of a child: counted, passed on up to a limit, drained beyond it."""

    def __init__(self, fd, limit, forward):
        self.fd = fd
        self._limit = limit
        self._forward = forward
        self.total = 0

    def restart(self):
        self.total = 0

    def take(self, count):
        """Reads `count` bytes that were there a moment ago; user code can read its own pipe and have them first."""
        end, before = self.total + count, -1
        while before < self.total < end:
            before = self.total
            if not self.pump(end - self.total):
                return

    def pump(self, most=_CHUNK):
        """Reads once; False when there is nothing more to come."""
        try:
            data = os.read(self.fd, min(most, _CHUNK))
        except BlockingIOError:
            return True
        room = self._limit - self.total
        self.total += len(data)
        if data and room > 0:
            self._forward(data[:room])
        return bool(data)


# What the engine waits for, and how often it may come beyond the limits: the end of a run, the answer to a question.
_AWAITED = (b'{"type": "done", ', b'{"type": "completions", ')
_MAX_AWAITED_BYTES = 1 << 20
_MAX_AWAITED = 8


class _Lines:
    """The event lines of a child, bounded together in bytes and in number; a line too many is counted and dropped."""

    def __init__(self, fd, limit, most, before, forward):
        self.fd = fd
        self._limit = limit
        self._most = most
        self._before = before
        self._forward = forward
        self.restart()
        self._buffer = bytearray()

    def restart(self):
        self._passed = 0
        self._count = 0
        self._awaited = 0
        self.dropped = 0

    def pump(self):
        # What was written before these lines waits in the other pipes; what comes later waits until they were read.
        take_output = self._before()
        try:
            data = os.read(self.fd, _CHUNK)
        except BlockingIOError:
            return True
        take_output()
        if b"\n" not in data:
            # A line too long is dropped at its end, so there is no need to have all of it.
            self._buffer += data[: max(0, jsonshape.MAX_BYTES + 1 - len(self._buffer))]
            return bool(data)
        *lines, rest = (bytes(self._buffer) + data).split(b"\n")
        self._buffer = bytearray(rest)
        for line in lines:
            self._pass(line)
        return True

    def _pass(self, line):
        if not line:
            return
        self._passed += len(line)
        self._count += 1
        fits = len(line) <= jsonshape.MAX_BYTES
        if fits and self._passed <= self._limit and self._count <= self._most:
            self._forward(line)
        elif line.startswith(_AWAITED) and len(line) <= _MAX_AWAITED_BYTES and self._awaited < _MAX_AWAITED:
            self._awaited += 1
            self._forward(line)
        else:
            self.dropped += 1


class _Child:
    """A process and its pipes. `number` is the engine's channel, or None while it waits to be used."""

    def __init__(self, relay, key, number, fds, sink, stdout_limit):
        self._relay = relay
        self.key = key
        self.number = number
        limit = relay.hello["outputBytes"]
        self.stdout = _Pipe(fds["stdout"], stdout_limit or limit, lambda data: self._send(frames.STDOUT, data))
        self.stderr = _Pipe(fds["stderr"], limit, lambda data: self._send(frames.STDERR, data))
        # Twice what the driver allows itself, so that an honest run never meets this limit.
        self.events = None
        if "events" in fds:
            limit, most = 2 * relay.hello["eventBytes"], 2 * relay.hello["events"]
            self.events = _Lines(fds["events"], limit, most, self._note_output, self._event)
        self._failure = fds.get("failure")
        self._sink = sink
        self._queued = bytearray()
        self._closing = False

    def _send(self, kind, data):
        if self.number is not None:
            self._relay.send(kind, self.number, data)

    def _note_output(self):
        waiting = [(pipe, kernel.unread(pipe.fd)) for pipe in (self.stdout, self.stderr)]
        return lambda: [pipe.take(count) for pipe, count in waiting]

    def _event(self, line):
        self._send(frames.EVENT, frames.COUNTS.pack(self.stdout.total, self.stderr.total) + line)

    def readers(self):
        return [reader for reader in (self.stdout, self.stderr, self.events) if reader is not None]

    def restart(self):
        for reader in self.readers():
            reader.restart()

    def feed(self, data):
        if self._sink is not None:
            self._queued += data
            self.flush()

    def close_input(self):
        self._closing = True
        self.flush()

    def flush(self):
        """Writes what the child takes; the rest waits until its pipe has room."""
        try:
            while self._queued:
                del self._queued[: os.write(self._sink, self._queued[:_CHUNK])]
        except BlockingIOError:
            self._relay.watch(self._sink, select.POLLOUT, self.flush)
            return
        except OSError:
            # The child has closed its end; what it did not read is nobody's.
            self._queued.clear()
        if self._sink is not None:
            self._relay.unwatch(self._sink)
            if self._closing:
                os.close(self._sink)
                self._sink = None

    def finish(self):
        """Reads what the ended child has left in its pipes and closes them."""
        for reader in self.readers():
            for _ in range(_LAST_READS):
                ready = select.select([reader.fd], [], [], 0)[0]
                if not ready or not reader.pump():
                    break
        for reader in self.readers():
            self._relay.unwatch(reader.fd)
            os.close(reader.fd)
        self._queued.clear()
        self.close_input()

    def _start_failure(self):
        """Why the program could not be started, in the child's own words before it would have become the program."""
        if self._failure is None:
            return None
        try:
            return os.read(self._failure, 1000).decode("utf-8", "replace") or None
        except BlockingIOError:
            return None
        finally:
            os.close(self._failure)

    def exit(self, message):
        self.finish()
        failure = self._start_failure()
        if self.number is None:
            return
        names = ("code", "signal", "peakMemoryBytes", "oomKills", "failure")
        report = {"code": None, "signal": None, "peakMemoryBytes": 0, "oomKills": 0, "failure": None}
        report.update((name, message[name]) for name in names if name in message)
        report["failure"] = report["failure"] or failure
        report["stdoutBytes"] = self.stdout.total
        report["stderrBytes"] = self.stderr.total
        report["eventsDropped"] = self.events.dropped if self.events else 0
        self._relay.message(frames.EXIT, self.number, report)


class Relay:
    def __init__(self, stdin, stdout, init, report, preloaded):
        self._stdin = stdin
        self._init = init
        self._reader = frames.Reader(stdin)
        self._report = report
        self._channels = {}
        self._children = {}
        self._spare = None
        self._forked = 0
        self._handlers = {}
        self._poll = select.poll()
        self.hello = self._greet(stdout)
        self._heard = self._looked = time.monotonic()
        self._excess = None
        self.watch(stdin, select.POLLIN, self._hear)
        self.watch(init.fileno(), select.POLLIN, self._obey)
        if preloaded:
            self._spare = self._fork(None, {"kind": "python"})

    def _greet(self, stdout):
        frame = None
        while frame is None:
            frame = self._reader.read()
        if frame[0] != frames.HELLO:
            raise frames.Closed("the first frame is no greeting")
        hello = json.loads(frame[2])
        self._writer = frames.Writer(stdout, hello["silenceMs"] / 1000)
        self.send, self.message = self._writer.frame, self._writer.message
        self._writer.raw(bytes.fromhex(hello["nonce"]))
        ready = {"version": 1, "python": sys.version.split()[0], "reset": self._report}
        self.message(frames.READY, 0, ready)
        return hello

    def watch(self, fd, events, handler):
        self._poll.register(fd, events)
        self._handlers[fd] = handler

    def unwatch(self, fd):
        if self._handlers.pop(fd, None) is not None:
            self._poll.unregister(fd)

    def serve(self):
        silence = self.hello["silenceMs"] / 1000
        while True:
            self._writer.flush()
            left = max(0, self._heard + silence - time.monotonic())
            ready = self._poll.poll(1000 * (min(left, _LOOK) if self._channels else left))
            # This process may be the one that was late: then what it has not heard waits to be read.
            if not left and self._stdin not in [fd for fd, _ in ready]:
                raise frames.Closed("nothing was heard for %d s" % silence)
            for fd, _ in ready:
                handler = self._handlers.get(fd)
                if handler is not None:
                    handler()
            self._look()

    def _look(self):
        """Ends a sandbox whose runs fill the host with data that nobody reads: not every kernel counts that as theirs."""
        now = time.monotonic()
        if not self._channels or now - self._looked < _LOOK:
            return
        self._looked = now
        excess = sockets.excess()
        # Twice in a row: what is read slowly may be much for a moment.
        if excess and self._excess:
            raise frames.Closed(excess)
        self._excess = excess

    def _hear(self):
        frame = self._reader.read()
        self._heard = time.monotonic()
        if frame is None:
            return
        kind, number, payload = frame
        if kind == frames.START:
            self._start(number, json.loads(payload))
        elif kind == frames.REQUEST:
            self._request(json.loads(payload))
        elif kind == frames.RESET:
            self._reset()
        elif number in self._channels:
            self._feed(kind, self._channels[number], payload)

    def _feed(self, kind, channel, payload):
        if kind == frames.RUN:
            channel.restart()
            channel.feed(payload + b"\n")
        elif kind == frames.INPUT:
            channel.feed(payload)
        elif kind == frames.CLOSE_INPUT:
            channel.close_input()

    def _start(self, number, start):
        child, self._spare = self._spare, None
        if child is None or start["kind"] != "python":
            child = self._fork(number, start)
        child.number = number
        self._channels[number] = child
        self._looked = time.monotonic()

    def _fork(self, number, start):
        theirs, ours, sink = [], {}, None
        if start["kind"] == "exec":
            end, sink = os.pipe()
            theirs.append(end)
        for name in ("stdout", "stderr", "events" if start["kind"] == "python" else "failure"):
            ours[name], end = os.pipe()
            theirs.append(end)
        if start["kind"] == "python":
            end, sink = os.pipe()
            theirs.append(end)
        for fd in (*ours.values(), sink):
            os.set_blocking(fd, False)
        self._forked += 1
        child = _Child(self, self._forked, number, ours, sink, start.get("stdoutBytes"))
        self._children[self._forked] = child
        for reader in child.readers():
            self.watch(reader.fd, select.POLLIN, lambda reader=reader: self._pump(reader))
        limits = {name: self.hello[name] for name in ("eventBytes", "events")}
        self._tell({"op": "spawn", "child": child.key, **limits, **start}, theirs)
        for fd in theirs:
            os.close(fd)
        return child

    def _pump(self, reader):
        if not reader.pump():
            # Every writer has closed it; the channel ends when its process does.
            self.unwatch(reader.fd)

    def _request(self, request):
        if request["op"] == "preload":
            self._tell(request)
        elif request["op"] == "signal":
            channel = self._channels.get(request["channel"])
            number = int(getattr(signal, request["signal"]))
            self._tell({"op": "signal", "id": request["id"], "child": channel and channel.key, "signal": number})
        elif request["op"] == "measure":
            self._tell({"op": "heard", "silenceMs": self.hello["silenceMs"]})
            value = {
                "memoryBytes": kernel.memory_used() or 0,
                "processes": sum(name.isdigit() for name in os.listdir("/proc")),
                "fds": len(kernel.Descriptors().open()),
                "cpuMs": kernel.cpu_used(),
                "oomKills": kernel.oom_kills(),
            }
            self._reply(request["id"], value)
        elif request["op"] == "put":
            self._reply(request["id"], None, files.put(request["path"], request["content"]))
        else:
            self._reply(request["id"], None, "unknown request")

    def _reply(self, number, value, error=None):
        self.message(frames.REPLY, 0, {"id": number, "error": error, "value": value})

    def _obey(self):
        data = self._init.recv(1 << 16)
        if not data:
            raise frames.Closed("the first process has gone")
        message = json.loads(data)
        if message["op"] == "preloaded" and "error" in message:
            self._reply(message["id"], None, message["error"])
        elif message["op"] == "preloaded":
            self._reply(message["id"], {"loaded": message["loaded"], "failed": message["failed"]})
            if not self._children:
                self._spare = self._fork(None, {"kind": "python"})
        elif message["op"] == "signalled":
            self._reply(message["id"], None)
        else:
            self._ended(message)

    def _ended(self, message):
        child = self._children.pop(message["child"])
        self._channels.pop(child.number, None)
        if child is self._spare:
            self._spare = None
        child.exit(message)

    def _tell(self, message, fds=()):
        data = json.dumps(message).encode()
        try:
            socket.send_fds(self._init, [data], list(fds))
        except OSError as error:
            if error.errno != errno.EMSGSIZE:
                raise frames.Closed("the first process: %s" % error.strerror) from None
            self._ended({"child": message["child"], "failure": "the command line is too long"})

    def _reset(self):
        self._tell({"op": "reset"})
        # Init kills this process; nothing may be read or written any more.
        signal.pause()


def main(stdin, stdout, init, report, preloaded):
    """The life of a relay; never returns."""
    code = 0
    try:
        Relay(stdin, stdout, init, report, preloaded).serve()
    except frames.Closed as reason:
        os.write(2, ("the agent leaves: %s\n" % reason).encode())
    except BaseException as error:
        os.write(2, ("the agent failed: %s: %s\n" % (type(error).__name__, error)).encode())
        code = 1
    os._exit(code)
