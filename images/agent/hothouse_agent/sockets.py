"""
What outlives its processes in the network namespace. Sockets: one that was sent over another, which nobody will read, is
in nobody's hands, and the kernel collects those behind our back; until then their names and ports are taken. Connections
that wait to be forgotten, which keep their ports for a minute. And flow labels of IPv6.
"""

import socket

_LABELS = "/proc/net/ip6_flowlabel"


def used():
    """Counts of sockets of this sandbox, whoever has them, or None where the kernel does not tell."""
    try:
        with open("/proc/net/sockstat", "rb", buffering=0) as table:
            lines = table.read(4096).split(b"\n")
    except OSError:
        return None
    counts = {}
    for line in lines:
        kind, _, rest = line.partition(b": ")
        words = rest.split()
        counts[kind] = dict(zip(words[::2], map(int, words[1::2])))
    try:
        tcp = counts[b"TCP"]
        return {"sockets": counts[b"sockets"][b"used"], "lingering": tcp[b"orphan"] + tcp[b"tw"], "labels": _labels()}
    except KeyError:
        return None


def _labels():
    try:
        with open(_LABELS, "rb", buffering=0) as table:
            # The first line is the table's head.
            return max(0, len(table.read(4096).splitlines()) - 1)
    except FileNotFoundError:
        return 0


def collect():
    """Has the kernel look for sockets in nobody's hands: it does when a local one is closed. They go a little later."""
    for end in socket.socketpair():
        end.close()
