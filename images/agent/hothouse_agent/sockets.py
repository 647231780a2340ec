"""
The sockets of a sandbox, and what outlives its processes in the network namespace: sockets that were sent over others,
which nobody will read and the kernel collects behind our back; connections that wait to be forgotten, which keep their
ports for a minute; flow labels of IPv6. And data on its way, which is memory of the host.
"""

import socket

_LABELS = "/proc/net/ip6_flowlabel"
_TABLES = ("tcp", "tcp6", "udp", "udp6")
# More than honest code has. The kernel has so many for the whole machine.
_MAX_SOCKETS = 2048
# Data that was sent and not read.
_MAX_QUEUED = 64 << 20


def used():
    """Counts of this sandbox's sockets, whoever has them, or None where the kernel does not tell."""
    counts = _counts("/proc/net/sockstat")
    try:
        # Not the orphans, which are counted for the whole machine; those of this sandbox are among its sockets.
        tcp = counts[b"TCP"]
        return {"sockets": counts[b"sockets"][b"used"], "tcp": tcp[b"inuse"], "waiting": tcp[b"tw"], "labels": _labels()}
    except KeyError:
        return None


def excess():
    """What is too much about this sandbox's sockets, in words; None while nothing is."""
    counts = {**_counts("/proc/net/sockstat"), **_counts("/proc/net/sockstat6")}
    if counts.get(b"sockets", {}).get(b"used", 0) > _MAX_SOCKETS:
        return "its code has more than %d sockets" % _MAX_SOCKETS
    # Only where there are any: to read an empty table takes milliseconds, for the kernel goes through those of all.
    tables = [name for name in _TABLES if counts.get(name.upper().encode(), {}).get(b"inuse", 0)]
    if sum(map(_queued, tables)) > _MAX_QUEUED:
        return "its code has sent more than %d MB that nobody reads" % (_MAX_QUEUED >> 20)
    return None


def _counts(path):
    """Kind of socket -> name of a count -> count; empty where the kernel does not tell."""
    counts = {}
    for line in _read(path).split(b"\n"):
        kind, _, rest = line.partition(b": ")
        words = rest.split()
        counts[kind] = dict(zip(words[::2], map(int, words[1::2])))
    return counts


def _queued(name):
    """Bytes under way by a table of sockets."""
    rows = (line.split() for line in _read("/proc/net/" + name).split(b"\n")[1:])
    # The fifth field: sent and not taken, come and not read.
    return sum(int(queue, 16) for row in rows if len(row) > 4 for queue in row[4].split(b":"))


def _labels():
    # The first line is the table's head.
    return max(0, len(_read(_LABELS).splitlines()) - 1)


def _read(path):
    try:
        with open(path, "rb", buffering=0) as table:
            return table.readall()
    except OSError:
        return b""


def collect():
    """Has the kernel look for sockets in nobody's hands: it does when a local one is closed. They go a little later."""
    for end in socket.socketpair():
        end.close()
