import os
import signal
from unittest import mock

from support import AgentTest

from hothouse_agent import kernel, memorywatch

_LIMIT = 1 << 30


class FakeUse:
    """A sandbox that always has a byte more than its limit."""

    def quick(self, but):
        return _LIMIT + 1

    exact = quick


class MemoryWatchTest(AgentTest):
    def setUp(self):
        replacement = mock.patch.object(memorywatch, "INTERVAL", 0)
        replacement.start()
        self.addCleanup(replacement.stop)
        kernel.open_tables()
        self.watch = memorywatch.MemoryWatch(_LIMIT, FakeUse())
        self.processes = [self.process() for _ in range(2)]

    def process(self):
        pid = os.fork()
        if pid == 0:
            signal.pause()
            os._exit(0)
        self.addCleanup(os.waitpid, pid, 0)
        self.addCleanup(os.kill, pid, signal.SIGKILL)
        return pid

    def test_names_no_more_processes_than_are_needed(self):
        self.assertEqual(len(self.watch.excessive(lambda: self.processes)), 1)

    def test_does_not_name_a_process_again_that_is_dying(self):
        named = [self.watch.excessive(lambda: self.processes[:1]) for _ in range(2)]
        self.assertEqual(named, [self.processes[:1], []])

    def test_names_another_process_that_has_got_the_same_id(self):
        with mock.patch("hothouse_agent.kernel.started_at", side_effect=[1, 2, 2]):
            named = [self.watch.excessive(lambda: self.processes[:1]) for _ in range(2)]
        self.assertEqual(named, [self.processes[:1]] * 2)

    def test_names_all_when_it_was_above_the_limit_again_and_again(self):
        for _ in range(11):
            self.watch.excessive(lambda: [])
        self.assertEqual(self.watch.excessive(lambda: self.processes), self.processes)

    def test_does_not_remember_what_was_before_a_reset(self):
        for _ in range(12):
            self.watch.excessive(lambda: [])
        self.watch.forget()
        self.assertEqual(len(self.watch.excessive(lambda: self.processes)), 1)
