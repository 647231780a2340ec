import socket
from unittest import mock

from support import AgentTest

from hothouse_agent import network

TABLE = b"Inter-|   Receive\n face |bytes\n    lo: 1 2\n%s"
UP, LOOPBACK = 0x1, 0x8


class NetworkTest(AgentTest):
    def table(self, rows):
        path = self.folder() + "/dev"
        with open(path, "wb") as file:
            file.write(TABLE % rows)
        return mock.patch.object(network, "_INTERFACES", path)

    def ways(self, rows, flags, routes=False):
        known = {"lo": UP | LOOPBACK, **flags}
        with self.table(rows), mock.patch.object(network, "_flags", known.get), mock.patch.object(
            network, "_has_route", lambda *_: routes
        ):
            return network.reachable()

    def test_finds_nothing_beside_the_loopback(self):
        self.assertEqual(self.ways(b"", {}), [])

    def test_finds_an_interface_that_is_up(self):
        self.assertEqual(self.ways(b"  eth0: 3 4\n", {"eth0": UP}), ["eth0"])

    def test_does_not_count_an_interface_that_is_down_as_a_way_out(self):
        self.assertEqual(self.ways(b" tunl0: 0 0\n", {"tunl0": 0}), [])

    def test_finds_a_route(self):
        self.assertEqual(self.ways(b"", {}, routes=True), ["a route"])

    def test_counts_an_interface_whose_state_is_unknown(self):
        with self.table(b"eth0: 1\n"), mock.patch.object(socket, "socket", side_effect=PermissionError):
            self.assertEqual(network.reachable(), ["eth0"])

    def test_raises_where_the_kernel_does_not_report_interfaces(self):
        with mock.patch.object(network, "_INTERFACES", "/nonexistent"):
            self.assertRaises(OSError, network.reachable)

    def test_asks_the_kernel_for_flags(self):
        self.assertEqual(network._flags("lo") & LOOPBACK, LOOPBACK)
        self.assertEqual(network._flags("none-such"), UP)
