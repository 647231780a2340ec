import errno
import fcntl
import json
import os
import socket
import struct
import time
from unittest import mock

from support import AgentTest

from hothouse_agent import contained, files, tree


class FilesTest(AgentTest):
    """A service in a thread, and the engine's end of its streams."""

    def setUp(self):
        self.path = self.folder()
        self.room = None
        requests, self.requests = self.pipe()
        self.answers, answers = self.pipe()
        service = files.Service(requests, answers, {"workspace": self.path}, lambda: self.room)
        self.thread(lambda: (service.serve(), self.close(answers)))
        self.addCleanup(self.close, self.requests)

    def send(self, op, body=b"", **fields):
        head = json.dumps({"op": op, **fields}).encode()
        os.write(self.requests, struct.pack(">II", len(head), len(body)) + head + body)

    def take(self, count):
        data = b""
        while len(data) < count:
            part = os.read(self.answers, count - len(data))
            if not part:
                raise EOFError
            data += part
        return data

    def receive(self):
        head, body = struct.unpack(">II", self.take(8))
        return json.loads(self.take(head)), self.take(body)

    def ask(self, op, path="", **fields):
        self.send(op, root="workspace", path=path, **fields)
        return self.receive()[0]

    def put(self, path, *parts, size=None, folders=True, replace=True, offset=None):
        answer = self.ask("put", path, size=size, folders=folders, replace=replace, offset=offset)
        if answer["op"] == "error":
            return answer
        for part in parts:
            self.send("data", part)
            answer = self.receive()[0]
            if answer["op"] == "error":
                return answer
        self.send("end")
        return self.receive()[0]

    def get(self, path, offset=0, length=None):
        answer = self.ask("get", path, offset=offset, length=length)
        if answer["op"] == "error":
            return answer["kind"]
        data = b""
        self.send("more", bytes=1 << 20)
        while True:
            head, body = self.receive()
            data += body
            if head["op"] == "end":
                return data

    def read(self, name):
        with open(self.path + "/" + name, "rb") as file:
            return file.read()


