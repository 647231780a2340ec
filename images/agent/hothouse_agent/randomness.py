"""
Own random numbers for every run. Python's own generator reseeds itself after a fork; NumPy's global one would give every
run the same numbers, and seeding it costs a tenth of a run, which most runs don't need: so it is done at its first use.
"""

import os
import sys
import types

_MODULES = ("numpy.random", "numpy.random.mtrand")


class _Unseeded(types.ModuleType):
    """A module of NumPy's that seeds the global generator when anything of it is asked for."""

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
