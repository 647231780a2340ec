import base64
import errno
import os
import platform
import resource
import struct
import subprocess
import sys
from unittest import mock

from apart import apart, error_of
from support import AgentTest

from hothouse_agent import landlock, network, privileges, walls, writable

# Denies `getppid` with ENOTTY, and allows the rest.
_GETPPID = {"x86_64": 110, "aarch64": 173}
FILTER = b"".join(
    struct.pack("HBBI", *instruction)
    for instruction in (
        (0x20, 0, 0, 0),
        (0x15, 0, 1, _GETPPID.get(platform.machine(), 0)),
        (0x06, 0, 0, 0x50000 | errno.ENOTTY),
        (0x06, 0, 0, 0x7FFF0000),
    )
)
PLAN = {
    "network": "none",
    "readOnlyRoot": True,
    "folders": ["/tmp"],
    "memoryBytes": 1 << 60,
    "pids": 1 << 20,
    "limits": {"core": 1, "nofile": 256},
    "filters": {platform.machine(): base64.b64encode(FILTER).decode()},
}


def build(**changes):
    walls.build({**PLAN, **changes})
    return walls.report


class BuildTest(AgentTest):
    def state(self, name, **changes):
        return apart(lambda: build(**changes))[name]

    def test_reports_every_wall_with_a_state_and_a_detail(self):
        report = apart(build)
        self.assertEqual(len(report), 12)
        for wall in report.values():
            self.assertIn(wall["state"], ("holds", "missing", "off"))
            self.assertIsInstance(wall["detail"], str)

    def test_reports_what_an_option_removes(self):
        off = {"state": "off", "detail": "network.policy"}
        self.assertEqual(self.state("network", network="full"), off)
        off = {"state": "off", "detail": "limits.readOnly"}
        report = apart(lambda: build(readOnlyRoot=False))
        self.assertEqual((report["readOnlyRoot"], report["files"]), (off, off))
        self.assertEqual(self.state("systemCalls", filters=None)["state"], "off")

    def test_sets_limits_for_itself_and_its_children(self):
        ask = "import resource; print(resource.getrlimit(resource.RLIMIT_NOFILE))"

        def look():
            build()
            return subprocess.run([sys.executable, "-c", ask], capture_output=True, text=True).stdout

        self.assertEqual(apart(look), "(256, 256)\n")

    def test_does_not_try_to_raise_a_limit(self):
        def look():
            resource.setrlimit(resource.RLIMIT_NOFILE, (128, 128))
            return [build()["limits"]["state"], resource.getrlimit(resource.RLIMIT_NOFILE)]

        self.assertEqual(apart(look), ["holds", [128, 128]])

    def test_filters_system_calls_of_itself_and_its_children(self):
        if platform.machine() not in _GETPPID:
            self.skipTest("no number for this machine")
        ask = "import os; print(os.getppid())"

        def look():
            state = build()["systemCalls"]["state"]
            return [state, os.getppid(), subprocess.run([sys.executable, "-c", ask], capture_output=True, text=True).stdout]

        # The C library expects no error of this call, and returns it as it is.
        self.assertEqual(apart(look), ["holds", -errno.ENOTTY, "%d\n" % -errno.ENOTTY])

    def test_reports_a_machine_without_a_filter(self):
        found = self.state("systemCalls", filters={"other": ""})
        self.assertEqual(found, {"state": "missing", "detail": "no filter for " + platform.machine()})

    def test_reports_a_filter_that_the_kernel_refuses(self):
        found = self.state("systemCalls", filters={platform.machine(): base64.b64encode(b"\0" * 8).decode()})
        self.assertEqual(found["state"], "missing")

    def test_gives_up_capabilities_and_new_privileges(self):
        def look():
            build()
            return [name for name in privileges.held() if name != "root"]

        self.assertEqual(apart(look), [])

    def test_denies_writes_outside_of_its_folders(self):
        if not landlock.can_restrict_files():
            self.skipTest("the kernel has no Landlock")
        # Every user may write there, and it is not below /tmp.
        outside = self.folder("/var/tmp") + "/file"

        def look():
            open(outside, "w").close()
            build()
            return error_of(lambda: open(outside, "w").close())

        self.assertEqual(apart(look), errno.EACCES)


