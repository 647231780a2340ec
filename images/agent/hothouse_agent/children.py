"""What a child does between its fork and the user's code."""

import os
import sys

from . import environment, files, gate, interpreter, kernel, walls


def prepare():
    """In the zygote, after each preloaded module: does once what every child would have to do."""
    interpreter.prepare()


def main(message, fds):
    """Becomes the process that `message` describes; never returns."""
    os.setsid()
    if message["kind"] == "files":
        _files(fds)
    gate.remove()
    environment.enter_run()
    kernel.set_dumpable(True)
    _offer_to_oom_killer()
    walls.enter_run()
    try:
        if message["kind"] == "exec":
            _exec(message, fds)
        else:
            _python(message, fds)
    except BaseException as error:
        os.write(2, ("%s: %s\n" % (type(error).__name__, error)).encode())
    os._exit(127)


def _offer_to_oom_killer():
    # The kernel then kills the run and not the agent. Plain calls: opening a text file costs 0.8 ms after a fork.
    fd = os.open("/proc/self/oom_score_adj", os.O_WRONLY)
    os.write(fd, b"1000")
    os.close(fd)


def _install_streams(stdin, stdout, stderr):
    for fd, number in ((stdin, 0), (stdout, 1), (stderr, 2)):
        os.dup2(fd, number)


def _close_all_but(*keep):
    edge = 3
    for fd in sorted(keep):
        os.closerange(edge, fd)
        edge = fd + 1
    os.closerange(edge, 4096)


def _exec(message, fds):
    *streams, failure = fds
    _install_streams(*streams)
    _close_all_but(failure)
    # Closed by a start that succeeds, so that only this function writes to it.
    os.set_inheritable(failure, False)
    subject = message["cwd"]
    try:
        os.chdir(subject)
        subject = message["argv"][0]
        os.execvpe(subject, message["argv"], {**os.environ, **message["env"]})
    except (OSError, ValueError) as error:
        text = "%s: %s" % (subject, getattr(error, "strerror", None) or error)
        os.write(failure, text.encode("utf-8", "replace")[:1000])


def _files(fds):
    """Never becomes a process of user code: it stays in `/`, hidden from tracers, and imports nothing."""
    _install_streams(*fds[:3])
    _close_all_but()
    try:
        files.serve(0, 1)
    finally:
        os._exit(0)


def _python(message, fds):
    stdout, stderr, events, requests = fds
    _install_streams(os.open("/dev/null", os.O_RDONLY), stdout, stderr)
    _close_all_but(events, requests)
    os.set_inheritable(events, False)
    os.set_inheritable(requests, False)
    sys.path.insert(0, os.getcwd())
    sys.argv = [""]
    interpreter.Interpreter(requests, events, message["eventBytes"], message["events"]).serve()
