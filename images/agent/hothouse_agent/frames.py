"""The framing between engine and agent; src/protocol/frames.ts is the other end."""

import json
import os
import select
import struct

HEADER = struct.Struct(">BII")
COUNTS = struct.Struct(">QQ")
MAX_PAYLOAD = 16 * 1024 * 1024
_FLUSH_BYTES = 1 << 16

HELLO, START, RUN, INPUT, CLOSE_INPUT, RESET, REQUEST = range(1, 8)
READY, STDOUT, STDERR, EVENT, EXIT, REPLY = range(65, 71)


class Closed(Exception):
    """The engine has gone or broke the protocol; the text says how."""


class Reader:
    """Reads frames from a descriptor, and no byte beyond a frame: what follows may be for the next relay."""

    def __init__(self, fd):
        self._fd = fd
        self._parts = []
        self._missing = HEADER.size
        self._header = None

    def read(self):
        """The next frame as (type, channel, payload), or None when more bytes must come first. Raises `Closed`."""
        data = os.read(self._fd, min(self._missing, 1 << 20)) if self._missing else b""
        if self._missing and not data:
            raise Closed("stdin has ended")
        self._parts.append(data)
        self._missing -= len(data)
        if self._missing:
            return None
        whole, self._parts = b"".join(self._parts), []
        if self._header is None:
            self._header = HEADER.unpack(whole)
            self._missing = self._header[2]
            if self._missing > MAX_PAYLOAD:
                raise Closed("a frame is too large")
            return self.read() if not self._missing else None
        kind, channel, _ = self._header
        self._header, self._missing = None, HEADER.size
        return kind, channel, whole


class Writer:
    """
    Collects frames and writes them together: each write wakes several processes on its way to the engine. Raises
    `Closed` when nothing is read for `timeout` seconds.
    """

    def __init__(self, fd, timeout):
        os.set_blocking(fd, False)
        self._fd = fd
        self._pending = bytearray()
        self._timeout = timeout
        self._poll = select.poll()
        self._poll.register(fd, select.POLLOUT)

    def raw(self, data):
        self._pending += data
        if len(self._pending) >= _FLUSH_BYTES:
            self.flush()

    def flush(self):
        data, self._pending = self._pending, bytearray()
        view = memoryview(data)
        while view:
            try:
                view = view[os.write(self._fd, view) :]
            except BlockingIOError:
                if not self._poll.poll(self._timeout * 1000):
                    raise Closed("stdout is not read") from None
            except OSError as error:
                raise Closed("stdout: %s" % error.strerror) from None

    def frame(self, kind, channel, payload=b""):
        self.raw(HEADER.pack(kind, channel, len(payload)) + payload)

    def message(self, kind, channel, value):
        self.frame(kind, channel, json.dumps(value).encode())
