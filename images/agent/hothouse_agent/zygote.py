"""The second permanent process: it imports the modules that runs ask for, and runs that need them are forked from it."""

import errno
import importlib
import json
import os
import select
import signal
import socket

from . import children, environment, gate, kernel, memory, sharing, walls, wipe

# For an answer of the zygote, which may be importing something large. Seconds.
_ANSWER_TIMEOUT = 60
_MESSAGE = 1 << 16


class Zygote:
    """The first process's end of it."""

    def __init__(self):
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self.pid = os.fork()
        if self.pid == 0:
            _main(theirs)
        theirs.close()
        self._socket = ours
        self.fd = ours.fileno()

    def send(self, message, fds=()):
        """Raises OSError when it is gone."""
        socket.send_fds(self._socket, [json.dumps(message).encode()], list(fds))

    def receive(self, timeout=0):
        """Its next message, or None when none comes within `timeout` seconds. Raises OSError when it is gone."""
        poll = select.poll()
        poll.register(self.fd, select.POLLIN)
        if not poll.poll(1000 * timeout):
            return None
        data = self._socket.recv(_MESSAGE)
        if not data:
            raise BrokenPipeError("the zygote has gone")
        return json.loads(data)

    def wake(self):
        """Continues it where a run has stopped it; whether it lives."""
        os.kill(self.pid, signal.SIGCONT)
        return kernel.is_own_child(self.pid)

    def kill_others(self, on_message):
        """
        Kills every process but the first one and the zygote. Its children are reaped then: returns how many. What it had
        sent before goes to `on_message`.
        """
        self.wake()
        self.send({"op": "kill"})
        while True:
            message = self.receive(_ANSWER_TIMEOUT)
            if message is None:
                raise TimeoutError(errno.ETIMEDOUT, "the zygote does not answer")
            if message["op"] == "killed":
                return message["reaped"]
            on_message(message)

    def close(self):
        self._socket.close()


def _main(server):
    """Serves the first process; never returns."""
    code = 0
    try:
        signal.set_wakeup_fd(-1)
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        kernel.close_all_but([server.fileno(), *walls.descriptors()])
        _Server(server).serve()
    except BaseException as error:
        os.write(2, ("the zygote failed: %s: %s\n" % (type(error).__name__, error)).encode())
        code = 1
    os._exit(code)


class _Server:
    def __init__(self, server):
        self._socket = server
        self._wake, waker = os.pipe2(os.O_CLOEXEC | os.O_NONBLOCK)
        signal.set_wakeup_fd(waker, warn_on_full_buffer=False)
        signal.signal(signal.SIGCHLD, lambda *_: None)

    def serve(self):
        poll = select.poll()
        poll.register(self._socket, select.POLLIN)
        poll.register(self._wake, select.POLLIN)
        while True:
            for fd, _ in poll.poll():
                if fd == self._wake:
                    os.read(self._wake, 4096)
                    self._reap()
                else:
                    self._take()

    def _send(self, message):
        self._socket.send(json.dumps(message).encode())

    def _take(self):
        data, fds, _, _ = socket.recv_fds(self._socket, _MESSAGE, 8)
        if not data:
            os._exit(0)
        message = json.loads(data)
        if message["op"] == "import":
            self._import(message["module"])
        elif message["op"] == "settle":
            self._settle()
        elif message["op"] == "fork":
            self._fork(message, fds)
        elif message["op"] == "kill":
            self._kill()

    def _import(self, name):
        """Imports while no run is there that could have left a module for it."""
        try:
            with gate.opened(), environment.importing():
                importlib.import_module(name)
                children.prepare()
            ok = True
        except Exception:
            ok = False
        self._send({"op": "imported", "ok": ok, "memory": memory.of_process("self")})

    def _settle(self):
        """Makes forks cheap, after the last import."""
        sharing.freeze()
        kernel.release_free_memory()
        kernel.use_huge_pages()
        self._send({"op": "settled", "memory": memory.of_process("self")})

    def _fork(self, message, fds):
        try:
            pid = os.fork()
        except OSError as error:
            self._send({"op": "failed", "key": message["key"], "failure": error.strerror})
            pid = None
        if pid == 0:
            children.main(message["start"], fds)
        for fd in fds:
            os.close(fd)
        if pid is not None:
            self._send({"op": "forked", "key": message["key"], "pid": pid})

    def _kill(self):
        self._send({"op": "killed", "reaped": wipe.kill_and_reap()})

    def _reap(self):
        for pid, status, usage in kernel.ended_children():
            self._send({"op": "exit", "pid": pid, "status": status, "maxrss": usage.ru_maxrss})
