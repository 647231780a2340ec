"""
The drivers of interpreters other than Python's: each is a folder of `images/agent/drivers` with a `driver.py`, and boot.py
makes it a package in `hothouse_drivers`.
"""

import importlib
import os

# Name of a driver -> name of a file -> its text; boot.py fills it.
files = {}


def has_programs(names):
    """Whether every program is on the path."""
    folders = os.environ.get("PATH", os.defpath).split(os.pathsep)
    return all(any(_is_program(os.path.join(folder, name)) for folder in folders) for name in names)


def _is_program(path):
    return os.path.isfile(path) and os.access(path, os.X_OK)


def load(name):
    """The module of a driver. Processes that are forked after this share what it has compiled and imported, and start at once."""
    return importlib.import_module("hothouse_drivers.%s.driver" % name)


def serve(name, requests, events, answers, limits):
    """
    Becomes the driver: calls `serve(requests, events, answers, limits, files)` of its `driver.py` with the descriptors
    of its pipes, the run's limits and its own files. Never returns.
    """
    load(name).serve(requests, events, answers, limits, files[name])
    os._exit(0)
