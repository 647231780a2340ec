"""
Moves bytes between descriptors. With splice(2) they stay in the kernel and never enter this process's memory. Where it is
missing they go through memory that no fork gets a copy of, and that each reset overwrites.
"""

import fcntl
import mmap
import os
import socket

from . import frames

_F_SETPIPE_SZ = 1031
_PAGE = 4096
# Of a socket's buffer; the kernel counts its own needs too, and gives less where its maximum is lower.
_SOCKET_BYTES = 1 << 20


def wide_pipe(size):
    """
    Both ends of a pipe, non-blocking, and how many pieces it holds: at most one for each page. It has `size` bytes, or
    what the kernel allows.
    """
    reader, writer = os.pipe2(os.O_CLOEXEC | os.O_NONBLOCK)
    while True:
        try:
            return reader, writer, fcntl.fcntl(writer, _F_SETPIPE_SZ, size) // _PAGE
        except PermissionError:
            # The machine's administrator has set a lower maximum.
            size //= 2


def socket_pair():
    """Two connected sockets, non-blocking, between which twice the bytes of a frame fit."""
    pair = socket.socketpair(socket.AF_UNIX, socket.SOCK_STREAM)
    for end in pair:
        end.setblocking(False)
        end.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, _SOCKET_BYTES)
    return pair


def store(size):
    """
    Both ends of what holds twice the bytes of a frame and as much of `size` as the kernel allows: a wide pipe, or sockets
    where user code has all the pages for pipes that the kernel gives to its user.
    """
    reader, writer, pieces = wide_pipe(size)
    if pieces * _PAGE >= 2 * frames.MAX_CHUNK_BYTES:
        return reader, writer
    os.close(reader)
    os.close(writer)
    reader, writer = socket_pair()
    return reader.detach(), writer.detach()


class Splicer:
    """Moves bytes within the kernel."""

    def move(self, source, target, count):
        """
        Moves up to `count` bytes, of which one end is a pipe: how many, 0 at the end of the source, None when the source
        has none or the target no room now. Raises OSError when the target has no reader.
        """
        try:
            return os.splice(source, target, count, flags=os.SPLICE_F_NONBLOCK)
        except BlockingIOError:
            return None

    def store(self, source, file, place, count):
        """Moves up to `count` bytes of a pipe into a file; as `move`."""
        try:
            return os.splice(source, file, count, offset_dst=place, flags=os.SPLICE_F_NONBLOCK)
        except BlockingIOError:
            return None

    def load(self, file, place, target, count):
        """Copies up to `count` bytes of a file into a pipe: how many, or None when it has no room now."""
        try:
            return os.splice(file, target, count, offset_src=place, flags=os.SPLICE_F_NONBLOCK)
        except BlockingIOError:
            return None

    def forget(self, source):
        """Before `source` is closed: drops what was read from it and found no room."""

    def wipe(self):
        """Overwrites what remains of moved bytes."""


class Copier:
    """The same through a buffer of this process, for kernels without splice(2)."""

    def __init__(self):
        self._free = []
        # Source -> (buffer, first, last) of what was read from it and found no room: the next move from it begins there.
        self._carried = {}

    def move(self, source, target, count):
        return self._pass(source, count, lambda data: os.write(target, data))

    def store(self, source, file, place, count):
        return self._pass(source, count, lambda data: os.pwrite(file, data, place))

    def load(self, file, place, target, count):
        buffer = self._take_buffer()
        try:
            read = os.preadv(file, [memoryview(buffer)[: min(count, len(buffer))]], place)
            return os.write(target, memoryview(buffer)[:read])
        except BlockingIOError:
            return None
        finally:
            self._free.append(buffer)

    def _pass(self, source, count, write):
        if source not in self._carried:
            buffer = self._take_buffer()
            try:
                last = os.readv(source, [memoryview(buffer)[: min(count, len(buffer))]])
            except BlockingIOError:
                last = None
            if not last:
                self._free.append(buffer)
                return last
            self._carried[source] = (buffer, 0, last)
        buffer, first, last = self._carried[source]
        try:
            written = write(memoryview(buffer)[first : min(last, first + count)])
        except BlockingIOError:
            return None
        if first + written < last:
            self._carried[source] = (buffer, first + written, last)
        else:
            self.forget(source)
        return written

    def _take_buffer(self):
        return self._free.pop() if self._free else _unforked_buffer()

    def forget(self, source):
        buffer, _, _ = self._carried.pop(source, (None, 0, 0))
        if buffer is not None:
            self._free.append(buffer)

    def wipe(self):
        for buffer in self._free:
            buffer[:] = bytes(len(buffer))


def discard(mover, source, count):
    """Drops `count` bytes that wait in a pipe."""
    null = os.open("/dev/null", os.O_WRONLY | os.O_CLOEXEC)
    try:
        while count:
            count -= mover.move(source, null, count)
    finally:
        os.close(null)


def _unforked_buffer():
    buffer = mmap.mmap(-1, frames.MAX_CHUNK_BYTES)
    buffer.madvise(mmap.MADV_DONTFORK)
    return buffer


def _can_splice():
    (source, source_end), (target, target_end) = os.pipe(), os.pipe()
    plain, plain_end = socket_pair()
    file = os.memfd_create("probe", os.MFD_CLOEXEC)
    try:
        os.write(source_end, b"xx")
        return (
            all(
                os.splice(one, other, 1, flags=os.SPLICE_F_NONBLOCK) == 1
                for one, other in ((source, plain_end.fileno()), (plain.fileno(), target_end))
            )
            and os.splice(source, file, 1, offset_dst=0, flags=os.SPLICE_F_NONBLOCK) == 1
            and os.splice(file, target_end, 1, offset_src=0, flags=os.SPLICE_F_NONBLOCK) == 1
        )
    except (AttributeError, OSError):
        # Python before 3.10, or a kernel that does not have it.
        return False
    finally:
        plain.close()
        plain_end.close()
        for fd in (source, source_end, target, target_end, file):
            os.close(fd)


def best():
    """The way to move bytes that this Python and this kernel have."""
    return Splicer() if _can_splice() else Copier()
