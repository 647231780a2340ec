"""The processes of a sandbox: from which permanent process each is forked, those made in advance, and how they end."""

import os
import select
import signal
import sys

from . import channel, children, copies, drivers, gate, kernel, sharing, shell, walls, wipe, zygote

_TAINTED = "a run came first; ask again after a reset"


class Forks:
    """
    Starts children for the engine's channels, and keeps one of the kind that was used last ready. `watch` and `unwatch`
    are those of the first process; `on_exit(channel, report)` is called when the process of a channel has ended.
    """

    def __init__(self, ports, mounts, baseline, watch, unwatch, on_exit):
        self._ports = ports
        self._mounts = mounts
        self._baseline = baseline
        self._watch = watch
        self._unwatch = unwatch
        self._on_exit = on_exit
        # The engine's limits on output and events; None before its hello.
        self.limits = None
        # A run was here since the last reset: nothing may be imported that it could have left.
        self.is_tainted = False
        # A run has got a process that waited, perhaps during an import.
        self._has_begun = False
        # Process id -> channel, and key -> channel of a process that the zygote has not forked yet.
        self._living = {}
        self._forking = {}
        self._last_key = 0
        # Channels without a process, and why.
        self._failed = []
        self._copies = copies.Copies(watch, unwatch, self._on_copied, self._end)
        # Whether it has the preloaded modules, or its driver -> channel of a process that waits for a run.
        self._spares = {}
        # The driver of the process that waits; None for Python's.
        self._driver = None
        # Whether the last run had the preloaded modules.
        self._was_preloaded = False
        self._zygote = None
        # A zygote has ended: what its children's ends would have been is unknown, so the sandbox is not used again.
        self._has_lost_zygote = False
        # Name of a module -> whether its import succeeded.
        self._imported = {}
        # The preload that is served, as (modules, reply); and the module that is being imported.
        self._preload = None
        self._importing = None
        # What starts when that import has ended: (channel, start, descriptors).
        self._waiting = []

    def start(self, start, original=None):
        """The channel of a new process, or of one that waited. A copy is one of the process of the channel `original`."""
        self.is_tainted = True
        if start["kind"] == "copy":
            return self._copy(original)
        if start["kind"] != "interpreter":
            return self._fork(start, False)
        driver = start.get("driver")
        if driver is not None:
            return self._take_spare(driver) or self._fork(start, False)
        is_preloaded = start["preloaded"] and self._can_preload()
        self._was_preloaded = is_preloaded
        return self._take_spare(is_preloaded) or self._fork(start, is_preloaded)

    def _take_spare(self, kind):
        spare = self._spares.pop(kind, None)
        self._has_begun = self._has_begun or spare is not None
        return spare

    def _can_preload(self):
        return self._zygote is not None and bool(self._imported)

    def signal(self, target, number):
        """Signals the process group of a channel; SIGKILL also what descends from its process."""
        if target.pid is None and number == signal.SIGKILL and self._copies.give_up(target):
            self._end(target, {"signal": int(number)})
        elif target.pid is None:
            # It gets the signal when it is there.
            target.signals.append(number)
        elif target.pid in self._living:
            _send_signal(target.pid, number)

    def kill(self, pids):
        """Kills these of `runs`."""
        for pid in pids:
            _send(pid, signal.SIGKILL)

    def runs(self):
        """Every process but those that wait for runs and the permanent ones."""
        kept = {spare.pid for spare in self._spares.values()}
        if self._zygote is not None:
            kept.add(self._zygote.pid)
        return [pid for pid in kernel.descendants(os.getpid()) if pid not in kept]

    def stand_by(self, driver):
        """From now on the process that waits is one of this driver."""
        self._driver = driver
        if not self.is_tainted and driver in drivers.files:
            with gate.opened():
                drivers.load(driver)
            sharing.freeze()
        for kind in [kind for kind in self._spares if kind != driver]:
            self._drop_spare(kind)
        if not self.is_tainted:
            self.add_spare()

    def _drop_spare(self, kind):
        spare = self._spares.pop(kind)
        self._living.pop(spare.pid, None)
        spare.close()

    def add_spare(self):
        """Makes the process that waits for the next run, of the kind of the last one."""
        if self._driver is not None:
            self._add_driver()
            return
        self._add_spare(self._was_preloaded and self._can_preload())

    def _add_spare(self, is_preloaded):
        if is_preloaded not in self._spares and self._importing is None:
            self._spares[is_preloaded] = self._fork({"kind": "interpreter"}, is_preloaded)
            self.report_failures()

    def _add_driver(self):
        if self._driver not in self._spares:
            self._spares[self._driver] = self._fork({"kind": "interpreter", "driver": self._driver}, False)
            self.report_failures()

    def lacks_spares(self):
        """Whether a process of some kind could wait and does not."""
        # A driver that cannot start is not started again and again.
        if self._driver is not None or self._importing is not None or self.limits is None:
            return False
        return len(self._spares) < 1 + self._can_preload()

    def add_spares(self):
        """Makes the processes of both kinds that wait for runs."""
        for is_preloaded in (False, True)[: 1 + self._can_preload()]:
            self._add_spare(is_preloaded)

    def _fork(self, start, is_preloaded):
        fds, theirs = children.pipes(start["kind"])
        made = channel.Channel(self._ports, self.limits, fds, self._on_blocked, _stdout_limit(start))
        start = {**start, **self.limits}
        if self._importing is not None:
            self._waiting.append((made, start, theirs))
        else:
            self._spawn(made, start, theirs, is_preloaded)
        return made

    def _copy(self, original):
        fds, theirs = children.pipes("interpreter", is_copy=True)
        made = channel.Channel(self._ports, self.limits, fds, self._on_blocked)
        if not self._copies.ask(original, made, theirs):
            self._failed.append((made, copies.FAILURE))
        for fd in theirs:
            os.close(fd)
        return made

    def _on_copied(self, made, pid):
        """Whether that process, by which the copy has shown itself, can be the channel's."""
        if pid in self._living or not kernel.is_own_child(pid):
            return False
        made.kills_before = kernel.oom_kills()
        self._on_forked(made, pid)
        return True

    def _on_blocked(self, source, is_blocked):
        if is_blocked:
            self._watch(source.fd, select.POLLOUT, source.on_room, True)
        else:
            self._unwatch(source.fd)

    def _spawn(self, made, start, theirs, is_preloaded):
        if not is_preloaded or not self._ask_zygote(made, start, theirs):
            try:
                pid = os.fork()
                if pid == 0:
                    children.main(start, theirs)
                self._on_forked(made, pid)
            except OSError as error:
                self._failed.append((made, error.strerror))
        for fd in theirs:
            os.close(fd)

    def _ask_zygote(self, made, start, theirs):
        """False when it has ended, which the kernel has not reported yet."""
        self._last_key += 1
        try:
            self._zygote.send({"op": "fork", "key": self._last_key, "start": start}, theirs)
        except OSError:
            return False
        self._forking[self._last_key] = made
        return True

    def report_failures(self):
        """Ends the channels that got no process, once the first process knows them."""
        failed, self._failed = self._failed, []
        for made, failure in failed:
            self._end(made, {"failure": failure})

    def _on_forked(self, made, pid):
        made.pid = pid
        self._living[pid] = made
        for number in made.signals:
            _send_signal(pid, number)

    def on_exit(self, pid, status, max_kilobytes):
        """The process has ended, and is reaped."""
        if self._zygote is not None and pid == self._zygote.pid:
            self._on_zygote_end()
            return
        ended = self._living.pop(pid, None)
        if ended is not None:
            code = os.WEXITSTATUS(status) if os.WIFEXITED(status) else None
            number = os.WTERMSIG(status) if os.WIFSIGNALED(status) else None
            self._end(ended, {"code": code, "signal": number, "peakMemoryBytes": max_kilobytes * 1024})

    def _end(self, ended, report):
        for kind, spare in list(self._spares.items()):
            if spare is ended:
                del self._spares[kind]
                ended.close()
                return
        self._on_exit(ended, report)

    # The zygote

    def preload(self, modules, reply):
        """Has the zygote import what it does not have, and calls `reply(error, value)`."""
        self._preload = (modules, reply)
        if not self._missing():
            self._finish_preload()
        elif self.is_tainted:
            self._refuse_preload()
        elif self._importing is None:
            self._import_next()

    def _missing(self):
        return [name for name in self._preload[0] if name not in self._imported]

    def _refuse_preload(self):
        (_, reply), self._preload = self._preload, None
        reply(_TAINTED, None)

    def _finish_preload(self):
        (modules, reply), self._preload = self._preload, None
        loaded = [name for name in modules if self._imported[name]]
        reply(None, {"loaded": loaded, "failed": [name for name in modules if name not in loaded]})

    def _import_next(self):
        if self._zygote is None:
            self._baseline.allow(self._make_zygote)
        missing = self._missing()
        if missing:
            self._importing = missing[0]
            self._zygote.send({"op": "import", "module": missing[0]})
        else:
            self._zygote.send({"op": "settle"})

    def _make_zygote(self):
        self._zygote = kernel.confirm_task_count(zygote.Zygote)
        self._watch(self._zygote.fd, select.POLLIN, self._on_zygote_message, True)
        return self._zygote.fd

    def _on_zygote_message(self):
        try:
            # A reset in the same turn may have taken the message that was announced.
            message = self._zygote.receive()
            if message is not None:
                self._on_message(message)
        except OSError:
            # Its end is reported by the kernel.
            self._unwatch(self._zygote.fd)

    def _on_message(self, message):
        if message["op"] == "imported":
            self._on_imported(message)
        elif message["op"] == "settled":
            self._on_settled(message)
        elif message["op"] == "forked":
            self._on_forked(self._forking.pop(message["key"]), message["pid"])
        elif message["op"] == "failed":
            self._end(self._forking.pop(message["key"]), {"failure": message["failure"]})
        elif message["op"] == "exit":
            self.on_exit(message["pid"], message["status"], message["maxrss"])

    def _on_imported(self, message):
        self._note_import(message["ok"])
        # The files of a run that has begun stay; the reset after it empties all.
        if not self._has_begun:
            # Raises when something stays: what libraries leave there would be visible to the next run.
            wipe.empty_mounts(self._mounts)
        self._baseline.record(message["memory"])
        if self._waiting:
            self._release()
        if self._preload is not None and self.is_tainted and self._missing():
            self._refuse_preload()
        elif self._preload is not None:
            self._import_next()

    def _note_import(self, ok):
        name, self._importing = self._importing, None
        self._imported[name] = ok
        if ok and name.partition(".")[0] == "IPython":
            shell.is_expected = True
            # It was made before this was known.
            if False in self._spares:
                self._drop_spare(False)

    def _release(self):
        waiting, self._waiting = self._waiting, []
        for made, start, theirs in waiting:
            self._spawn(made, start, theirs, start.get("preloaded", False) and self._can_preload())
        self.report_failures()

    def _on_settled(self, message):
        self._baseline.record(message["memory"])
        if self._preload is not None:
            self._finish_preload()

    def _on_zygote_end(self):
        self._has_lost_zygote = True
        self._unwatch(self._zygote.fd)
        self._zygote.close()
        self._zygote = None
        self._imported.clear()
        forking, self._forking = self._forking, {}
        for made in forking.values():
            self._end(made, {"failure": "a run has ended the process that it is forked from"})
        if self._importing is not None:
            self._importing = None
            self._release()
        if self._preload is not None:
            self._refuse_preload()

    # Reset

    def reset(self, on_work):
        """
        Ends every process, empties every writable place and checks; the protocol's `ResetReport`. Calls `on_work` before
        what may take long.
        """
        # Neither is there a process that this one has started, nor will one come.
        is_idle = not self._living and not self._forking and self._importing is None
        for spare in self._spares.values():
            spare.close()
        for _, _, theirs in self._waiting:
            for fd in theirs:
                os.close(fd)
        self._spares.clear()
        self._waiting.clear()
        self._failed.clear()
        self._forking.clear()
        self._copies.clear()
        self._preload = None
        report = wipe.wipe(self._mounts, self._baseline, lambda: self._kill_all(is_idle, on_work), on_work)
        self._living.clear()
        if self._has_lost_zygote:
            report["clean"] = False
            report["leftovers"].append("a run has ended a permanent process")
        # The engine may not have the report yet when it asks for something.
        self.is_tainted = not report["clean"]
        self._has_begun = False
        return report

    def _kill_all(self, is_idle, on_work):
        """Kills every process but the permanent ones; how many, and the process ids that stay."""
        if self._zygote is None:
            if not wipe.are_alone(wipe.ALONE):
                on_work()
            return wipe.kill_all(), wipe.ALONE
        stay = ("1", str(self._zygote.pid))
        # So it is after most runs.
        if is_idle and self._zygote.wake() and wipe.are_alone(stay):
            # Where runs can signal it, one may just have: only a zygote that answers is not about to end.
            return (0 if walls.holds("signals") else self._zygote.kill_others(self._on_late_message)), stay
        on_work()
        reaped = 0
        for _ in range(wipe.KILL_ROUNDS):
            reaped += self._zygote.kill_others(self._on_late_message)
            reaped += wipe.reap_but(self._zygote.pid)
            if not wipe.others(stay):
                break
        return reaped, stay

    def _on_late_message(self, message):
        """What the zygote sent before it has killed its children. Only imports still matter."""
        if message["op"] == "imported":
            self._note_import(message["ok"])
            self._baseline.record(message["memory"])


def _stdout_limit(start):
    # Answers about files are as large as the files; the engine bounds what is under way.
    return sys.maxsize if start["kind"] == "files" else start.get("stdoutBytes")


def _send_signal(pid, number):
    # Descendants in sessions of their own would outlive the process group.
    others = kernel.descendants(pid) if number == signal.SIGKILL else []
    try:
        os.killpg(pid, number)
    except ProcessLookupError:
        # It has no session yet, or it is a zombie.
        _send(pid, number)
    for other in others:
        _send(other, number)


def _send(pid, number):
    try:
        os.kill(pid, number)
    except ProcessLookupError:
        pass
