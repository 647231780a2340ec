"""
The sockets of a sandbox, and what outlives its processes in the network namespace: sockets in flight over others, which
the kernel collects some time later; connections in TIME_WAIT, which keep their ports for a minute; flow labels of IPv6.
And unread data, which takes memory of the host.
"""

import re
import socket

from . import kernel

_SOCKSTAT = "/proc/net/sockstat"
# Without the orphans, which are counted for the whole machine; those of this sandbox are among its sockets.
_USED = re.compile(rb"sockets: used (\d+)\nTCP: inuse (\d+) orphan \d+ tw (\d+) ")
_TABLES = ("tcp", "tcp6", "udp", "udp6")
# More than honest code opens. The kernel has one table for the whole machine.
_MAX_SOCKETS = 2048
# Bytes that were sent and not read.
_MAX_QUEUED = 64 << 20


class Counter:
    """Counts this sandbox's sockets, whichever process has them."""

    def __init__(self):
        self._sockets = kernel.Table(_SOCKSTAT)
        self._labels = kernel.Table("/proc/net/ip6_flowlabel")

    def used(self):
        """The counts by name; None where the kernel does not report them."""
        found = _USED.match(self._sockets.read())
        if found is None:
            return None
        used, tcp, waiting = map(int, found.groups())
        # The first line is the header.
        labels = max(0, self._labels.read().count(b"\n") - 1)
        return {"sockets": used, "tcp": tcp, "waiting": waiting, "labels": labels}


def excess():
    """The limit on sockets that this sandbox exceeds, as a phrase; None while it keeps within them."""
    counts = {**_counts(_SOCKSTAT), **_counts("/proc/net/sockstat6")}
    if counts.get(b"sockets", {}).get(b"used", 0) > _MAX_SOCKETS:
        return "its code has more than %d sockets" % _MAX_SOCKETS
    # Only where there are any: reading an empty table takes milliseconds, because the kernel walks every namespace.
    tables = [name for name in _TABLES if counts.get(name.upper().encode(), {}).get(b"inuse", 0)]
    if sum(map(_queued, tables)) > _MAX_QUEUED:
        return "its code has sent more than %d MB that nobody reads" % (_MAX_QUEUED >> 20)
    return None


def _counts(path):
    """Kind of socket -> name of a count -> count; empty where the kernel does not report them."""
    counts = {}
    for line in _read(path).split(b"\n"):
        kind, _, rest = line.partition(b": ")
        fields = rest.split()
        counts[kind] = dict(zip(fields[::2], map(int, fields[1::2])))
    return counts


def _queued(name):
    """Unread bytes in a table of sockets."""
    rows = (line.split() for line in _read("/proc/net/" + name).split(b"\n")[1:])
    # The fifth field: bytes in the queues for sending and receiving.
    return sum(int(queue, 16) for row in rows if len(row) > 4 for queue in row[4].split(b":"))


def _read(path):
    try:
        with open(path, "rb", buffering=0) as table:
            return table.readall()
    except OSError:
        return b""


def trigger_collection():
    """Makes the kernel collect sockets that no process can reach: it starts that when a local socket is closed."""
    for end in socket.socketpair():
        end.close()
