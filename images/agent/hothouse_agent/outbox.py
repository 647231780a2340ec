"""The agent's frames. They wait in a pipe, so that frames of one turn leave together and output stays in the kernel."""

import os

from . import frames, transfer

_WIDTH = 1 << 20
# Of one frame of output at most: its header, the pages of its bytes, and of each of the 16 pieces that one move takes the
# page at its begin and the one at its end. User code can write pieces that begin anywhere in a page, and one for each byte.
_PIECES = 1 + frames.MAX_CHUNK_BYTES // 4096 + 2 * 16


class Outbox:
    """Sends frames to a descriptor, which must not block."""

    def __init__(self, fd, mover):
        os.set_blocking(fd, False)
        self.fd = fd
        self._mover = mover
        self._pipe, self._pipe_end, self._capacity = transfer.wide_pipe(_WIDTH)
        # Output stays here until its length is known: user code can read its own pipe too.
        self._scratch, self._scratch_end, _ = transfer.wide_pipe(frames.MAX_CHUNK_BYTES)
        # User code can write packets (O_DIRECT), and a pipe of packets stays one when it is spliced: a reader with less
        # room than a packet loses the rest, and takes what follows for frames. What comes out of a socket are plain bytes.
        self._plain, self._plain_end = transfer.socket_pair()
        # Bytes in the pipe, and an upper bound of the pieces that it has.
        self._waiting = 0
        self._pieces = 0
        # Frames of this process that found no room in the pipe.
        self._late = bytearray()

    @property
    def has_room(self):
        """Whether output can be passed on now. Frames of the agent itself can always be sent."""
        return (not self._pieces or self._pieces + _PIECES <= self._capacity) and not self._late

    @property
    def is_empty(self):
        return not self._waiting and not self._late

    def frame(self, kind, channel, payload=b""):
        self.raw(frames.frame(kind, channel, payload))

    def message(self, kind, channel, value):
        self.frame(kind, channel, frames.encoded(value))

    def raw(self, data):
        if self._late or not self._put(data):
            self._late += data

    def _put(self, data):
        pieces = len(data) // 4096 + 1
        if self._pieces + pieces > self._capacity:
            return False
        os.write(self._pipe_end, data)
        self._pieces += pieces
        self._waiting += len(data)
        return True

    def pass_on(self, kind, channel, prefix, source, most):
        """
        Sends up to `most` bytes of a pipe, behind `prefix`, as one frame: how many, 0 at the pipe's end, None when it has
        none now. Only while there is room.
        """
        count = self._mover.move(source, self._scratch_end, min(most, frames.MAX_CHUNK_BYTES))
        if not count:
            return count
        self._put(frames.HEADER.pack(kind, channel, len(prefix) + count) + prefix)
        self._pieces += _PIECES - 1
        self._waiting += count
        left = count
        while left:
            self._mover.move(self._scratch, self._plain_end.fileno(), left)
            left -= self._mover.move(self._plain.fileno(), self._pipe_end, left)
        return count

    def flush(self):
        """Sends what is read; the rest waits until there is room. Raises `Closed`."""
        try:
            while self._waiting:
                moved = self._mover.move(self._pipe, self.fd, self._waiting)
                if moved is None:
                    return
                self._waiting -= moved
                if not self._waiting:
                    self._pieces = 0
                    self._put_late()
        except OSError as error:
            raise frames.Closed("stdout: %s" % error.strerror) from None

    def _put_late(self):
        part = self._late[: 64 * 4096]
        if part and self._put(part):
            del self._late[: len(part)]
