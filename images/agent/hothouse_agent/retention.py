"""
The frames of a session that another engine can resume. They lie in a file in memory, which only the kernel reads and
writes, until the engine has acknowledged them: the container's host drops what comes while nothing is attached.
"""

import os

from . import frames

# Of the file, which is used as a ring: the longest line that the engine takes, and output after it.
_WIDTH = 8 << 20
# Of it for the agent's own frames, so that output cannot keep them from coming.
_RESERVE = 1 << 16
_LONGEST = frames.HEADER.size + frames.COUNTS.size + frames.MAX_CHUNK_BYTES


class Retention:
    """
    Takes the place of an `Outbox`, whose frames are sent first. Counts the bytes of its frames from 0; each count is kept
    until `acknowledge` gets a higher one.
    """

    def __init__(self, before, mover):
        self.fd = before.fd
        self._before = before
        self._mover = mover
        self._file = os.memfd_create("frames", os.MFD_CLOEXEC)
        # The count of the byte at the file's begin.
        self._origin = 0
        self.acknowledged = 0
        self._sent = 0
        self.written = 0
        # Frames of this process that found no room in the file.
        self._late = bytearray()
        # What a new engine gets after the byte of the count `_limit`, before the stream is resumed.
        self._greeting = bytearray()
        self._limit = None

    @property
    def has_room(self):
        """Whether output can be passed on now. Frames of the agent itself can always be sent."""
        return not self._late and self._room() >= _LONGEST + _RESERVE

    @property
    def is_empty(self):
        return self._before.is_empty and self._sent >= self._last() and not self._greeting

    def frame(self, kind, channel, payload=b""):
        self.raw(frames.frame(kind, channel, payload))

    def message(self, kind, channel, value):
        self.frame(kind, channel, frames.encoded(value))

    def raw(self, data):
        if self._late or len(data) > self._room():
            self._late += data
        else:
            self._put(data)

    def pass_on(self, kind, channel, prefix, source, most):
        """As of `Outbox`."""
        head = frames.HEADER.size + len(prefix)
        count = self._take(source, self.written + head, min(most, frames.MAX_CHUNK_BYTES))
        if count:
            self._put(frames.HEADER.pack(kind, channel, len(prefix) + count) + prefix)
            self.written += count
        return count

    def flush(self):
        """Sends what is read; the rest waits until there is room. Raises `Closed`."""
        self._before.flush()
        if not self._before.is_empty:
            return
        try:
            while self._sent < self._last():
                place = self._place(self._sent)
                count = min(self._last() - self._sent, _WIDTH - place)
                moved = self._mover.load(self._file, place, self.fd, count)
                if moved is None:
                    return
                self._sent += moved
            if self._greeting:
                del self._greeting[: os.write(self.fd, self._greeting)]
        except BlockingIOError:
            pass
        except OSError as error:
            raise frames.Closed("stdout: %s" % error.strerror) from None

    def acknowledge(self, count):
        """The engine has everything up to this count. Raises `Closed` when that is more than was sent."""
        if count > self._sent:
            raise frames.Closed("the engine has more than was sent")
        self.acknowledged = max(self.acknowledged, count)
        if self.acknowledged == self.written:
            # The next frames use the same memory again.
            self._origin = self.written
        if self._late:
            part = self._late[: self._room()]
            del self._late[: len(part)]
            self._put(part)

    def greet(self, data):
        """Sends `data` after all that there is now, and then nothing until `resume`."""
        if self._limit is None:
            self._limit = self.written
        self._greeting += data

    def resume(self, count):
        """Sends everything after this count, again if it was sent. Raises `Closed` when it is not there."""
        if not self.acknowledged <= count <= self.written:
            raise frames.Closed("a stream cannot be resumed at %d" % count)
        self._sent = count
        self._limit = None

    def _last(self):
        return self.written if self._limit is None else self._limit

    def _room(self):
        return _WIDTH - (self.written - self.acknowledged)

    def _place(self, count):
        return (count - self._origin) % _WIDTH

    def _put(self, data):
        place = self._place(self.written)
        first = data[: _WIDTH - place]
        os.pwrite(self._file, first, place)
        if len(first) < len(data):
            os.pwrite(self._file, data[len(first) :], 0)
        self.written += len(data)

    def _take(self, source, count, most):
        """Moves up to `most` bytes of a pipe to where the byte of this count lies."""
        place = self._place(count)
        first = min(most, _WIDTH - place)
        moved = self._mover.store(source, self._file, place, first)
        if moved == first and first < most:
            moved += self._mover.store(source, self._file, 0, most - first) or 0
        return moved
