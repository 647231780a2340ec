import os
from unittest import mock

from support import AgentTest

from hothouse_agent import environment, tree, workspace


class HasChangedTest(AgentTest):
    def setUp(self):
        self.path = self.folder()
        patch = mock.patch.object(environment, "WORKSPACE", self.path)
        patch.start()
        self.addCleanup(patch.stop)

    def write(self, name, mode="w"):
        with open(self.path + "/" + name, mode) as file:
            file.write("x")

    def test_is_false_where_nothing_is_or_nothing_has_changed(self):
        self.assertIs(workspace.has_changed(0), False)
        os.mkdir(self.path + "/a")
        self.write("a/b")
        self.assertIs(workspace.has_changed(tree.next_tick()), False)

    def test_sees_a_file_that_was_written_in_place_below_a_folder(self):
        os.mkdir(self.path + "/a")
        self.write("a/b")
        since = tree.next_tick()
        self.write("a/b", "r+")
        os.utime(self.path + "/a/b", (0, 0))
        self.assertIs(workspace.has_changed(since), True)

    def test_follows_no_link(self):
        os.symlink(self.path, self.path + "/loop")
        self.assertIs(workspace.has_changed(tree.next_tick()), False)

    def test_is_unknown_where_there_are_too_many_or_user_code_is_in_the_way(self):
        since = tree.next_tick()
        with mock.patch.object(os, "scandir", side_effect=ZeroDivisionError):
            self.assertIsNone(workspace.has_changed(since))
        for number in range(1001):
            open("%s/%d" % (self.path, number), "w").close()
        self.assertIsNone(workspace.has_changed(tree.next_tick()))