class PutTest(FilesTest):
    def test_writes_the_content_and_leaves_no_other_file(self):
        self.assertEqual(self.put("d/a", b"\0\xff", b"x"), {"op": "answer", "size": 3, "replaced": False})
        self.assertEqual(self.read("d/a"), b"\0\xffx")
        self.assertEqual(os.listdir(self.path + "/d"), ["a"])

    def test_replaces_a_link_and_a_pipe_instead_of_writing_to_them(self):
        target = self.folder() + "/target"
        os.symlink(target, self.path + "/link")
        os.mkfifo(self.path + "/pipe")
        for name in ("link", "pipe"):
            self.assertTrue(self.put(name, b"x")["replaced"])
            self.assertFalse(os.path.islink(self.path + "/" + name))
            self.assertEqual(self.read(name), b"x")
        self.assertFalse(os.path.exists(target))

    def test_appends_to_a_file_of_exactly_the_given_size(self):
        self.assertEqual(self.put("a", b"one", offset=0)["size"], 3)
        self.assertEqual(self.put("a", b"two", offset=3), {"op": "answer", "size": 6, "replaced": True})
        self.assertEqual(self.put("a", b"two", offset=3)["kind"], "conflict")
        self.assertEqual(self.put("b", b"two", offset=3)["kind"], "not_found")
        self.assertEqual(self.read("a"), b"onetwo")

    def test_appends_for_one_writer_at_a_time(self):
        with open(self.path + "/a", "w") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            self.assertEqual(self.put("a", b"x", offset=0)["kind"], "conflict")
        self.assertEqual(self.put("a", b"x", offset=0)["size"], 1)

    def test_appends_to_no_link_and_no_pipe(self):
        target = self.folder() + "/target"
        os.symlink(target, self.path + "/link")
        os.mkfifo(self.path + "/pipe")
        self.assertEqual(self.put("link", b"x", offset=0)["kind"], "outside_workspace")
        self.assertEqual(self.put("pipe", b"x", offset=0)["kind"], "not_a_file")
        self.assertFalse(os.path.exists(target))

    def test_knows_how_much_room_there_is(self):
        space = os.statvfs(self.path)
        self.assertLessEqual(self.ask("room")["bytes"], space.f_blocks * space.f_frsize)
        self.room = 1000
        self.assertEqual(self.ask("room")["bytes"], 1000)
        self.room = -5
        self.assertEqual(self.ask("room")["bytes"], 0)

    def test_leaves_the_other_names_of_a_file_as_they_are(self):
        with open(self.path + "/a", "w") as file:
            file.write("old")
        os.link(self.path + "/a", self.path + "/b")
        self.put("a", b"new")
        self.assertEqual([self.read("a"), self.read("b")], [b"new", b"old"])

    def test_shows_the_old_content_until_all_of_the_new_is_there(self):
        self.put("a", b"old")
        self.ask("put", "a", size=None, folders=False, replace=True)
        self.send("data", b"new")
        self.receive()
        self.assertEqual(self.read("a"), b"old")
        self.send("end")
        self.receive()
        self.assertEqual(self.read("a"), b"new")

    def test_removes_what_it_has_written_when_the_stream_ends(self):
        self.ask("put", "a", size=None, folders=False, replace=True)
        self.send("data", b"half")
        self.receive()
        self.close(self.requests)
        with self.assertRaises(EOFError):
            self.receive()
        self.assertEqual(os.listdir(self.path), [])

    def test_does_not_replace_a_file_that_appears_meanwhile(self):
        self.ask("put", "a", size=None, folders=False, replace=False)
        open(self.path + "/a", "w").close()
        self.send("end")
        self.assertEqual(self.receive()[0]["kind"], "exists")
        self.assertEqual(os.listdir(self.path), ["a"])

    def test_refuses_what_does_not_fit_before_it_is_written(self):
        space = os.statvfs(self.path)
        answer = self.put("a", size=space.f_bavail * space.f_frsize + (1 << 40))
        self.assertEqual(answer["kind"], "no_space")
        self.room = 1000
        self.assertEqual(self.put("a", size=1001)["kind"], "no_space")
        self.assertEqual(os.listdir(self.path), [])

    def test_stops_when_the_memory_of_the_sandbox_gets_short(self):
        self.ask("put", "a", size=None, folders=False, replace=True)
        self.room = 1000
        self.send("data", b"x")
        self.assertEqual(self.receive()[0]["kind"], "no_space")
        # What is still under way is dropped.
        self.send("data", b"y")
        self.send("end")
        self.assertEqual(self.ask("list", recursive=True, limit=9, after="")["entries"], [])


class GetTest(FilesTest):
    def test_sends_no_more_than_it_has_room_for(self):
        self.put("a", b"0123456789")
        self.ask("get", "a", offset=0, length=None)
        self.send("more", bytes=4)
        self.assertEqual(self.receive(), ({"op": "data"}, b"0123"))
        self.send("more", bytes=1)
        self.assertEqual(self.receive(), ({"op": "data"}, b"4"))

    def test_says_how_much_was_cut_off_meanwhile(self):
        self.put("a", b"0123456789")
        self.ask("get", "a", offset=2, length=None)
        os.truncate(self.path + "/a", 5)
        self.send("more", bytes=100)
        self.assertEqual(self.receive(), ({"op": "data"}, b"234"))
        self.assertEqual(self.receive()[0], {"op": "end", "missing": 5})

    def test_refuses_what_is_no_regular_file_and_waits_for_none(self):
        os.mkfifo(self.path + "/pipe")
        with socket.socket(socket.AF_UNIX) as listener:
            # The path of a socket is short.
            folder = os.open(self.path, os.O_RDONLY)
            listener.bind("/proc/self/fd/%d/socket" % folder)
            os.close(folder)
        os.symlink("/etc/passwd", self.path + "/link")
        os.symlink("/dev/zero", self.path + "/zero")
        kinds = [self.get(name) for name in ("pipe", "socket", "link", "zero", "")]
        self.assertEqual(kinds, ["not_a_file", "not_a_file", "outside_workspace", "outside_workspace", "not_a_file"])

    def test_reads_a_sparse_file_of_a_terabyte_as_far_as_it_is_asked(self):
        with open(self.path + "/a", "wb") as file:
            file.truncate(1 << 40)
        self.assertEqual(self.get("a", (1 << 40) - 3, 100), bytes(3))

    def test_refuses_the_whole_of_a_file_that_only_fits_because_of_its_holes(self):
        space = os.statvfs(self.path)
        with open(self.path + "/a", "wb") as file:
            file.truncate(space.f_blocks * space.f_frsize + 1)
        self.assertEqual(self.get("a"), "too_large")
        self.assertEqual(self.get("a", 0, 5), bytes(5))


