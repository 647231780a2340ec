import ctypes
import os
import signal
import stat
from unittest import mock

from apart import apart
from support import AgentTest

from hothouse_agent import kernel, wipe


_PR_SET_CHILD_SUBREAPER = 36


class MountTest(AgentTest):
    def setUp(self):
        self.path = self.folder()

    def names(self):
        return sorted(os.listdir(self.path))

    def test_removes_files_folders_links_and_pipes(self):
        mount = wipe.Mount(self.path)
        os.makedirs(self.path + "/a/b")
        open(self.path + "/a/b/file", "w").close()
        open(self.path + "/.hidden", "w").close()
        os.mkfifo(self.path + "/pipe")
        mount.empty()
        self.assertEqual((self.names(), mount.leftovers()), ([], []))

    def test_follows_no_link_out_of_the_mount(self):
        outside = self.folder()
        open(outside + "/file", "w").close()
        mount = wipe.Mount(self.path)
        os.symlink(outside, self.path + "/link")
        os.mkdir(self.path + "/sub")
        os.symlink(outside, self.path + "/sub/link")
        mount.empty()
        self.assertEqual((self.names(), os.listdir(outside)), ([], ["file"]))

    def test_removes_folders_without_permissions(self):
        mount = wipe.Mount(self.path)
        os.makedirs(self.path + "/a/b/c")
        for name in ("/a/b/c", "/a/b", "/a"):
            os.chmod(self.path + name, 0)
        mount.empty()
        self.assertEqual(self.names(), [])

    def test_removes_a_tree_that_is_deeper_than_a_path_can_be(self):
        mount = wipe.Mount(self.path)
        name, depth = "x" * 200, 50
        fd = os.open(self.path, os.O_RDONLY)
        for _ in range(depth):
            os.mkdir(name, dir_fd=fd)
            below = os.open(name, os.O_RDONLY, dir_fd=fd)
            os.close(fd)
            fd = below
        os.close(fd)
        mount.empty()
        self.assertEqual(self.names(), [])

    def test_removes_names_like_those_it_moves_folders_to(self):
        mount = wipe.Mount(self.path)
        os.makedirs(self.path + "/a/b")
        for number in range(3):
            open(self.path + "/.hothouse-%d" % number, "w").close()
        mount.empty()
        self.assertEqual(self.names(), [])

    def test_leaves_what_belongs_to_the_host_and_names_it_when_it_is_gone(self):
        os.mkdir(self.path + "/given")
        with mock.patch("os.getuid", return_value=os.getuid() + 1), mock.patch("os.access", return_value=False):
            mount = wipe.Mount(self.path)
            open(self.path + "/file", "w").close()
            mount.empty()
            self.assertEqual((self.names(), mount.leftovers()), (["given"], []))
            os.rename(self.path + "/given", self.path + "/other")
            self.assertEqual(
                sorted(mount.leftovers()), ["file %s/other" % self.path, "no file %s/given" % self.path]
            )

    def test_empties_a_folder_of_the_host_that_can_be_written_to(self):
        os.mkdir(self.path + "/given")
        with mock.patch("os.getuid", return_value=os.getuid() + 1):
            mount = wipe.Mount(self.path)
        open(self.path + "/given/file", "w").close()
        mount.empty()
        self.assertEqual(self.names(), [])

    def test_names_the_files_that_remain(self):
        mount = wipe.Mount(self.path)
        mount.empty()
        open(self.path + "/late", "w").close()
        self.assertEqual(mount.leftovers(), ["file " + self.path + "/late"])

    def test_restores_mode_and_times_of_the_root(self):
        os.chmod(self.path, 0o750)
        os.utime(self.path, ns=(10**18, 10**18 + 5))
        mount = wipe.Mount(self.path)
        open(self.path + "/a", "w").close()
        os.chmod(self.path, 0o700)
        os.utime(self.path, (1, 2))
        mount.empty()
        self.assertEqual(mount.leftovers(), [])
        info = os.stat(self.path)
        self.assertEqual(stat.S_IMODE(info.st_mode), 0o750)
        self.assertEqual(info.st_mtime_ns, 10**18 + 5)

    def test_names_what_it_cannot_restore_of_the_root(self):
        mount = wipe.Mount(self.path)
        mount.empty()
        os.chmod(self.path, 0o755)
        self.assertEqual(mount.leftovers(), ["mode of " + self.path])

    def test_empties_mounts_or_raises(self):
        mount = wipe.Mount(self.path)
        open(self.path + "/a", "w").close()
        wipe.empty_mounts([mount])
        self.assertEqual(self.names(), [])
        with mock.patch.object(mount, "leftovers", return_value=["file x"]), self.assertRaises(OSError):
            wipe.empty_mounts([mount])


class FakeBaseline:
    def __init__(self, left=()):
        self.left = list(left)

    def compare(self, processes):
        return self.left, 7, 1000


def kill_three():
    return 3, ("1",)


