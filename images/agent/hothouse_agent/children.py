"""What a child does between its fork and the user's code."""

import os
import signal
import socket
import sys

from . import drivers, environment, files, gate, interpreter, kernel, walls

# The pipes of a child of each kind, in the order in which `main` gets them; the child reads the first.
PIPES = {
    "exec": ("input", "stdout", "stderr", "failure"),
    "files": ("input", "stdout", "stderr"),
    "interpreter": ("input", "stdout", "stderr", "events", "answers"),
}
_INTERPRETER = "interpreter"


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
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
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
            _python(start, *fds)
    except BaseException as error:
        os.write(2, ("%s: %s\n" % (type(error).__name__, error)).encode())
    os._exit(127)


def _take(kind, fds):
    """Puts the streams in their places and closes every other descriptor; returns those that are no streams."""
    stdin, stdout, stderr, *more = fds
    if kind == _INTERPRETER:
        more.append(stdin)
        stdin = os.open("/dev/null", os.O_RDONLY)
    for fd, number in ((stdin, 0), (stdout, 1), (stderr, 2)):
        os.dup2(fd, number)
    kernel.close_all_but(more)
    for fd in more:
        os.set_inheritable(fd, False)
    return more


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


def _python(start, events, answers, control, requests):
    sys.path.insert(0, os.getcwd())
    sys.argv = [""]
    ports = interpreter.Ports(requests, events, answers, control)
    interpreter.Interpreter(ports, start["eventBytes"], start["events"]).serve()
