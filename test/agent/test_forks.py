import os
import signal
import socket
import time
from unittest import mock

from support import AgentTest

from hothouse_agent import channel, children, forks, transfer, wipe, zygote

LIMITS = {"outputBytes": 10, "eventBytes": 100, "events": 3}
START = {"kind": "interpreter", "preloaded": True}


class FakeZygote:
    """Takes what the real one is sent; it answers when the test says."""

    pid = 1 << 22
    fd = 99

    def __init__(self):
        self.sent = []

    def send(self, message, fds=()):
        self.sent.append(message)

    def close(self):
        pass


class FakeBaseline:
    def __init__(self):
        self.records = []

    def record(self, zygote_bytes):
        self.records.append(zygote_bytes)

    def allow(self, make):
        make()


class ForksTest(AgentTest):
    def setUp(self):
        self.zygote = FakeZygote()
        # Forked processes wait for a signal; the real children would need a sandbox.
        for replacement in (
            mock.patch.object(zygote, "Zygote", return_value=self.zygote),
            mock.patch.object(children, "main", side_effect=lambda *_: (signal.pause(), os._exit(0))),
        ):
            replacement.start()
            self.addCleanup(replacement.stop)
        self.path = self.folder()
        self.baseline = FakeBaseline()
        self.watched, self.ended, self.replies = {}, [], []
        ports = channel.Ports(transfer.best(), None)
        self.addCleanup(self.close, ports.null)
        self.forks = forks.Forks(
            ports,
            [wipe.Mount(self.path)],
            self.baseline,
            lambda fd, events, handler, is_control=False: self.watched.update({fd: handler}),
            lambda fd: self.watched.pop(fd, None),
            lambda ended, report: self.ended.append((ended, report)),
        )
        self.forks.limits = LIMITS

    def start(self, preloaded):
        made = self.forks.start({**START, "preloaded": preloaded})
        made.number = 1
        if made.pid is not None:
            self.addCleanup(os.waitpid, made.pid, 0)
            self.addCleanup(os.kill, made.pid, signal.SIGKILL)
        self.addCleanup(made.close)
        return made

    def preload(self, *modules):
        self.forks.preload(list(modules), lambda error, value: self.replies.append(error or value))

    def imported(self, ok=True):
        open(self.path + "/cache", "w").close()
        self.forks._on_message({"op": "imported", "ok": ok, "memory": 5})

    def settled(self):
        self.forks._on_message({"op": "settled", "memory": 6})

    def test_imports_one_module_at_a_time_and_answers_which_could_be_imported(self):
        self.preload("a", "b")
        self.assertEqual(self.zygote.sent, [{"op": "import", "module": "a"}])
        self.imported()
        self.assertEqual(self.zygote.sent[1:], [{"op": "import", "module": "b"}])
        self.imported(ok=False)
        self.assertEqual((self.zygote.sent[2:], self.replies), ([{"op": "settle"}], []))
        self.settled()
        self.assertEqual(self.replies, [{"loaded": ["a"], "failed": ["b"]}])

    def test_imports_each_module_once(self):
        self.preload("a")
        self.imported()
        self.settled()
        self.preload("a")
        self.assertEqual((len(self.zygote.sent), self.replies[1]), (2, {"loaded": ["a"], "failed": []}))

    def test_empties_the_mounts_and_records_the_memory_after_each_module(self):
        self.preload("a")
        self.imported()
        self.assertEqual((os.listdir(self.path), self.baseline.records), ([], [5]))

    def test_imports_nothing_while_a_run_may_have_left_something(self):
        self.start(False)
        self.preload("a")
        self.assertEqual((self.zygote.sent, self.replies), ([], ["a run came first; ask again after a reset"]))

    def test_starts_a_run_only_when_the_import_under_way_has_ended(self):
        self.preload("a", "b")
        made = self.start(False)
        self.forks.signal(made, signal.SIGKILL)
        self.assertIsNone(made.pid)
        self.imported()
        self.assertEqual(self.replies, ["a run came first; ask again after a reset"])
        pid, status = os.waitpid(made.pid, 0)
        self.forks.on_exit(pid, status, 7)
        self.assertEqual(self.ended, [(made, {"code": None, "signal": 9, "peakMemoryBytes": 7 * 1024})])

    def test_keeps_the_files_of_a_run_that_begins_during_an_import(self):
        self.forks.add_spare()
        self.preload("a")
        self.start(False)
        open(self.path + "/result", "w").close()
        self.imported()
        self.assertIn("result", os.listdir(self.path))

    def test_forks_what_needs_modules_from_the_zygote(self):
        self.preload("a")
        self.imported()
        self.settled()
        made = self.start(True)
        self.assertEqual(self.zygote.sent[-1], {"op": "fork", "key": 1, "start": {**START, **LIMITS}})
        self.forks._on_message({"op": "forked", "key": 1, "pid": 4_000_000})
        self.assertEqual(made.pid, 4_000_000)
        self.forks._on_message({"op": "exit", "pid": 4_000_000, "status": 3 << 8, "maxrss": 1})
        self.assertEqual(self.ended, [(made, {"code": 3, "signal": None, "peakMemoryBytes": 1024})])

    def test_ends_what_the_zygote_had_not_forked_when_it_ends_and_forks_the_next_itself(self):
        self.preload("a")
        self.imported()
        self.settled()
        made = self.start(True)
        self.forks.on_exit(self.zygote.pid, 9, 1)
        self.assertEqual([ended for ended, _ in self.ended], [made])
        self.assertIsNotNone(self.start(True).pid)

    def test_gives_a_run_the_process_that_waits_for_it(self):
        self.forks.add_spare()
        self.assertFalse(self.forks.lacks_spares())
        (spare,) = self.forks._spares.values()
        self.assertIs(self.start(False), spare)
        self.assertTrue(self.forks.lacks_spares())

    def test_forgets_a_waiting_process_that_has_ended(self):
        self.forks.add_spare()
        (spare,) = self.forks._spares.values()
        os.kill(spare.pid, signal.SIGKILL)
        pid, status = os.waitpid(spare.pid, 0)
        self.forks.on_exit(pid, status, 1)
        self.assertEqual((self.forks._spares, self.ended), ({}, []))


