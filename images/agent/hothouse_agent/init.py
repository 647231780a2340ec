"""PID 1: forks the relay and the children, reaps, kills and wipes. Never reads a byte that a run has written."""

import json
import os
import select
import signal
import socket
import sys
import time

from . import baseline, children, environment, gate, kernel, relay, wipe, writable, zygote

# A pause before each preloaded module, so that a run that was just requested starts first. Milliseconds.
_PRELOAD_PAUSE_MS = 5
# After how many times the engine's longest silence a relay counts as hanging; it leaves by itself before.
_SILENCE_FACTOR = 1.2
# That silence until the relay has reported the real one. Seconds.
_FIRST_SILENCE = 120


class Init:
    def __init__(self):
        self._stdin, self._stdout = _claim_stdio()
        self._mounts = wipe.writable_mounts() + writable.files()
        self._oom = kernel.OomCounter()
        self._wake, self._waker = os.pipe2(os.O_CLOEXEC | os.O_NONBLOCK)
        # A run was here since the last wipe: nothing may be read that it could have left.
        self._tainted = False
        # When the relay last reported itself alive, and for how long it may be silent. Seconds.
        self._last_alive_at, self._silence = time.monotonic(), _FIRST_SILENCE
        self._baseline = baseline.Baseline()
        self._preloader = zygote.Preloader(self._mounts, self._baseline)
        gate.close()
        self._start_relay(None)

    def _start_relay(self, report):
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        # Process id -> the relay's key for the child.
        self._children = {}
        pid = os.fork()
        if pid == 0:
            ours.close()
            zygote.become_child(self._wake, self._waker)
            relay.main(self._stdin, self._stdout, theirs, report, self._preloader.has_preloaded)
        theirs.close()
        self._relay, self._relay_pid = ours, pid
        self._poll = select.poll()
        self._poll.register(ours, select.POLLIN)
        self._poll.register(self._wake, select.POLLIN)

    def serve(self):
        signal.set_wakeup_fd(self._waker, warn_on_full_buffer=False)
        signal.signal(signal.SIGCHLD, lambda *_: None)
        while True:
            left = max(0, self._last_alive_at + self._silence - time.monotonic())
            is_preloading = self._preloader.request is not None
            ready = self._poll.poll(_PRELOAD_PAUSE_MS if is_preloading else 1000 * left)
            if not ready and not left:
                # The relay leaves by itself when the engine is silent; one that does not hangs.
                os._exit(74)
            if not ready and is_preloading and self._preloader.import_next(self._relay.fileno()):
                self._send(self._preloader.finish())
            for fd, _ in ready:
                if fd == self._wake:
                    os.read(self._wake, 4096)
                    self._reap()
                elif fd == self._relay.fileno():
                    self._on_relay_message()

    def _reap(self):
        while True:
            try:
                pid, status, usage = os.wait4(-1, os.WNOHANG | os.WUNTRACED)
            except ChildProcessError:
                return
            if pid == 0:
                return
            if pid == self._relay_pid:
                # Killed, stopped or left by itself: without a relay the engine hears nothing, so the sandbox ends.
                os._exit(71)
            key = self._children.get(pid)
            if key is None or os.WIFSTOPPED(status):
                continue
            del self._children[pid]
            self._send(
                {
                    "op": "exit",
                    "child": key,
                    "code": os.WEXITSTATUS(status) if os.WIFEXITED(status) else None,
                    "signal": os.WTERMSIG(status) if os.WIFSIGNALED(status) else None,
                    "peakMemoryBytes": usage.ru_maxrss * 1024,
                    "oomKills": self._oom.take(),
                }
            )

    def _send(self, message):
        try:
            self._relay.send(json.dumps(message).encode())
        except OSError:
            os._exit(72)

    def _on_relay_message(self):
        data, fds, _, _ = socket.recv_fds(self._relay, 1 << 16, 8)
        if not data:
            os._exit(73)
        message = json.loads(data)
        if message["op"] == "spawn":
            self._spawn(message, fds)
        elif message["op"] == "signal":
            self._signal(message)
        elif message["op"] == "preload":
            self._on_preload(message)
        elif message["op"] == "alive":
            self._last_alive_at, self._silence = time.monotonic(), _SILENCE_FACTOR * message["silenceMs"] / 1000
        elif message["op"] == "reset":
            self._reset()

    def _spawn(self, message, fds):
        self._tainted = True
        self._refuse_preload()
        try:
            pid = os.fork()
        except OSError as error:
            self._send({"op": "failed", "child": message["child"], "failure": error.strerror})
            pid = None
        if pid == 0:
            self._relay.close()
            zygote.become_child(self._wake, self._waker, self._stdin, self._stdout)
            children.main(message, fds)
        for fd in fds:
            os.close(fd)
        if pid is not None:
            self._children[pid] = message["child"]

    def _signal(self, message):
        for pid, key in self._children.items():
            if key == message["child"]:
                _send_signal(pid, message["signal"])
        self._send({"op": "signalled", "id": message["id"]})

    def _reset(self):
        # The answer would go to a relay that is about to end; the engine asks again.
        self._preloader.request = None
        self._relay.close()
        report = wipe.wipe(self._mounts, self._baseline)
        self._tainted = False
        self._start_relay(report)

    def _on_preload(self, message):
        preloader = self._preloader
        preloader.request = message
        # Also while the spare process of an earlier preload runs: its end would never come.
        if preloader.has_preloaded and not preloader.missing():
            self._send(preloader.finish())
        elif self._tainted:
            self._refuse_preload()

    def _refuse_preload(self):
        request, self._preloader.request = self._preloader.request, None
        if request is not None:
            error = "a run came first; ask again after a reset"
            self._send({"op": "preloaded", "id": request["id"], "error": error})


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
    # Descendants in sessions of their own would outlive the process group.
    others = kernel.descendants(pid) if number == signal.SIGKILL else []
    try:
        os.killpg(pid, number)
    except ProcessLookupError:
        # It has no session yet, or it is a zombie.
        os.kill(pid, number)
    for other in others:
        try:
            os.kill(other, number)
        except ProcessLookupError:
            pass


def main():
    kernel.set_dumpable(False)
    environment.enter_agent()
    if os.getpid() != 1:
        sys.exit("the agent must be the first process of its container")
    # The kernel keeps every signal without a handler from the first process; Python has installed one for SIGINT.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    Init().serve()
