"""Keeps the permanent processes from importing anything while a run may have planted what is imported."""

import contextlib
import sys


class _Gate:
    """Asked before every other finder of modules."""

    def __init__(self):
        self.closed = False

    def find_spec(self, name, path=None, target=None):
        if self.closed:
            raise ImportError("the agent imports nothing now: " + name)
        return None


_gate = _Gate()


def close():
    """From now on no import of a new module succeeds in this process."""
    if _gate not in sys.meta_path:
        sys.meta_path.insert(0, _gate)
    _gate.closed = True


def remove():
    """For a process that will be a run's: it imports what it likes."""
    sys.meta_path.remove(_gate)


@contextlib.contextmanager
def opened():
    """Lets imports through for a while."""
    _gate.closed = False
    try:
        yield
    finally:
        _gate.closed = True
