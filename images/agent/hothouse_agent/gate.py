"""Keeps the permanent processes from importing modules that a run may have planted."""

import contextlib
import sys


class _Gate:
    """The first finder of modules on the path."""

    def __init__(self):
        self.closed = False

    def find_spec(self, name, path=None, target=None):
        if self.closed:
            raise ImportError("the agent may not import now: " + name)
        return None


_gate = _Gate()


def close():
    """Refuses every import of a new module in this process."""
    if _gate not in sys.meta_path:
        sys.meta_path.insert(0, _gate)
    _gate.closed = True


def remove():
    """For a process that will execute user code, which may import anything."""
    sys.meta_path.remove(_gate)


@contextlib.contextmanager
def opened():
    """Allows imports for a while."""
    _gate.closed = False
    try:
        yield
    finally:
        _gate.closed = True
