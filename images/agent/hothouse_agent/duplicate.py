"""
In a session's interpreter: copies of its process. A copy is not a child of the original, where user code could wait for
it, but of the first process, which has sent the descriptors of each copy; see `copies`.
"""

import os
import select
import socket
import stat
import sys
import time

from . import kernel, walls

# Descriptors in one message: the ends of five pipes and of a socket.
_DESCRIPTORS = 6
# How long a copy waits for its parent's end. Seconds.
_ORPHANED_WITHIN = 10
_PAUSE = 0.0002
# How long the copies have to leave the original's process group before it says that it is copied. Seconds.
_LEAVE_WITHIN = 2
# Where memory is short, the kernel ends copies before the session that they come from.
_SESSION_SCORE = b"500"
_COPY_SCORE = b"1000"


def make(control, count):
    """
    Makes a copy of this process for each of up to `count` messages that have come over the socket `control`. Returns in
    each copy with the descriptors of its message, and in the original with None. One that cannot be made is left out: the
    first process notices it when its descriptors are closed.
    """
    given = _receive(control, count)
    random_state = _random_state()
    kernel.flush_c_streams()
    _set_oom_score(_SESSION_SCORE)
    try:
        maker = os.fork()
    except Exception:
        # There are too many processes, or a hook of user code does not allow it.
        maker = None
    if maker == 0:
        return _enter(_make_each(given), random_state)
    _close([fd for fds in given for fd in fds])
    if maker is not None:
        try:
            os.waitpid(maker, 0)
        except ChildProcessError:
            # User code waits for all children too.
            pass
    return None


def _receive(control, count):
    given = []
    receiver = socket.socket(fileno=os.dup(control))
    try:
        while len(given) < count:
            _, fds, _, _ = socket.recv_fds(receiver, 1, _DESCRIPTORS, socket.MSG_DONTWAIT | socket.MSG_CMSG_CLOEXEC)
            if not fds:
                break
            given.append(fds)
    except OSError:
        # No more have come.
        pass
    finally:
        receiver.close()
    return given


def _close(fds):
    for fd in fds:
        os.close(fd)


def _make_each(given):
    """In a process between the original and the copies, whose end makes them children of the first process."""
    left, leaving = os.pipe()
    for fds in given:
        try:
            if os.fork() == 0:
                # From now on a signal to the original's process group is not for the copy.
                os.setsid()
                _close([left, leaving, *(fd for other in given if other is not fds for fd in other)])
                return fds
        except Exception:
            break
    os.close(leaving)
    # Its other end closes when every copy has left the group. User code can keep one from that for as long as it likes.
    select.select([left], [], [], _LEAVE_WITHIN)
    os._exit(0)


def _enter(fds, random_state):
    """In a copy: leaves what belongs to the original, and shows itself to the first process."""
    *_, control = fds
    deadline = time.monotonic() + _ORPHANED_WITHIN
    while os.getppid() != 1 and time.monotonic() < deadline:
        time.sleep(_PAUSE)
    _set_oom_score(_COPY_SCORE)
    try:
        walls.enter_copy()
    except OSError:
        # Domains nest only so deep.
        pass
    _cut_sockets(control)
    if random_state is not None:
        # Python gives each fork other random numbers.
        sys.modules["random"].setstate(random_state)
    os.write(control, b"\0")
    if not os.read(control, 1):
        os._exit(1)
    return fds


def _set_oom_score(score):
    try:
        fd = os.open("/proc/self/oom_score_adj", os.O_WRONLY)
        os.write(fd, score)
        os.close(fd)
    except OSError:
        # User code has made this process unreadable.
        pass


def _random_state():
    try:
        return sys.modules["random"].getstate()
    except Exception:
        # It is not loaded, or user code has replaced it.
        return None


def _cut_sockets(control):
    """Replaces every socket but `control` by one whose other end is closed: two processes cannot share a conversation."""
    cut, other = socket.socketpair()
    other.close()
    for fd in _sockets():
        if fd not in (control, cut.fileno()):
            os.dup2(cut.fileno(), fd, inheritable=False)
    cut.close()


def _sockets():
    return [fd for fd in map(int, os.listdir("/proc/self/fd")) if _is_socket(fd)]


def _is_socket(fd):
    try:
        return stat.S_ISSOCK(os.fstat(fd).st_mode)
    except OSError:
        # The descriptor of the listing itself.
        return False


def losses(control):
    """What this process has that a copy has not: other threads, and sockets but `control`."""
    threads = len(os.listdir("/proc/self/task")) - 1
    return {"threads": threads, "sockets": len([fd for fd in _sockets() if fd != control])}