class NamesTest(FilesTest):
    def test_takes_every_name_that_a_file_can_have(self):
        names = [b"new\nline", b"\xff\xfe", b"x" * 255, "ä€😀".encode(), b"-rf", b"a\\b", b" ", b"\xed\xb2\x80", b"\x1b[31m"]
        for name in names:
            self.put(contained.show_path(name), name)
        self.assertEqual(sorted(os.listdir(os.fsencode(self.path))), sorted(names))
        listed = self.ask("list", recursive=True, limit=99, after="")["entries"]
        self.assertEqual([contained.parse_path(entry["path"]) for entry in listed], [[name] for name in sorted(names)])
        for name in names:
            self.assertEqual(self.get(contained.show_path(name)), name)
            self.assertEqual(self.ask("remove", contained.show_path(name), recursive=False)["files"], 1)

    def test_refuses_paths_that_name_nothing_below_the_root(self):
        for path in ("/a", "..", "a/../b", "./a", "a//b", "a/", "\0", "x" * 256, "a/" * 128 + "a", "x/" * 2048, "\ud800"):
            with self.subTest(path):
                self.assertEqual(self.put(path, b"x")["kind"], "invalid_path")
        self.assertEqual(os.listdir(self.path), [])

    def test_resumes_a_list_after_entries_that_have_gone(self):
        for name in ("a/x", "a/y", "b", "c"):
            self.put(name, b"")
        self.ask("remove", "a", recursive=True)
        listed = self.ask("list", recursive=True, limit=9, after="a/x")["entries"]
        self.assertEqual([entry["path"] for entry in listed], ["b", "c"])

    def test_bounds_a_page_by_its_bytes(self):
        for number in range(300):
            open("%s/%03d%s" % (self.path, number, "\n" * 250), "w").close()
        page = self.ask("list", recursive=False, limit=1000, after="")
        self.assertLess(len(page["entries"]), 300)
        self.assertEqual(page["next"], page["entries"][-1]["path"])

    def test_lists_hostile_sizes_and_times_as_numbers_that_json_holds(self):
        self.put("a", b"")
        os.utime(self.path + "/a", (0, 1 << 33))
        entry = self.ask("list", recursive=False, limit=9, after="")["entries"][0]
        self.assertEqual(entry["modifiedMs"], (1 << 33) * 1000)


class RemoveTest(FilesTest):
    def test_removes_a_tree_that_is_deeper_than_any_path(self):
        folder = os.open(self.path, os.O_RDONLY)
        for _ in range(2500):
            os.mkdir("d", dir_fd=folder)
            child = os.open("d", os.O_RDONLY, dir_fd=folder)
            os.close(folder)
            folder = child
        os.close(folder)
        listed = self.ask("list", recursive=True, limit=1000, after="")
        self.assertEqual([len(listed["entries"]), listed["skipped"]], [contained.MAX_DEPTH, 1])
        self.assertEqual(self.ask("remove", "d", recursive=True)["folders"], 2500)
        self.assertEqual(os.listdir(self.path), [])

    def test_removes_folders_that_are_closed_to_everybody(self):
        os.makedirs(self.path + "/a/b/c")
        os.chmod(self.path + "/a/b", 0)
        os.chmod(self.path + "/a", 0)
        self.assertEqual(self.ask("remove", "a", recursive=True)["folders"], 3)

    def test_removes_links_and_not_what_they_lead_to(self):
        outside = self.folder()
        os.mkdir(outside + "/kept")
        os.mkdir(self.path + "/a")
        os.symlink(outside, self.path + "/a/link")
        self.assertEqual(self.ask("remove", "a", recursive=True), {"op": "answer", "files": 0, "folders": 1, "others": 1, "bytes": 0})
        self.assertEqual(os.listdir(outside), ["kept"])


