import errno
import os
import signal
import socket
import time
import unittest
from unittest import mock

from apart import apart, error_of
from support import AgentTest

from hothouse_agent import landlock, privileges

HAS_FILES = landlock.can_restrict_files()
HAS_TCP = landlock.can_restrict_tcp()
HAS_SCOPES = landlock.version() >= landlock.SCOPE_VERSION


@unittest.skipUnless(HAS_FILES, "the kernel has no Landlock")
class FilesTest(AgentTest):
    def setUp(self):
        self.inside, self.outside = self.folder(), self.folder()
        self.file = self.outside + "/file"
        with open(self.file, "w", encoding="utf-8") as file:
            file.write("kept")

    def errors(self, **actions):
        """Name -> error, in a process that may write to `inside` and to /dev/null only."""

        def look():
            privileges.drop()
            landlock.restrict([self.inside], ["/dev/null", "/dev/missing"], tcp=False)
            return {name: error_of(action) for name, action in actions.items()}

        return apart(look)

    def test_denies_every_change_outside(self):
        new, own = self.outside + "/new", self.inside + "/own"
        actions = {
            "create": lambda: open(new, "w").close(),
            "write": lambda: open(self.file, "r+").close(),
            "truncate": lambda: os.truncate(self.file, 0),
            "remove": lambda: os.unlink(self.file),
            "folder": lambda: os.mkdir(new),
            "link": lambda: os.symlink("x", new),
            "pipe": lambda: os.mkfifo(new),
            "socket": lambda: socket.socket(socket.AF_UNIX).bind(new),
        }
        expected = {name: errno.EACCES for name in actions}
        if landlock.version() < 3:
            expected["truncate"] = 0
        self.assertEqual(self.errors(**actions), expected)
        moves = self.errors(
            make=lambda: open(own, "w").close(),
            out=lambda: os.rename(own, new),
            take=lambda: os.rename(self.file, self.inside + "/taken"),
            hard=lambda: os.link(self.file, self.inside + "/hard"),
        )
        self.assertEqual(moves.pop("make"), 0)
        self.assertTrue(set(moves.values()) <= {errno.EACCES, errno.EXDEV}, moves)

    def test_permits_changes_inside_and_moves_between_folders(self):
        one, two = self.inside + "/one", self.inside + "/two"
        found = self.errors(
            folder=lambda: os.mkdir(one) or os.mkdir(two),
            create=lambda: open(one + "/file", "w").close(),
            move=lambda: os.rename(one + "/file", two + "/file"),
            truncate=lambda: os.truncate(two + "/file", 5),
            remove=lambda: os.unlink(two + "/file"),
            socket=lambda: socket.socket(socket.AF_UNIX).bind(one + "/socket"),
        )
        self.assertEqual(set(found.values()), {0})

    def test_permits_reading_and_the_named_files(self):
        found = self.errors(
            read=lambda: open(self.file).close(),
            list=lambda: os.listdir(self.outside),
            null=lambda: open("/dev/null", "w").close(),
            pipe=lambda: os.write(os.pipe()[1], b"x"),
            memory=lambda: os.truncate("/proc/self/fd/%d" % os.memfd_create("m"), 1),
        )
        self.assertEqual(set(found.values()), {0})

    def test_is_inherited_and_cannot_be_lifted(self):
        def lift():
            landlock.restrict(["/"], [], tcp=False)
            open(self.file, "r+").close()

        def in_child():
            if apart(lambda: error_of(lambda: open(self.file, "r+").close())):
                raise PermissionError(errno.EACCES, "denied")

        self.assertEqual(self.errors(lift=lift, child=in_child), {"lift": errno.EACCES, "child": errno.EACCES})


@unittest.skipUnless(HAS_TCP, "the kernel's Landlock has no rules for TCP")
class TcpTest(AgentTest):
    def errors(self, tcp):
        def look():
            server = socket.create_server(("127.0.0.1", 0))
            privileges.drop()
            landlock.restrict([], [], tcp)
            return [
                error_of(lambda: socket.create_connection(server.getsockname()).close()),
                error_of(lambda: socket.create_server(("127.0.0.1", 0)).close()),
                error_of(lambda: socket.socketpair()[0].close()),
            ]

        return apart(look)

    def test_denies_connections_and_servers(self):
        self.assertEqual(self.errors(tcp=True), [errno.EACCES, errno.EACCES, 0])

    def test_permits_them_unless_asked(self):
        self.assertEqual(self.errors(tcp=False), [0, 0, 0])


@unittest.skipUnless(HAS_SCOPES, "the kernel's Landlock has no scopes")
class ScopeTest(AgentTest):
    def test_keeps_signals_and_abstract_sockets_inside(self):
        name = "\0hothouse-test-%d" % os.getpid()

        def look():
            server = socket.socket(socket.AF_UNIX)
            server.bind(name)
            server.listen()
            outer = os.getpid()
            privileges.drop()
            scope = landlock.create_scope()

            def inner():
                landlock.enter(scope)
                own = socket.socket(socket.AF_UNIX)
                own.bind(name + "-own")
                own.listen()
                return [
                    error_of(lambda: os.kill(outer, 0)),
                    error_of(lambda: socket.socket(socket.AF_UNIX).connect(name)),
                    error_of(lambda: socket.socket(socket.AF_UNIX).connect(name + "-own")),
                    error_of(lambda: os.kill(os.getpid(), 0)),
                ]

            return apart(inner)

        self.assertEqual(apart(look), [errno.EPERM, errno.EPERM, 0, 0])

    def test_leaves_its_processes_to_those_outside(self):
        def look():
            privileges.drop()
            scope = landlock.create_scope()
            pid = os.fork()
            if pid == 0:
                landlock.enter(scope)
                time.sleep(60)
                os._exit(0)
            os.kill(pid, signal.SIGKILL)
            return os.waitpid(pid, 0)[1]

        self.assertEqual(apart(look), signal.SIGKILL)


class OldKernelTest(AgentTest):
    def test_restricts_no_files_where_they_could_not_be_moved(self):
        for version, expected in ((0, False), (1, False), (2, True)):
            with mock.patch.object(landlock, "version", lambda version=version: version):
                self.assertEqual(landlock.can_restrict_files(), expected)

    @unittest.skipUnless(HAS_FILES, "the kernel has no Landlock")
    def test_uses_only_what_its_version_has(self):
        for version in (2, 3, 4, 5):
            if version > landlock.version():
                continue

            def look(version=version):
                privileges.drop()
                with mock.patch.object(landlock, "version", lambda: version):
                    landlock.restrict(["/tmp"], ["/dev/null"], tcp=True)
                return error_of(lambda: open("/hothouse-test", "w").close())

            self.assertEqual(apart(look), errno.EACCES)
