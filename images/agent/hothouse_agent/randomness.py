"""
Different random numbers for every run. Python's own generator reseeds itself after a fork; NumPy's global one gives
every run the same numbers. Seeding it costs a tenth of a run, so it is done at its first use.
"""

import os
import sys
import types

_MODULES = ("numpy.random", "numpy.random.mtrand")


class _Unseeded(types.ModuleType):
    """A module of NumPy that seeds the global generator at the first access to any of its attributes."""

    def __getattribute__(self, name):
        if not name.startswith("__"):
            _seed()
        return types.ModuleType.__getattribute__(self, name)


def _seed():
    for name in _MODULES:
        sys.modules[name].__class__ = types.ModuleType
    sys.modules["numpy.random"].seed(list(os.urandom(16)))


def install():
    if all(name in sys.modules for name in _MODULES):
        for name in _MODULES:
            sys.modules[name].__class__ = _Unseeded
