"""PID 1: the zygote. Forks the relay and the children, reaps, kills and wipes; never sees a byte of a run."""

import gc
import importlib
import json
import os
import select
import signal
import socket
import sys
import time

from . import baseline, children, gate, kernel, relay, surroundings, wipe

# A pause before each preloaded module, so that a run that has just been asked for goes first. Milliseconds.
_QUIET_MS = 5
# How much longer than the relay itself it is waited for; and until it has first told of the engine. Seconds.
_PATIENCE = 1.2
_FIRST_SILENCE = 120


class Init:
    def __init__(self):
        self._stdin, self._stdout = _claim_stdio()
        self._mounts = wipe.writable_mounts()
        self._oom = kernel.OomCounter()
        self._wake, self._waker = os.pipe2(os.O_CLOEXEC | os.O_NONBLOCK)
        self._preload = None
        self._preloaded = False
        # A run has been here since the last wipe: nothing may be read that it could have left.
        self._tainted = False
        # When the relay last told of the engine, and after what silence it is not waited for. Seconds.
        self._heard, self._silence = time.monotonic(), _FIRST_SILENCE
        # Name of a module -> whether its import worked.
        self._imported = {}
        self._baseline = baseline.Baseline()
        gate.close()
        self._start_relay(None)

    def _start_relay(self, report):
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self._children = {}
        pid = os.fork()
        if pid == 0:
            ours.close()
            _become_child(self._wake, self._waker)
            relay.main(self._stdin, self._stdout, theirs, report, self._preloaded)
        theirs.close()
        self._relay, self._relay_pid = ours, pid
        self._poll = select.poll()
        self._poll.register(ours, select.POLLIN)
        self._poll.register(self._wake, select.POLLIN)

    def serve(self):
        signal.set_wakeup_fd(self._waker, warn_on_full_buffer=False)
        signal.signal(signal.SIGCHLD, lambda *_: None)
        while True:
            left = max(0, self._heard + self._silence - time.monotonic())
            ready = self._poll.poll(1000 * left if self._preload is None else _QUIET_MS)
            if not ready and not left:
                # The relay leaves by itself when the engine is silent; one that does not hangs.
                os._exit(74)
            if not ready and self._preload is not None:
                self._preload_next()
            for fd, _ in ready:
                if fd == self._wake:
                    os.read(self._wake, 4096)
                    self._reap()
                elif fd == self._relay.fileno():
                    self._obey()

    def _reap(self):
        while True:
            try:
                pid, status, usage = os.wait4(-1, os.WNOHANG | os.WUNTRACED)
            except ChildProcessError:
                return
            if pid == 0:
                return
            if pid == self._relay_pid:
                # Killed, stopped or gone by itself: without a relay nobody can be told, so the sandbox ends.
                os._exit(71)
            key = self._children.get(pid)
            if key is None or os.WIFSTOPPED(status):
                continue
            del self._children[pid]
            self._tell(
                {
                    "op": "exit",
                    "child": key,
                    "code": os.WEXITSTATUS(status) if os.WIFEXITED(status) else None,
                    "signal": os.WTERMSIG(status) if os.WIFSIGNALED(status) else None,
                    "peakMemoryBytes": usage.ru_maxrss * 1024,
                    "oomKills": self._oom.take(),
                }
            )

    def _tell(self, message):
        try:
            self._relay.send(json.dumps(message).encode())
        except OSError:
            os._exit(72)

    def _obey(self):
        data, fds, _, _ = socket.recv_fds(self._relay, 1 << 16, 8)
        if not data:
            os._exit(73)
        message = json.loads(data)
        if message["op"] == "spawn":
            self._spawn(message, fds)
        elif message["op"] == "signal":
            self._signal(message)
        elif message["op"] == "preload":
            self._ask_preload(message)
        elif message["op"] == "heard":
            self._heard, self._silence = time.monotonic(), _PATIENCE * message["silenceMs"] / 1000
        elif message["op"] == "reset":
            self._reset()

    def _spawn(self, message, fds):
        self._tainted = True
        self._refuse_preload()
        try:
            pid = os.fork()
        except OSError as error:
            self._tell({"op": "failed", "child": message["child"], "failure": error.strerror})
            pid = None
        if pid == 0:
            self._relay.close()
            _become_child(self._wake, self._waker, self._stdin, self._stdout)
            children.main(message, fds)
        for fd in fds:
            os.close(fd)
        if pid is not None:
            self._children[pid] = message["child"]

    def _signal(self, message):
        for pid, key in self._children.items():
            if key == message["child"]:
                _send_signal(pid, message["signal"])
        self._tell({"op": "signalled", "id": message["id"]})

    def _reset(self):
        # Who asked for a preload asks again: the answer would go to a relay that is about to end.
        self._preload = None
        self._relay.close()
        report = wipe.wipe(self._mounts, self._baseline)
        self._tainted = False
        self._start_relay(report)

    def _ask_preload(self, message):
        self._preload = message
        # Also while the process that a finished preload left ready is there: it would wait for the end of that.
        if self._preloaded and not self._missing():
            self._end_preload()
        elif self._tainted:
            self._refuse_preload()

    def _refuse_preload(self):
        if self._preload is not None:
            job, self._preload = self._preload, None
            self._tell({"op": "preloaded", "id": job["id"], "error": "a run came first; ask again after a reset"})

    def _missing(self):
        return [name for name in self._preload["modules"] if name not in self._imported]

    def _preload_next(self):
        for name in self._missing()[:1]:
            self._imported[name] = _import(name)
            # Fails closed: what libraries have left there would be the first thing that a run finds.
            wipe.tidy(self._mounts)
        complete = not self._missing()
        if complete:
            gc.collect()
            gc.freeze()
            kernel.use_huge_pages()
            self._preloaded = True
        self._baseline.settle(self._relay.fileno())
        if complete:
            self._end_preload()

    def _end_preload(self):
        job, self._preload = self._preload, None
        loaded = [name for name in job["modules"] if self._imported[name]]
        failed = [name for name in job["modules"] if not self._imported[name]]
        self._tell({"op": "preloaded", "id": job["id"], "loaded": loaded, "failed": failed})


def _import(name):
    """Whether the module could be imported."""
    with gate.opened(), surroundings.importing():
        try:
            importlib.import_module(name)
            children.prepare()
        except Exception:
            return False
    return True


def _claim_stdio():
    """Moves the engine's streams away from 0 and 1, so that no import can write into them or read from them."""
    stdin = os.dup(0)
    stdout = os.dup(1)
    null = os.open("/dev/null", os.O_RDWR)
    os.dup2(null, 0)
    os.dup2(null, 1)
    os.close(null)
    return stdin, stdout


def _send_signal(pid, number):
    # What it has put into sessions of their own would outlive its group.
    others = kernel.descendants(pid) if number == signal.SIGKILL else []
    try:
        os.killpg(pid, number)
    except ProcessLookupError:
        # Its session is not made yet, or it is a zombie.
        os.kill(pid, number)
    for other in others:
        try:
            os.kill(other, number)
        except ProcessLookupError:
            pass


def _become_child(*fds):
    """Takes what is init's own away from a process that was just forked."""
    signal.set_wakeup_fd(-1)
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    for fd in fds:
        os.close(fd)


def main():
    kernel.set_dumpable(False)
    surroundings.enter_agent()
    if os.getpid() != 1:
        sys.exit("the agent must be the first process of its container")
    # The kernel keeps every signal from the first process that it has no handler for; Python has made one for this.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    Init().serve()
