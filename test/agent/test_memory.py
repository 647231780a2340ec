import os
from unittest import mock

from support import AgentTest

from hothouse_agent import memory, walls

_MB = 1 << 20


class CountedTest(AgentTest):
    """Where no cgroup counts."""

    def setUp(self):
        self.path = self.folder("/dev/shm")
        for replacement in (
            mock.patch.object(memory, "_USAGE_FILES", ("/nonexistent",)),
            mock.patch("hothouse_agent.kernel.mount_points", return_value=[self.path]),
        ):
            replacement.start()
            self.addCleanup(replacement.stop)

    def test_files_in_memory_count_although_a_run_has_closed_their_folder(self):
        use = memory.MemoryUse()
        with open(self.path + "/a", "wb") as file:
            file.write(bytes(_MB))
        with mock.patch.object(os, "access", return_value=False), mock.patch.object(memory, "_processes", return_value=[]):
            self.assertGreaterEqual(use.used(), _MB)

    def test_the_bound_has_the_processes_that_are_named(self):
        use = memory.MemoryUse()
        with mock.patch.object(os, "statvfs", return_value=os.statvfs("/proc")):
            none, one = use.bound([]), use.bound([str(os.getpid())])
        self.assertEqual(none, 0)
        self.assertGreater(one, _MB)

    def test_the_limit_is_the_one_that_the_agent_watches(self):
        with mock.patch.object(memory, "_LIMIT_FILES", ("/nonexistent",)):
            with mock.patch.object(walls, "watched_memory", 5 * _MB):
                self.assertEqual(memory.limit(), 5 * _MB)
            with mock.patch.object(walls, "watched_memory", None):
                self.assertIsNone(memory.room())
