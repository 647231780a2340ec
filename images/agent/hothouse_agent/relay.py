"""Speaks frames with the engine and pipes with the children. All output of a run passes through this process."""

import errno
import json
import os
import select
import signal
import socket
import sys
import time

from . import child_io, frames, kernel, sockets, walls

# Between two checks of a run's sockets. Seconds.
_SOCKET_CHECK_INTERVAL = 0.5


class Relay:
    def __init__(self, stdin, stdout, init, report, preloaded):
        self._stdin = stdin
        self._init = init
        self._reader = frames.Reader(stdin)
        self._report = report
        # Channel -> child, for children that a run uses; key -> child, for all of them.
        self._channels = {}
        self._children = {}
        self._spare = None
        self._forked = 0
        self._handlers = {}
        self._poll = select.poll()
        self.hello = self._handshake(stdout)
        self._last_frame_at = self._last_check_at = time.monotonic()
        self._excess = None
        self.watch(stdin, select.POLLIN, self._on_frame)
        self.watch(init.fileno(), select.POLLIN, self._on_init_message)
        if preloaded:
            self._spare = self._fork(None, {"kind": "interpreter"})

    def _handshake(self, stdout):
        frame = None
        while frame is None:
            frame = self._reader.read()
        if frame[0] != frames.HELLO:
            raise frames.Closed("the first frame is not a hello")
        hello = json.loads(frame[2])
        self._writer = frames.Writer(stdout, hello["silenceMs"] / 1000)
        self.send, self.message = self._writer.frame, self._writer.message
        self._writer.raw(bytes.fromhex(hello["nonce"]))
        ready = {"version": 1, "interpreter": sys.version.split()[0], "reset": self._report, "walls": walls.report}
        self.message(frames.READY, 0, ready)
        return hello

    def watch(self, fd, events, handler):
        """Calls `handler` whenever poll() reports one of the events."""
        self._poll.register(fd, events)
        self._handlers[fd] = handler

    def unwatch(self, fd):
        if self._handlers.pop(fd, None) is not None:
            self._poll.unregister(fd)

    def serve(self):
        """Serves until the engine has gone or is silent for too long; raises `frames.Closed` then."""
        silence = self.hello["silenceMs"] / 1000
        while True:
            self._writer.flush()
            left = max(0, self._last_frame_at + silence - time.monotonic())
            timeout = min(left, _SOCKET_CHECK_INTERVAL) if self._channels else left
            ready = self._poll.poll(1000 * timeout)
            # When this process itself was late, the frames that it missed wait to be read.
            if not left and self._stdin not in [fd for fd, _ in ready]:
                raise frames.Closed("no frame came for %d s" % silence)
            for fd, _ in ready:
                handler = self._handlers.get(fd)
                if handler is not None:
                    handler()
            self._check_sockets()

    def _check_sockets(self):
        """Ends a sandbox that fills the host with data in sockets: not every kernel counts that as the sandbox's."""
        now = time.monotonic()
        if not self._channels or now - self._last_check_at < _SOCKET_CHECK_INTERVAL:
            return
        self._last_check_at = now
        excess = sockets.excess()
        # Twice in a row: what is read slowly may be a lot for a moment.
        if excess and self._excess:
            raise frames.Closed(excess)
        self._excess = excess

    def _on_frame(self):
        frame = self._reader.read()
        self._last_frame_at = time.monotonic()
        if frame is None:
            return
        kind, number, payload = frame
        if kind == frames.START:
            self._start(number, json.loads(payload))
        elif kind == frames.REQUEST:
            self._answer(json.loads(payload))
        elif kind == frames.RESET:
            self._reset()
        elif number in self._channels:
            self._feed(kind, self._channels[number], payload)

    def _feed(self, kind, child, payload):
        if kind == frames.RUN:
            child.restart()
            child.input.write(payload + b"\n")
        elif kind == frames.INPUT:
            child.input.write(payload)
        elif kind == frames.CLOSE_INPUT:
            child.input.close()

    def _start(self, number, start):
        child, self._spare = self._spare, None
        if child is None or start["kind"] != "interpreter":
            child = self._fork(number, start)
        child.channel = number
        self._channels[number] = child
        self._last_check_at = time.monotonic()

    def _fork(self, number, start):
        """Has init fork a child, with pipes to it."""
        theirs, ours = [], {"input": None}
        if start["kind"] in ("exec", "files"):
            end, ours["input"] = os.pipe()
            theirs.append(end)
        for name in ("stdout", "stderr", "events" if start["kind"] == "interpreter" else "failure"):
            ours[name], end = os.pipe()
            theirs.append(end)
        if start["kind"] == "interpreter":
            end, ours["input"] = os.pipe()
            theirs.append(end)
        for fd in ours.values():
            os.set_blocking(fd, False)
        self._forked += 1
        child = child_io.Child(self, self._forked, number, ours, _stdout_limit(start))
        self._children[self._forked] = child
        for reader in child.readers():
            self.watch(reader.fd, select.POLLIN, lambda reader=reader: self._pump(reader))
        limits = {name: self.hello[name] for name in ("eventBytes", "events")}
        self._send_to_init({"op": "spawn", "child": child.key, **limits, **start}, theirs)
        for fd in theirs:
            os.close(fd)
        return child

    def _pump(self, reader):
        if not reader.pump():
            # Every writer has closed it; the channel ends when its process does.
            self.unwatch(reader.fd)

    def _answer(self, request):
        if request["op"] == "preload":
            self._send_to_init(request)
        elif request["op"] == "signal":
            child = self._channels.get(request["channel"])
            number = int(getattr(signal, request["signal"]))
            self._send_to_init({"op": "signal", "id": request["id"], "child": child and child.key, "signal": number})
        elif request["op"] == "measure":
            self._send_to_init({"op": "alive", "silenceMs": self.hello["silenceMs"]})
            self._reply(request["id"], _measure())
        else:
            self._reply(request["id"], None, "unknown request")

    def _reply(self, number, value, error=None):
        self.message(frames.REPLY, 0, {"id": number, "error": error, "value": value})

    def _on_init_message(self):
        data = self._init.recv(1 << 16)
        if not data:
            raise frames.Closed("the first process has gone")
        message = json.loads(data)
        if message["op"] == "preloaded" and "error" in message:
            self._reply(message["id"], None, message["error"])
        elif message["op"] == "preloaded":
            self._reply(message["id"], {"loaded": message["loaded"], "failed": message["failed"]})
            if not self._children:
                self._spare = self._fork(None, {"kind": "interpreter"})
        elif message["op"] == "signalled":
            self._reply(message["id"], None)
        else:
            self._on_child_end(message)

    def _on_child_end(self, message):
        child = self._children.pop(message["child"])
        self._channels.pop(child.channel, None)
        if child is self._spare:
            self._spare = None
        child.exit(message)

    def _send_to_init(self, message, fds=()):
        data = json.dumps(message).encode()
        try:
            socket.send_fds(self._init, [data], list(fds))
        except OSError as error:
            if error.errno != errno.EMSGSIZE:
                raise frames.Closed("the first process: %s" % error.strerror) from None
            self._on_child_end({"child": message["child"], "failure": "the command line is too long"})

    def _reset(self):
        self._send_to_init({"op": "reset"})
        # Init kills this process; nothing may be read or written any more.
        signal.pause()


def _measure():
    return {
        "memoryBytes": kernel.memory_used() or 0,
        "processes": sum(name.isdigit() for name in os.listdir("/proc")),
        "fds": len(kernel.Descriptors().open()),
        "cpuMs": kernel.cpu_used(),
        "oomKills": kernel.oom_kills(),
    }


def _stdout_limit(start):
    # Answers about files are as large as the files; the engine bounds what is under way.
    return sys.maxsize if start["kind"] == "files" else start.get("stdoutBytes")


def main(stdin, stdout, init, report, preloaded):
    """Runs a relay; never returns."""
    code = 0
    try:
        Relay(stdin, stdout, init, report, preloaded).serve()
    except frames.Closed as reason:
        # The engine reads this sentence when the reason is what the code took.
        os.write(2, ("the agent leaves: %s\n" % reason).encode())
    except BaseException as error:
        os.write(2, ("the agent failed: %s: %s\n" % (type(error).__name__, error)).encode())
        code = 1
    os._exit(code)