class WipeTest(AgentTest):
    """Whole wipes, of a temp folder: the parts that would end this user's processes are replaced."""

    def setUp(self):
        self.path = self.folder()
        self.mounts = [wipe.Mount(self.path)]
        self.objects = []
        replacements = [
            mock.patch.object(wipe, "others", return_value=[]),
            mock.patch.object(kernel, "sysv_objects", side_effect=lambda: list(self.objects)),
            mock.patch.object(kernel, "remove_sysv", side_effect=lambda *found: self.objects.remove(found)),
        ]
        for replacement in replacements:
            replacement.start()
            self.addCleanup(replacement.stop)

    def test_reports_what_it_did(self):
        open(self.path + "/a", "w").close()
        self.objects = [("shm", 5), ("msg", 6)]
        report = wipe.wipe(self.mounts, FakeBaseline(), kill_three)
        self.assertGreater(report.pop("durationMs"), 0)
        self.assertEqual(report, {"clean": True, "leftovers": [], "killed": 3, "fds": 7, "memoryBytes": 1000})
        self.assertEqual((self.objects, os.listdir(self.path)), ([], []))

    def test_is_not_clean_when_a_step_fails_and_does_the_others(self):
        open(self.path + "/a", "w").close()
        report = wipe.wipe(self.mounts, FakeBaseline(), mock.Mock(side_effect=PermissionError(1, "no")))
        self.assertEqual((report["clean"], report["leftovers"]), (False, ["kill: EPERM"]))
        self.assertEqual(os.listdir(self.path), [])

    def test_names_processes_and_objects_that_remain(self):
        self.objects = [("sem", 1)]
        with mock.patch.object(wipe, "others", return_value=["42"]), mock.patch.object(kernel, "remove_sysv"):
            report = wipe.wipe(self.mounts, FakeBaseline(["descriptor 9"]), kill_three)
        self.assertEqual(report["leftovers"], ["process 42", "sem 1", "descriptor 9"])

    def test_names_at_most_twenty_leftovers_in_ascii(self):
        report = wipe.wipe(self.mounts, FakeBaseline(["file \u00e4\n"] * 30), kill_three)
        self.assertEqual(report["leftovers"], ["file \\xe4\\n"] * 20)


class KillAllTest(AgentTest):
    """`os.kill` is replaced: the real one would reach every process of this user."""

    def killed(self, others):
        with mock.patch.object(os, "kill") as kill, mock.patch.object(wipe, "others", side_effect=others):
            with mock.patch.object(os, "waitpid", side_effect=[(5, 9), ChildProcessError, ChildProcessError]):
                reaped = wipe.kill_all()
        return reaped, kill.call_count

    def test_reaps_what_it_has_killed(self):
        self.assertEqual(self.killed([[]]), (1, 1))

    def test_kills_again_while_processes_remain(self):
        self.assertEqual(self.killed([["7"], []]), (1, 2))


class AloneTest(AgentTest):
    """In a process that orphans come to, as they come to the first one of a sandbox."""

    def alone(self, left_by):
        """Whether it counts as alone with a child that waits, when it and the child have done `left_by(is_child)`."""

        def first():
            ctypes.CDLL(None).prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
            ready, done = os.pipe()
            zygote = os.fork()
            if zygote == 0:
                left_by(True)
                os.write(done, b".")
                signal.pause()
            left_by(False)
            os.read(ready, 1)
            try:
                return wipe.are_alone((str(os.getpid()), str(zygote)))
            finally:
                for pid in kernel.descendants(os.getpid()):
                    os.kill(pid, signal.SIGKILL)

        return apart(first)

    def test_with_the_zygote_alone(self):
        self.assertTrue(self.alone(lambda is_child: None))

    def test_a_child_of_the_zygote_is_found(self):
        self.assertFalse(self.alone(lambda is_child: waiting_fork() if is_child else None))

    def test_a_child_of_the_first_process_is_found(self):
        self.assertFalse(self.alone(lambda is_child: None if is_child else waiting_fork()))

    def test_an_orphan_is_found_whose_parents_have_ended(self):
        def orphan(is_child):
            if is_child and os.fork() == 0:
                waiting_fork()
                os._exit(0)
            elif is_child:
                os.wait()

        self.assertFalse(self.alone(orphan))

    def test_a_child_that_was_not_reaped_is_found(self):
        def zombie(is_child):
            if not is_child and os.fork() == 0:
                os._exit(0)

        self.assertFalse(self.alone(zombie))

    def test_nothing_is_known_of_a_process_that_has_ended(self):
        self.assertFalse(wipe.are_alone((str(os.getpid()), str(apart(os.getpid)))))

    def test_what_the_kernel_counts_decides(self):
        with mock.patch.object(kernel, "task_count", return_value=3):
            self.assertFalse(self.alone(lambda is_child: None))


def waiting_fork():
    if os.fork() == 0:
        signal.pause()


class ReapButTest(AgentTest):
    def test_reaps_every_child_but_the_one_that_stays(self):
        reader, writer = self.pipe()
        stays = os.fork()
        if stays == 0:
            os.close(writer)
            os.read(reader, 1)
            os._exit(0)
        ending = [os.fork() or os._exit(0) for _ in range(3)]
        # In a sandbox there is no process but these.
        with mock.patch.object(wipe, "others", lambda _: [pid for pid in ending if os.path.exists("/proc/%d" % pid)]):
            self.assertEqual(wipe.reap_but(stays), 3)
        os.close(writer)
        self.assertEqual(os.waitpid(stays, 0), (stays, 0))