class ZygoteTest(AgentTest):
    def setUp(self):
        ours, self.peer = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self.addCleanup(self.peer.close)
        # The real one would serve in a process of its own; this test answers in its place.
        with mock.patch.object(zygote.os, "fork", return_value=1 << 22):
            with mock.patch.object(zygote.socket, "socketpair", return_value=(ours, mock.Mock())):
                self.zygote = zygote.Zygote()
        self.addCleanup(self.zygote.close)

    def test_does_not_wait_for_a_message_that_is_not_there(self):
        self.assertIsNone(self.zygote.receive())
        self.peer.send(b'{"op": "forked"}')
        self.assertEqual(self.zygote.receive(), {"op": "forked"})
        self.assertIsNone(self.zygote.receive())

    def test_gives_up_a_kill_that_is_not_answered(self):
        with mock.patch.object(zygote.os, "kill"), mock.patch.object(zygote, "_ANSWER_TIMEOUT", 0.01):
            with self.assertRaises(TimeoutError):
                self.zygote.kill_others(lambda _: None)

    def test_passes_on_what_comes_before_the_answer_to_a_kill(self):
        self.peer.send(b'{"op": "imported"}')
        self.peer.send(b'{"op": "killed", "reaped": 3}')
        found = []
        with mock.patch.object(zygote.os, "kill"):
            self.assertEqual(self.zygote.kill_others(found.append), 3)
        self.assertEqual(found, [{"op": "imported"}])

    def test_reports_a_zygote_that_has_gone(self):
        self.peer.close()
        with self.assertRaises(BrokenPipeError):
            self.zygote.receive()


class DescendantsTest(AgentTest):
    def test_finds_children_of_children(self):
        from hothouse_agent import kernel

        reader, writer = self.pipe()
        child = os.fork()
        if child == 0:
            os.write(writer, b"%10d" % (os.fork() or os.getpid()))
            signal.pause()
        pids = {int(os.read(reader, 10)) for _ in range(2)}
        deadline = time.monotonic() + 10
        while set(kernel.descendants(os.getpid())) != pids | {child} and time.monotonic() < deadline:
            time.sleep(0.01)
        found = set(kernel.descendants(os.getpid()))
        for pid in pids | {child}:
            os.kill(pid, signal.SIGKILL)
        os.waitpid(child, 0)
        self.assertLessEqual(pids | {child}, found)
