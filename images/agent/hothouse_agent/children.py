"""What a child does between its fork and the user's code."""

# `inspect`, `pathlib` and `typing` are for the children: runs often import them, which takes milliseconds each.
import _signal
import fcntl
import inspect  # noqa: F401
import os
import pathlib  # noqa: F401
import signal
import socket
import sys
import typing  # noqa: F401

from . import drivers, environment, files, gate, interpreter, kernel, walls

# The pipes of a child of each kind, in the order in which `main` gets them; the child reads the first.
PIPES = {
    "exec": ("input", "stdout", "stderr", "failure"),
    "files": ("input", "stdout", "stderr"),
    "interpreter": ("input", "stdout", "stderr", "events", "answers"),
}
_INTERPRETER = "interpreter"
# The descriptors of an interpreter, beside the standard streams, are always the same, so that it can be made before it is
# forked.
_FIRST = 30
_PORTS = interpreter.Ports(events=_FIRST, answers=_FIRST + 1, control=_FIRST + 2, requests=_FIRST + 3)
_SIGCHLD, _DEFAULT = int(signal.SIGCHLD), int(signal.SIG_DFL)


def make():
    """In the first process, before any fork: makes what all children share."""
    interpreter.make(_PORTS)


def prepare():
    """In the zygote, after each preloaded module: does once what every child would have to do."""
    interpreter.prepare()


def pipes(kind, is_copy=False):
    """
    New pipes for a child: name -> end of the agent, which does not block, and the list of the child's ends. An interpreter
    has a socket too, `control`, over which it gets the descriptors of its copies, and a copy has shown itself.
    """
    ours, theirs = {}, []
    for name in PIPES[kind]:
        reader, writer = os.pipe2(os.O_CLOEXEC)
        end, other = (writer, reader) if name == "input" else (reader, writer)
        os.set_blocking(end, False)
        ours[name] = end
        theirs.append(other)
    if kind == _INTERPRETER:
        control, other = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        control.setblocking(False)
        if not is_copy:
            control.shutdown(socket.SHUT_RD)
        ours["control"] = control
        theirs.append(other.detach())
    return ours, theirs


def main(start, fds):
    """Becomes the process that `start` describes; never returns. The caller has just forked."""
    try:
        signal.set_wakeup_fd(-1)
        _signal.signal(_SIGCHLD, _DEFAULT)
        # Before its descriptors are closed, one of which is the wall's.
        walls.enter_run()
        fds = _take(start["kind"], fds)
        os.setsid()
        if start["kind"] == "files":
            # It never becomes a process of user code: it stays in `/`, hidden from tracers, and imports nothing.
            files.serve(0, 1)
            os._exit(0)
        gate.remove()
        environment.enter_run()
        _offer_to_oom_killer()
        if start["kind"] == "exec":
            _exec(start, *fds)
        elif start.get("driver"):
            events, answers, control, requests = fds
            # Only Python's interpreter can copy itself.
            os.close(control)
            drivers.serve(start["driver"], requests, events, answers, start)
        else:
            # The workspace.
            sys.path.insert(0, environment.WORKSPACE)
            sys.argv = [""]
            interpreter.serve(start["eventBytes"], start["events"])
    except BaseException as error:
        os.write(2, ("%s: %s\n" % (type(error).__name__, error)).encode())
    os._exit(127)


def _take(kind, fds):
    """Puts the streams in their places and closes every other descriptor; returns those that are no streams."""
    stdin, *rest = fds
    places = [0, 1, 2, *range(_FIRST, _FIRST + len(fds))]
    if kind == _INTERPRETER:
        # Its requests come last, and its stdin is empty.
        given = dict(zip(places, [os.open("/dev/null", os.O_RDONLY), *rest, stdin]))
    else:
        given = dict(zip(places, fds))
    for place, fd in list(given.items()):
        if fd in given:
            # Where another one goes.
            given[place] = fcntl.fcntl(fd, fcntl.F_DUPFD, _FIRST + len(fds))
    for place, fd in given.items():
        os.dup2(fd, place, inheritable=place < _FIRST)
    last = max(given) + 1
    os.closerange(3, _FIRST)
    os.closerange(max(last, _FIRST), kernel.MAX_FDS)
    return range(_FIRST, last)


def _offer_to_oom_killer():
    # The kernel then kills the run and not the agent. Only a process that can be traced has the right to write there.
    kernel.set_dumpable(True)
    # Plain calls: opening a text file costs 0.8 ms after a fork.
    fd = os.open("/proc/self/oom_score_adj", os.O_WRONLY)
    os.write(fd, b"1000")
    os.close(fd)


def _exec(start, failure):
    # Closed by a start that succeeds, so that only this function writes to it. The exec undoes this.
    kernel.set_dumpable(False)
    subject = start["cwd"]
    try:
        os.chdir(subject)
        subject = start["argv"][0]
        os.execvpe(subject, start["argv"], {**os.environ, **start["env"]})
    except (OSError, ValueError) as error:
        text = "%s: %s" % (subject, getattr(error, "strerror", None) or error)
        os.write(failure, text.encode("utf-8", "replace")[:1000])
