import os
import unittest
from unittest import mock

from support import AgentTest

from hothouse_agent import writable


class WritableFileTest(AgentTest):
    def setUp(self):
        self.path = self.folder() + "/termination-log"
        self.write("")

    def write(self, text):
        with open(self.path, "w", encoding="utf-8") as file:
            file.write(text)

    def read(self):
        with open(self.path, encoding="utf-8") as file:
            return file.read()

    def test_leaves_nothing_of_what_was_written(self):
        file = writable.WritableFile(self.path)
        self.write("secret")
        self.assertEqual(file.leftovers()[0], "content of " + self.path)
        file.empty()
        self.assertEqual((self.read(), file.leftovers()), ("", []))

    def test_restores_what_it_had(self):
        self.write("of the host")
        file = writable.WritableFile(self.path)
        self.write("of the hosT")
        self.assertEqual(file.leftovers(), ["content of " + self.path])
        file.empty()
        self.assertEqual((self.read(), file.leftovers()), ("of the host", []))

    def test_frees_space_beyond_the_end(self):
        file = writable.WritableFile(self.path)
        with open(self.path, "r+b") as written:
            os.posix_fallocate(written.fileno(), 0, 1 << 20)
            written.truncate(0)
        file.empty()
        self.assertEqual(file.leftovers(), [])

    def test_restores_the_mode_and_the_attributes(self):
        file = writable.WritableFile(self.path)
        os.chmod(self.path, 0o604)
        try:
            os.setxattr(self.path, "user.note", b"x")
        except OSError:
            self.skipTest("the file system has no attributes")
        self.assertEqual(file.leftovers(), ["mode of " + self.path, "attributes of " + self.path])
        file.empty()
        self.assertEqual(file.leftovers(), [])

    def test_says_nothing_by_its_times(self):
        file = writable.WritableFile(self.path)
        os.utime(self.path, (7, 7))
        file.empty()
        self.assertGreater(os.stat(self.path).st_mtime, 7)

    def test_reports_what_it_may_not_restore(self):
        file = writable.WritableFile(self.path)
        self.write("secret")
        with mock.patch("builtins.open", side_effect=PermissionError(13, "denied")):
            self.assertRaises(PermissionError, file.empty)
        self.assertEqual(file.leftovers()[0], "content of " + self.path)

    def test_does_not_restore_more_than_it_has_kept(self):
        with open(self.path, "wb") as large:
            large.truncate((1 << 20) + 1)
        file = writable.WritableFile(self.path)
        with open(self.path, "r+b") as large:
            large.write(b"x")
        file.empty()
        self.assertEqual(file.leftovers()[0], "content of " + self.path)


class PathsTest(AgentTest):
    def found(self, mounts):
        with mock.patch("hothouse_agent.kernel.mount_points", return_value=mounts):
            return [path for path in writable.paths() if not path.startswith("/dev/")]

    def test_finds_files_and_pipes_that_are_mounts(self):
        folder = self.folder()
        open(folder + "/file", "w").close()
        os.mkfifo(folder + "/pipe")
        mounts = [folder, folder + "/file", folder + "/pipe", folder + "/missing", "/proc/self/comm"]
        self.assertEqual(self.found(mounts), [folder + "/file", folder + "/pipe"])
        with mock.patch.object(writable, "paths", return_value=mounts[1:3]):
            self.assertEqual([file.path for file in writable.files()], [folder + "/file"])

    @unittest.skipIf(os.getuid() == 0, "root may write everywhere")
    def test_leaves_out_what_cannot_be_written(self):
        self.assertEqual(self.found(["/etc/passwd"]), [])

    def test_leaves_out_devices_without_memory(self):
        self.assertNotIn("/dev/null", writable.paths())
