"""
Starts Node.js and stays beside it for what JavaScript cannot do: it waits until pipes are empty, passes interrupts on to
a thread of Node.js, and looks for changed files. Node.js gets the descriptors 3 to 9 of `channels.js`.
"""

import json
import os
import signal

from hothouse_agent import kernel, memory, stdio, workspace

# The first descriptor of the driver.
_FIRST = 3
# Seconds between two interrupts of programs.
_AGAIN = 0.05
# Bytes: more than a machine has.
_NO_LIMIT = 1 << 50


def serve(requests, events, answers, limits, files):
    control, interrupts = os.pipe2(os.O_CLOEXEC)
    asked, ask = os.pipe2(os.O_CLOEXEC)
    replies, reply = os.pipe2(os.O_CLOEXEC)
    helper = _Helper(interrupts, asked, reply, {"o": 1, "e": 2, "v": events, "a": answers})
    # From here on an interrupt is counted, also one that comes before Node.js runs.
    signal.signal(signal.SIGALRM, helper.interrupt_programs)
    signal.signal(signal.SIGINT, helper.on_interrupt)
    program = _program(files, limits)
    helper.pid = os.fork()
    if helper.pid == 0:
        _become_node((requests, events, answers, program, control, ask, replies), files)
    for fd in (requests, program, control, ask, replies):
        os.close(fd)
    helper.serve()


def _program(files, limits):
    """A file in memory with the sources and limits of the driver."""
    sources = {name: text for name, text in files.items() if name.endswith(".js")}
    content = {"files": sources, "eventBytes": limits["eventBytes"], "events": limits["events"]}
    fd = os.memfd_create("driver")
    with os.fdopen(os.dup(fd), "wb") as file:
        file.write(json.dumps(content).encode())
    os.lseek(fd, 0, os.SEEK_SET)
    return fd


def _become_node(fds, files):
    try:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        # Interrupts of the group are for the programs that it starts; it gets its own by a pipe.
        os.setsid()
        high = [kernel.duplicate_above(fd, 64) for fd in fds]
        for offset, fd in enumerate(high):
            os.dup2(fd, _FIRST + offset)
        options = ["--disable-warning=ExperimentalWarning", *_heap()]
        os.execvp("node", ["node", *options, "-e", files["loader.js"]])
    except BaseException as error:
        os.write(2, ("node: %s\n" % (getattr(error, "strerror", None) or error)).encode())
    os._exit(127)


def _heap():
    limit = memory.limit()
    # Beside the heap, Node.js needs some: with this much the kernel's limit comes first, and decides.
    # Without a limit the kernel names a number that no machine has, and that Node.js fails on.
    return [] if limit is None or limit > _NO_LIMIT else ["--max-old-space-size=%d" % max(16, limit >> 20)]


class _Helper:
    def __init__(self, interrupts, asked, reply, pipes):
        self.pid = None
        self._interrupts = interrupts
        self._asked = asked
        self._reply = reply
        self._pipes = pipes
        self._count = 0

    def on_interrupt(self, *_):
        self._count += 1
        os.write(self._interrupts, b"i")
        # Until Node.js has heard of it: the program that a call of it waits for may not have started yet.
        signal.setitimer(signal.ITIMER_REAL, _AGAIN, _AGAIN)
        self.interrupt_programs()

    def interrupt_programs(self, *_):
        """Interrupts what a blocked call of Node.js waits for."""
        for pid in kernel.descendants(self.pid) if self.pid else []:
            try:
                os.kill(pid, signal.SIGINT)
            except ProcessLookupError:
                continue

    def serve(self):
        """Answers until Node.js has ended, and ends as it did."""
        with os.fdopen(self._asked, "rb") as lines:
            for line in lines:
                try:
                    os.write(self._reply, self._answer(line.decode().strip()).encode() + b"\n")
                except BrokenPipeError:
                    break
        _, status = os.waitpid(self.pid, 0)
        if os.WIFSIGNALED(status):
            number = os.WTERMSIG(status)
            if number != signal.SIGKILL:
                signal.signal(number, signal.SIG_DFL)
            os.kill(os.getpid(), number)
        os._exit(os.WEXITSTATUS(status) if os.WIFEXITED(status) else 1)

    def _answer(self, question):
        kind, argument = question[:1], question[1:]
        if kind == "h":
            signal.setitimer(signal.ITIMER_REAL, 0)
        elif kind == "w":
            stdio.wait_until_empty(self._pipes[argument])
        elif kind == "i":
            return str(self._count)
        elif kind == "c":
            return {True: "1", False: "0"}.get(workspace.has_changed(int(argument)), "")
        return ""
