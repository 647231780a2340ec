"""
The first exchange with the engine. It comes as early as the walls allow, before the agent loads what it serves runs with:
the engine can use the time.
"""

import json
import os
import select
import sys
import time
from importlib.machinery import PathFinder

from . import frames, walls

# How long the engine has for its first frame. Seconds.
_SILENCE = 120
# What the agent imports later: a Python without them should be found to be unusable now.
_NEEDED = ("ast", "hashlib", "inspect", "pathlib", "signal", "textwrap", "traceback", "typing")


def ready():
    """What the engine hears of this sandbox."""
    return {"version": 3, "interpreter": sys.version.split()[0], "walls": walls.report}


def exchange():
    """Reads the engine's hello from stdin, answers it on stdout and returns it. Ends this process where none comes."""
    if os.getpid() != 1:
        sys.exit("the agent must be the first process of its container")
    if sys.version_info < (3, 9):
        sys.exit("this is Python %s" % sys.version.split()[0])
    missing = [name for name in _NEEDED if PathFinder.find_spec(name) is None]
    if missing:
        sys.exit("Python lacks modules: " + ", ".join(missing))
    try:
        hello = _read_hello()
    except frames.Closed as reason:
        leave(reason)
    answer = bytes.fromhex(hello["nonce"]) + frames.frame(frames.READY, 0, frames.encoded(ready()))
    while answer:
        answer = answer[os.write(1, answer) :]
    return hello


def leave(reason):
    """Ends the agent, which cannot or need not serve any more."""
    # The engine reads this sentence when the reason is what the code took.
    os.write(2, ("the agent leaves: %s\n" % reason).encode())
    os._exit(0)


def _read_hello():
    late = time.monotonic() + _SILENCE
    kind, _, size = frames.HEADER.unpack(_read(frames.HEADER.size, late))
    if kind != frames.HELLO or size > frames.MAX_CONTROL_BYTES:
        raise frames.Closed("the first frame is not a hello")
    payload = _read(size + 1, late)
    if payload[size] != frames.END:
        raise frames.Closed("a frame has no end")
    return json.loads(payload[:size])


def _read(count, late):
    """That many bytes of stdin, and no more: others read what follows."""
    poll = select.poll()
    poll.register(0, select.POLLIN)
    data = b""
    while len(data) < count:
        if not poll.poll(1000 * max(0, late - time.monotonic())):
            raise frames.Closed("no frame came for %d s" % _SILENCE)
        part = os.read(0, count - len(data))
        if not part:
            raise frames.Closed("the engine has gone")
        data += part
    return data