class ChangesTest(FilesTest):
    def changes(self, since, limit=9):
        answer = self.ask("changes", since=since, limit=limit)
        return [entry["path"] for entry in answer["files"]], answer["count"], answer["mark"]

    def test_reports_what_was_made_changed_or_moved_since_the_mark(self):
        for name in ("old", "changed", "moved"):
            self.put(name, b"x")
        mark = self.ask("mark")["mark"]
        with open(self.path + "/changed", "r+") as file:
            file.write("y")
        os.rename(self.path + "/moved", self.path + "/there")
        os.mkdir(self.path + "/folder")
        self.put("folder/made", b"x")
        names, count, mark = self.changes(mark)
        self.assertEqual([names, count], [["changed", "folder/made", "there"], 3])
        self.assertEqual(self.changes(mark)[:2], ([], 0))

    def test_is_not_fooled_by_the_times_that_user_code_sets(self):
        mark = self.ask("mark")["mark"]
        self.put("a", b"x")
        os.utime(self.path + "/a", (0, 0))
        self.assertEqual(self.changes(mark)[0], ["a"])

    def test_misses_nothing_that_happens_right_after_a_report(self):
        mark = "0"
        for round_ in range(30):
            with open(self.path + "/a", "w") as file:
                file.write(str(round_))
            names, _, mark = self.changes(mark)
            self.assertEqual(names, ["a"], round_)
            self.assertEqual(self.changes(mark)[0], [], round_)

    def test_names_a_bounded_number_and_counts_the_rest(self):
        for number in range(5):
            self.put(str(number), b"xy")
        answer = self.ask("changes", since="0", limit=2)
        self.assertEqual([len(answer["files"]), answer["count"], answer["bytes"]], [2, 5, 10])


class ContainmentTest(AgentTest):
    def setUp(self):
        self.path, self.outside = self.folder(), self.folder()
        os.mkdir(self.path + "/in")
        for folder in (self.path + "/in", self.outside):
            with open(folder + "/file", "w") as file:
                file.write(os.path.basename(folder))
        os.symlink(self.outside, self.path + "/out")
        os.symlink("in", self.path + "/inner")
        os.symlink("/proc/self/root", self.path + "/magic")

    def outcomes(self, root):
        found = []
        for names in ([b"in", b"file"], [b"out", b"file"], [b"inner", b"file"], [b"magic", b"etc"], [b"in", b"x"], [b"in", b"file", b"x"]):
            for action in (root.open_file, root.open_folder):
                try:
                    os.close(action(names))
                    found.append("ok")
                except OSError as error:
                    found.append(error.errno)
        return found

    def test_is_the_same_with_and_without_openat2(self):
        with_call = contained.Root(self.path)
        expected = ["ok", errno.ENOTDIR, *[errno.ELOOP] * 6, errno.ENOENT, errno.ENOENT, errno.ENOTDIR, errno.ENOTDIR]
        self.assertEqual(self.outcomes(with_call), expected)
        for number in (errno.ENOSYS, errno.EPERM):
            with mock.patch.object(contained, "_openat2", side_effect=OSError(number, "")):
                self.assertEqual(self.outcomes(contained.Root(self.path)), expected)

    def test_holds_while_a_folder_and_a_link_change_places(self):
        for call in (contained._openat2, mock.Mock(side_effect=OSError(errno.ENOSYS, ""))):
            with mock.patch.object(contained, "_openat2", call):
                self.swap_and_read(contained.Root(self.path))

    def swap_and_read(self, root):
        os.makedirs(self.path + "/a", exist_ok=True)
        os.rename(self.path + "/in/file", self.path + "/a/file")
        end = time.monotonic() + 0.5

        def swap():
            while time.monotonic() < end:
                os.rename(self.path + "/a", self.path + "/b")
                os.symlink(self.outside, self.path + "/a")
                os.unlink(self.path + "/a")
                os.rename(self.path + "/b", self.path + "/a")

        thread = self.thread(swap)
        seen = set()
        while time.monotonic() < end:
            try:
                fd = root.open_file([b"a", b"file"])
                seen.add(os.read(fd, 100))
                os.close(fd)
            except OSError:
                pass
        thread.join()
        os.rename(self.path + "/a/file", self.path + "/in/file")
        self.assertLessEqual(seen, {b"in"})


class TickTest(AgentTest):
    def test_is_after_earlier_changes_and_not_after_later_ones(self):
        path = self.folder() + "/a"
        for _ in range(20):
            open(path, "w").close()
            before = os.stat(path).st_ctime_ns
            tick = tree.next_tick()
            open(path, "w").close()
            self.assertLess(before, tick)
            self.assertGreaterEqual(os.stat(path).st_ctime_ns, tick)
