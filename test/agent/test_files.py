import base64
import os
import unittest

from support import AgentTest

from hothouse_agent import files


def put(path, data):
    return files.put(path, base64.b64encode(data).decode())


@unittest.skipUnless(os.path.isdir("/tmp") and not os.path.islink("/tmp"), "needs a folder /tmp")
class PutTest(AgentTest):
    def setUp(self):
        self.path = self.folder("/tmp")

    def test_writes_the_content(self):
        self.assertIsNone(put(self.path + "/a", b"\0\xff"))
        with open(self.path + "/a", "rb") as file:
            self.assertEqual(file.read(), b"\0\xff")

    def test_replaces_a_link_instead_of_following_it(self):
        target = self.folder() + "/target"
        os.symlink(target, self.path + "/a")
        self.assertIsNone(put(self.path + "/a", b"x"))
        self.assertFalse(os.path.islink(self.path + "/a"))
        self.assertFalse(os.path.exists(target))

    def test_replaces_a_pipe_that_has_no_reader(self):
        os.mkfifo(self.path + "/a")
        self.assertIsNone(put(self.path + "/a", b"x"))
        self.assertTrue(os.path.isfile(self.path + "/a"))

    def test_refuses_a_link_among_the_folders(self):
        outside = self.folder()
        os.symlink(outside, self.path + "/link")
        self.assertIn(self.path + "/link/a: ", put(self.path + "/link/a", b"x"))
        self.assertEqual(os.listdir(outside), [])

    def test_refuses_to_replace_a_folder_and_leaves_no_other_file(self):
        os.mkdir(self.path + "/a")
        self.assertEqual(put(self.path + "/a", b"x"), self.path + "/a: Is a directory")
        self.assertEqual(os.listdir(self.path), ["a"])

    def test_writes_also_where_user_code_has_taken_the_temporary_name(self):
        os.symlink("/nowhere", self.path + "/.hothouse-put")
        self.assertIsNone(put(self.path + "/a", b"x"))
        self.assertEqual(os.listdir(self.path), ["a"])

    def test_refuses_paths_elsewhere(self):
        for path in ("/etc/a", "tmp/a", "/tmp", "/tmp/", "/tmp/../etc/a", "/tmp//a", "/tmp/./a"):
            with self.subTest(path):
                self.assertEqual(put(path, b"x"), path + ": files can be put below /workspace and /tmp only")

    def test_accepts_content_up_to_its_limit(self):
        limit = (1 << 20) + (1 << 16)
        self.assertIsNone(put(self.path + "/a", bytes(limit)))
        self.assertRegex(put(self.path + "/b", bytes(limit + 1)), "/b: 1114113 bytes are more than the 1114112 ")
        self.assertEqual(os.listdir(self.path), ["a"])
