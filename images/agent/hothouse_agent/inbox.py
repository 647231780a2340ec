"""The engine's frames. This process reads their headers and its own orders; bytes for children pass by it."""

import os

from . import frames, transfer

_DATA = frozenset((frames.RUN, frames.INPUT))
_WIDTH = 1 << 20
_PADDING_AT_ONCE = 128


class Inbox:
    """Reads frames from a descriptor, which must not block."""

    def __init__(self, fd, mover):
        self.fd = fd
        self._mover = mover
        # Bytes for a child wait here until their frame is complete.
        self.pipe, self._pipe_end, _ = transfer.wide_pipe(_WIDTH)
        # Read, and not used yet; never bytes for a child.
        self._bytes = bytearray()
        self._header = None
        # Bytes for a child that have not come yet.
        self._missing = 0

    def next(self):
        """
        The next frame as (type, channel, payload), or None when more bytes must come first. For a frame with bytes for a
        child the payload is their count, and they must be taken from `pipe` before the next call. Raises `Closed`.
        """
        while True:
            if self._header is None and not self._read_header():
                return None
            kind, channel, size = self._header
            if kind in _DATA:
                if not self._receive():
                    return None
                wanted, payload = 0, size
            else:
                wanted, payload = size, None
            # The end of this frame, and with it the next header, so that most frames need one system call.
            if not self._fill(wanted + 1, wanted + 1 + frames.HEADER.size):
                return None
            if payload is None:
                payload = bytes(self._bytes[:wanted])
            end = self._bytes[wanted]
            del self._bytes[: wanted + 1]
            self._header = None
            if end == frames.END:
                return kind, channel, payload
            if end != frames.PADDING:
                raise frames.Closed("a frame has no end")
            if kind in _DATA:
                self.discard(payload)

    def _read_header(self):
        # Padding before a hello.
        most = frames.HEADER.size
        while self._fill(1, most) and self._bytes[0] == frames.PADDING:
            # Less than a hello has, so that no bytes for a child are read with it.
            most = _PADDING_AT_ONCE
            del self._bytes[: len(self._bytes) - len(self._bytes.lstrip(b"\0"))]
        if not self._fill(frames.HEADER.size, frames.HEADER.size):
            return False
        self._header = frames.HEADER.unpack_from(self._bytes)
        del self._bytes[: frames.HEADER.size]
        kind, _, size = self._header
        if size > (frames.MAX_CHUNK_BYTES if kind in _DATA else frames.MAX_CONTROL_BYTES):
            raise frames.Closed("a frame is too large")
        self._missing = size if kind in _DATA else 0
        return True

    def _fill(self, least, most):
        """Whether `least` bytes are there; reads up to `most` when they are not."""
        if len(self._bytes) >= least:
            return True
        try:
            data = os.read(self.fd, most - len(self._bytes))
        except BlockingIOError:
            return False
        if not data:
            raise frames.Closed("stdin has ended")
        self._bytes += data
        return len(self._bytes) >= least

    def _receive(self):
        while self._missing:
            moved = self._mover.move(self.fd, self._pipe_end, self._missing)
            if moved is None:
                return False
            if not moved:
                raise frames.Closed("stdin has ended")
            self._missing -= moved
        return True

    def discard(self, count):
        """Drops bytes for a child that waits no more."""
        transfer.discard(self._mover, self.pipe, count)