class EnvironmentTest(AgentTest):
    ADDED = {
        "KUBERNETES_SERVICE_HOST": "10.0.0.1",
        "KUBERNETES_PORT": "tcp://10.0.0.1:443",
        "REDIS_SERVICE_PORT_HTTP": "80",
        "REDIS_PORT": "tcp://10.0.0.2:6379",
        "REDIS_PORT_6379_TCP_ADDR": "10.0.0.2",
    }
    KEPT = {"PATH": "/usr/bin", "DISPLAY_PORT": "7", "SERVICE": "x"}

    def test_removes_what_a_cluster_adds_and_nothing_else(self):
        ask = """
import json, os, sys
sys.path.insert(0, sys.argv[1])
from hothouse_agent import walls
walls._clean_environment()
print(json.dumps([sorted(os.environ), open("/proc/self/environ").read()]))"""
        agent = os.path.join(os.path.dirname(__file__), "../../images/agent")
        done = subprocess.run(
            [sys.executable, "-I", "-B", "-c", ask, agent],
            env={**self.ADDED, **self.KEPT},
            capture_output=True,
            text=True,
            check=True,
        )
        for name in self.ADDED:
            self.assertNotIn(name, done.stdout)
        for name, value in self.KEPT.items():
            self.assertIn("%s=%s" % (name, value), done.stdout)


class FindTest(AgentTest):
    def restricted(self, paths, version, read_only=True):
        with mock.patch.object(writable, "paths", return_value=paths), mock.patch.object(
            landlock, "version", return_value=version
        ), mock.patch.object(landlock, "restrict"), mock.patch.object(network, "reachable", return_value=[]):
            return walls._restrict({**PLAN, "readOnlyRoot": read_only})

    def test_reports_files_of_the_host_that_stay_open(self):
        path = self.folder() + "/file"
        open(path, "w").close()
        missing = {"state": "missing", "detail": path}
        self.assertEqual(self.restricted([path], 0)["hostFiles"], missing)
        self.assertEqual(self.restricted([path], 7)["hostFiles"]["state"], "holds")
        self.assertEqual(self.restricted([path], 7, read_only=False)["hostFiles"], missing)

    def test_reports_a_socket_of_the_host_which_nothing_closes(self):
        import socket

        path = self.folder() + "/socket"
        with socket.socket(socket.AF_UNIX) as server:
            server.bind(path)
            self.assertEqual(self.restricted([path], 7)["hostFiles"], {"state": "missing", "detail": path})

    def test_reports_a_network_that_cannot_be_looked_at(self):
        with mock.patch.object(network, "_INTERFACES", "/nonexistent"):
            self.assertEqual(walls._attempt(walls._check_network, PLAN)["state"], "missing")

    def test_keeps_a_report_printable_and_short(self):
        detail = walls._missing("\x1b[31m" + "x" * 1000)["detail"]
        self.assertEqual((detail[:5], len(detail)), ("\\x1b[", 200))


class LimitTest(AgentTest):
    def check(self, text, most):
        path = self.folder() + "/limit"
        with open(path, "w", encoding="ascii") as file:
            file.write(text)
        return walls._check_limit(("/nonexistent", path), most)["state"]

    def test_compares_the_limit_of_the_cgroup(self):
        self.assertEqual(self.check("1024\n", 1024), "holds")
        self.assertEqual(self.check("1025\n", 1024), "missing")
        self.assertEqual(self.check("max\n", 1024), "missing")
        self.assertIsNone(walls._check_limit(("/nonexistent",), 1))

    def test_the_agent_limits_memory_where_no_cgroup_does(self):
        with mock.patch.object(walls, "_MEMORY_LIMITS", ("/nonexistent",)), mock.patch.object(walls, "watched_memory", None):
            self.assertEqual(walls._check_memory(1 << 20)["state"], "holds")
            self.assertEqual(walls.watched_memory, 1 << 20)

    def test_a_limit_of_processes_holds_only_where_the_kernel_refuses_one_more(self):
        def as_ordinary_user():
            if os.getuid() == 0:
                os.setuid(1 << 20)
            return walls._is_fork_limited()

        self.assertEqual(apart(walls._is_fork_limited), os.getuid() != 0)
        self.assertTrue(apart(as_ordinary_user))


class TcpTest(AgentTest):
    def denied(self, ways, allowed):
        with mock.patch.object(network, "reachable", return_value=ways), mock.patch.object(landlock, "restrict") as restrict:
            walls._restrict_writes({**PLAN, "network": allowed})
        return restrict.call_args.args[2]

    def test_is_denied_only_where_a_network_is_that_should_not_be(self):
        self.assertEqual(self.denied(["eth0"], "none"), True)
        self.assertEqual(self.denied(["eth0"], "proxy"), True)
        self.assertEqual(self.denied(["eth0"], "full"), False)
        self.assertEqual(self.denied([], "none"), False)
