"""
Copies of a session's interpreter. Its process forks itself when the engine asks it to; before that, the first process has
sent it the ends of the copy's pipes and of a socket. Over that socket the copy shows which process it is: the kernel adds
the sender's id, so nothing that user code writes is read here. User code can keep a copy of its own session from coming,
or show another of its processes instead.
"""

import select
import socket
import struct

# struct ucred: process, user and group of the sender.
_CREDENTIALS = struct.Struct("3i")
FAILURE = "the process of the session could not be copied"


class Copies:
    """
    `watch` and `unwatch` are those of the first process. `on_made(channel, pid)` returns whether the process can be the
    channel's; `on_failed(channel, report)` is called when there will be none.
    """

    def __init__(self, watch, unwatch, on_made, on_failed):
        self._watch = watch
        self._unwatch = unwatch
        self._on_made = on_made
        self._on_failed = on_failed
        # Channel -> descriptor of the socket by which its process will show itself.
        self._pending = {}

    def ask(self, original, made, theirs):
        """Sends the process of the channel `original` what the copy for the channel `made` needs; False if it cannot."""
        made.control.setsockopt(socket.SOL_SOCKET, socket.SO_PASSCRED, 1)
        if original is None or original.control is None:
            return False
        try:
            socket.send_fds(original.control, [b"\0"], theirs)
        except OSError:
            # It has closed its end, does not read, or user code has too many descriptors in flight.
            return False
        fd = made.control.fileno()
        self._pending[made] = fd
        self._watch(fd, select.POLLIN, lambda: self._on_shown(made), True)
        return True

    def give_up(self, made):
        """Waits no longer for the copy; False when it was not waited for."""
        fd = self._pending.pop(made, None)
        if fd is None:
            return False
        self._unwatch(fd)
        return True

    def clear(self):
        for made in list(self._pending):
            self.give_up(made)

    def _on_shown(self, made):
        try:
            pid = _sender(made.control)
        except BlockingIOError:
            return
        self.give_up(made)
        if pid is None or not self._on_made(made, pid):
            self._on_failed(made, {"failure": FAILURE})
            return
        try:
            # It has waited for this: its end can now be noticed. It can send nothing more.
            made.control.send(b"\0")
            made.control.shutdown(socket.SHUT_RD)
        except OSError:
            # It has ended already.
            pass


def _sender(control):
    """The process that has sent a message; None when every process has closed the other end."""
    # No room for descriptors: the kernel drops those that come along.
    data, ancillary, _, _ = control.recvmsg(1, socket.CMSG_SPACE(_CREDENTIALS.size))
    for level, kind, content in ancillary:
        if data and level == socket.SOL_SOCKET and kind == socket.SCM_CREDENTIALS and len(content) == _CREDENTIALS.size:
            return _CREDENTIALS.unpack(content)[0]
    return None
