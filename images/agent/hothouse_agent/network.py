"""Whether this sandbox can reach anything but itself."""

import fcntl
import socket
import struct

_INTERFACES = "/proc/net/dev"
_SIOCGIFFLAGS = 0x8913
_IFF_UP = 0x1
_IFF_LOOPBACK = 0x8
# struct ifreq: the name, and the flags in a union.
_IFREQ = struct.Struct("16sh22x")
# Addresses reserved for documentation: with a route to them there is one to everywhere.
_ELSEWHERE = ((socket.AF_INET, "192.0.2.1"), (socket.AF_INET6, "2001:db8::1"))


def reachable():
    """
    The ways out: interfaces that are up, and `a route`. Those of tunnels, which some kernels put everywhere, are down.
    Raises OSError where the kernel does not report interfaces.
    """
    found = [name for name in _interfaces() if _flags(name) & _IFF_UP]
    return found + (["a route"] if any(_has_route(*address) for address in _ELSEWHERE) else [])


def _interfaces():
    with open(_INTERFACES, "rb") as table:
        # The first two lines are headers.
        names = [line.split(b":")[0].strip().decode() for line in table.readlines()[2:]]
    return [name for name in names if not _flags(name) & _IFF_LOOPBACK]


def _flags(name):
    try:
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as asking:
            answer = fcntl.ioctl(asking, _SIOCGIFFLAGS, _IFREQ.pack(name.encode(), 0))
        return _IFREQ.unpack(answer)[1]
    except OSError:
        # An unknown interface counts as a way out.
        return _IFF_LOOPBACK if name == "lo" else _IFF_UP


def _has_route(family, address):
    try:
        with socket.socket(family, socket.SOCK_DGRAM) as asking:
            # Looks up a route; nothing is sent.
            asking.connect((address, 9))
    except OSError:
        return False
    return True
