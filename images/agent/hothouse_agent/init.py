"""
The first process of a sandbox. It takes the engine's orders, moves bytes between engine and children without reading
them, forks, reaps and resets. Code without preloaded modules is forked from it, all other code from the zygote.
"""

import json
import os
import select
import signal
import time

from . import baseline, channel, children, drivers, environment, forks, frames, gate, greeting, inbox, keeper, kernel
from . import memory, memorywatch, outbox, sharing, sockets, transfer, walls, wipe, writable

# Between two checks of a run's sockets. Seconds.
_SOCKET_CHECK_INTERVAL = 0.5
# How long output waits for what comes with it, mostly an answer. Milliseconds.
_HOLD = 1
# How long the answer of a run waits for the end of its process where other runs wait for the sandbox. Milliseconds.
_LONG_HOLD = 20
# After so long without work the spare process of the other kind is made. Seconds.
_IDLE = 1


class Init:
    def __init__(self, hello):
        stdin, stdout = _claim_stdio()
        limit = walls.watched_memory
        if limit is not None:
            kernel.show_own_kills()
        self._oom = kernel.OomCounter()
        self._wake, waker = os.pipe2(os.O_CLOEXEC | os.O_NONBLOCK)
        signal.set_wakeup_fd(waker, warn_on_full_buffer=False)
        signal.signal(signal.SIGCHLD, lambda *_: None)
        children.make()
        mover = transfer.best()
        self._inbox = inbox.Inbox(stdin, mover)
        self._ports = channel.Ports(mover, outbox.Outbox(stdout, mover))
        # Descriptor -> handler. `_control` has those that are heard while output waits for the engine.
        self._handlers = {}
        self._control, self._all = select.poll(), select.poll()
        # The engine's number -> channel.
        self._channels = {}
        # Ended processes whose output waits for the engine.
        self._ending = []
        self._hello = hello
        # The session that another engine can resume, if this is its sandbox.
        self._keeper = None
        # The number of the last reset.
        self._reset_number = None
        # The highest number of a channel or a request.
        self._last_number = 0
        self._watch(stdin, select.POLLIN, self._on_frames, True)
        self._watch(self._wake, select.POLLIN, self._on_child_signal, True)
        os.set_blocking(stdin, False)
        mounts = wipe.writable_mounts() + writable.files()
        self._memory_use = memory.MemoryUse()
        known = baseline.Baseline(self._memory_use)
        self._forks = forks.Forks(self._ports, mounts, known, self._watch, self._unwatch, self._on_exit)
        self._last_frame_at = self._last_check_at = self._last_work_at = time.monotonic()
        self._excess = None
        self._memory = None if limit is None else memorywatch.MemoryWatch(limit, self._memory_use)
        self._is_writing = False
        # Whether the frames of the last turn are output alone, and when they are sent at the latest.
        self._can_wait = False
        self._held_until = None
        gate.close()
        sharing.freeze()
        self._forks.limits = {name: hello[name] for name in ("outputBytes", "eventBytes", "events")}
        self._forks.add_spare()

    @property
    def _outbox(self):
        return self._ports.outbox

    def _watch(self, fd, events, handler, is_control=False):
        """Calls `handler` whenever poll() reports one of the events. It returns whether what it sends can wait a moment."""
        self._handlers[fd] = handler
        self._all.register(fd, events)
        if is_control:
            self._control.register(fd, events)

    def _unwatch(self, fd):
        if self._handlers.pop(fd, None) is not None:
            self._all.unregister(fd)
            try:
                self._control.unregister(fd)
            except KeyError:
                pass

    def serve(self):
        """Serves until the engine has gone or is silent for too long; raises `frames.Closed` then."""
        while True:
            self._flush_in_time()
            silence = self._silence()
            left = max(0, self._last_frame_at + silence - time.monotonic())
            poll = self._all if self._outbox.has_room else self._control
            ready = poll.poll(1000 * min(left, self._patience()) if self._held_until is None else self._held_ms())
            # When this process itself was late, the frames that it missed wait to be read.
            if not left and self._inbox.fd not in [fd for fd, _ in ready]:
                raise frames.Closed("no frame came for %d s" % silence)
            self._can_wait = bool(ready)
            for fd, _ in ready:
                handler = self._handlers.get(fd)
                if handler is not None and not handler():
                    self._can_wait = False
            while self._ending and self._outbox.has_room and self._ending[0].finish():
                self._can_wait = False
                self._on_exit_sent(self._ending.pop(0))
            if self._channels:
                self._check_sockets()
                if self._memory is not None:
                    self._free_memory()
            elif not ready and time.monotonic() > self._last_work_at + _IDLE:
                self._forks.add_spares()

    def _silence(self):
        """How long it waits for a frame. Seconds."""
        if self._keeper is not None:
            return self._keeper.silence
        return self._hello["silenceMs"] / 1000

    def _patience(self):
        """How long nothing needs to be done without an event. Seconds."""
        if self._channels:
            return _SOCKET_CHECK_INTERVAL if self._memory is None else memorywatch.INTERVAL
        return _IDLE if self._forks.lacks_spares() else float("inf")

    def _flush_in_time(self):
        """Sends what waits; output alone a moment later, since each piece costs the engine and the host more than its bytes."""
        if self._can_wait and self._outbox.has_room and not self._outbox.is_empty:
            now = time.monotonic()
            if self._held_until is None:
                self._held_until = now + _HOLD / 1000
            if now < self._held_until:
                return
        self._flush()

    def _held_ms(self):
        return max(0, 1000 * (self._held_until - time.monotonic()))

    def _flush(self):
        self._held_until = None
        self._outbox.flush()
        if self._is_writing == self._outbox.is_empty:
            self._is_writing = not self._outbox.is_empty
            if self._is_writing:
                self._watch(self._outbox.fd, select.POLLOUT, lambda: self._outbox.flush(), True)
            else:
                self._unwatch(self._outbox.fd)

    def _check_sockets(self):
        """Ends a sandbox that fills the host with data in sockets: not every kernel counts that as the sandbox's."""
        now = time.monotonic()
        if now - self._last_check_at < _SOCKET_CHECK_INTERVAL:
            return
        self._last_check_at = now
        excess = sockets.excess()
        # Twice in a row: what is read slowly may be a lot for a moment.
        if excess and self._excess:
            raise frames.Closed(excess)
        self._excess = excess

    def _free_memory(self):
        excessive = self._memory.excessive(self._forks.runs)
        # No call of the kernel in the many turns in which no process has to end.
        if excessive:
            self._forks.kill(excessive)
            self._oom.add(len(excessive))

    def _on_frames(self):
        self._last_frame_at = time.monotonic()
        for kind, number, payload in iter(self._inbox.next, None):
            if kind in (frames.RUN, frames.INPUT):
                self._on_input(kind, number, payload)
            elif kind == frames.START:
                self._start(number, json.loads(payload))
            elif kind == frames.CLOSE_INPUT:
                if number in self._channels:
                    self._channels[number].input.close()
            elif kind == frames.RESET:
                # One that was done unasked is not repeated: the engine may have sent this before it got the report.
                if number != self._reset_number:
                    self._reset(number)
            elif kind == frames.REQUEST:
                self._answer(json.loads(payload))
            elif kind == frames.HELLO:
                self._on_hello(json.loads(payload))
            elif not self._keep(kind, number, payload):
                raise frames.Closed("a frame is of no known type")

    def _on_hello(self, hello):
        """That of another engine."""
        nonce = bytes.fromhex(hello["nonce"])
        if self._keeper is not None and self._keeper.allows(hello.get("secret") or ""):
            self._keeper.greet(nonce, greeting.ready(), self._last_number)
        else:
            # To the engine that has this sandbox it is one frame, to the other one its answer.
            self._outbox.frame(frames.DENIED, 0, nonce + frames.frame(frames.DENIED, 0))
        self._flush()

    def _keep(self, kind, number, payload):
        """Follows the orders about a session that another engine can resume; False for others."""
        if kind == frames.RETAIN and self._keeper is None:
            channels = lambda: [*self._channels.values(), *self._ending]
            self._keeper = keeper.Keeper(self._outbox, self._ports.mover, channels, json.loads(payload))
            self._ports.outbox = self._keeper.outbox
        elif self._keeper is None:
            return False
        elif kind == frames.ACKNOWLEDGE:
            self._keeper.acknowledge(number, payload)
        elif kind == frames.RESUME:
            self._keeper.resume(number, payload)
        elif kind == frames.NOTE and number in self._channels:
            self._keeper.on_note(self._channels[number], payload)
        return kind in (frames.RETAIN, frames.ACKNOWLEDGE, frames.RESUME, frames.NOTE)

    def _on_input(self, kind, number, count):
        target = self._channels.get(number)
        if target is None:
            self._inbox.discard(count)
        elif kind == frames.RUN:
            target.restart()
            if self._keeper is not None:
                self._keeper.on_run(target)
            target.input_bytes = count
            target.input.take(self._inbox.pipe, count)
        else:
            target.input_bytes += count
            target.input.take(self._inbox.pipe, count, lambda: self._outbox.frame(frames.ROOM, number))

    def _start(self, number, start):
        started = self._forks.start(start, self._channels.get(start.get("of")))
        started.number = number
        started.is_once = start.get("once", False)
        started.is_awaited = start.get("awaited", False)
        self._last_number = max(self._last_number, number)
        self._channels[number] = started
        self._last_check_at = time.monotonic()
        for stream in started.streams():
            self._watch(stream.fd, select.POLLIN, lambda stream=stream: self._pump(started, stream))
        self._forks.report_failures()

    def _pump(self, source, stream):
        if self._outbox.has_room and not source.pump(stream):
            # Every writer has closed it; the channel ends when its process does.
            self._unwatch(stream.fd)
        if stream.kind == frames.ANSWER and source.is_awaited:
            self._held_until = time.monotonic() + _LONG_HOLD / 1000
        # After the answer of a one-shot run comes its end.
        return stream.kind != frames.ANSWER or source.is_once

    def _on_child_signal(self):
        os.read(self._wake, 4096)
        for pid, status, usage in kernel.ended_children():
            self._forks.on_exit(pid, status, usage.ru_maxrss)

    def _on_exit(self, ended, report):
        """The process of a channel has ended."""
        self._channels.pop(ended.number, None)
        for stream in ended.streams():
            self._unwatch(stream.fd)
        kills = self._oom.take()
        if ended.kills_before is not None:
            # Copies end side by side, and each reports what was killed while it lived.
            kills = self._oom.total - ended.kills_before
        ended.end({**report, "oomKills": kills})
        self._ending.append(ended)
        self._last_work_at = time.monotonic()

    def _on_exit_sent(self, ended):
        if self._keeper is not None:
            self._keeper.on_exit_sent(ended)
        elif ended.is_once and not self._channels and not self._ending and _has_empty_workspace():
            # Nothing remains to be asked of this run. Its answer comes first, or with the report.
            if not ended.is_awaited:
                self._flush()
            try:
                self._reset(ended.number)
            except BaseException:
                self._flush()
                raise

    def _answer(self, request):
        self._last_number = max(self._last_number, request["id"])
        if request["op"] == "preload":
            self._forks.preload(request["modules"], lambda error, value: self._reply(request["id"], value, error))
        elif request["op"] == "standby":
            self._forks.stand_by(request["driver"])
            self._reply(request["id"], drivers.has_programs(request["programs"]))
        elif request["op"] == "signal":
            target = self._channels.get(request["channel"])
            number = int(getattr(signal, request["signal"]))
            if target is not None:
                self._forks.signal(target, number)
            self._reply(request["id"], None)
        elif request["op"] == "measure":
            self._reply(request["id"], self._measure())
        else:
            self._reply(request["id"], None, "unknown request")

    def _measure(self):
        return {
            "memoryBytes": self._memory_use.used(),
            "processes": sum(name.isdigit() for name in os.listdir("/proc")),
            "fds": len(kernel.Descriptors().open()),
            "cpuMs": kernel.cpu_used(),
            "oomKills": kernel.oom_kills(),
        }

    def _reply(self, number, value, error=None):
        self._outbox.message(frames.REPLY, 0, {"id": number, "error": error, "value": value})

    def _reset(self, number):
        self._reset_number = number
        if self._keeper is not None:
            raise frames.Closed("the sandbox of a session is not used again")
        for open_channel in [*self._channels.values(), *self._ending]:
            for stream in open_channel.streams():
                self._unwatch(stream.fd)
            open_channel.close()
        self._channels.clear()
        self._ending.clear()
        self._outbox.message(frames.REPORT, number, self._forks.reset(self._flush))
        self._ports.mover.wipe()
        self._oom.forget()
        if self._memory is not None:
            self._memory.forget()
        self._flush()
        self._last_work_at = time.monotonic()
        self._forks.add_spare()


def _has_empty_workspace():
    try:
        with os.scandir(environment.WORKSPACE) as entries:
            return next(entries, None) is None
    except OSError:
        # The run does not permit it.
        return False


def _claim_stdio():
    """Moves the engine's streams away from 0 and 1, so that no import can write into them or read from them."""
    stdin = os.dup(0)
    stdout = os.dup(1)
    null = os.open("/dev/null", os.O_RDWR)
    os.dup2(null, 0)
    os.dup2(null, 1)
    os.close(null)
    return stdin, stdout


def main(hello):
    """Serves the engine that has said this hello; never returns."""
    kernel.set_dumpable(False)
    environment.enter_agent()
    # The kernel keeps every signal without a handler from the first process; Python has installed one for SIGINT.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    try:
        Init(hello).serve()
    except frames.Closed as reason:
        greeting.leave(reason)
    except BaseException as error:
        os.write(2, ("the agent failed: %s: %s\n" % (type(error).__name__, error)).encode())
        os._exit(1)
