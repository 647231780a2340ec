"""
The drivers of interpreters other than Python's: each is a folder of `images/agent/drivers` with a `driver.py`, and boot.py
makes it a package in `hothouse_drivers`.
"""

import importlib
import os
import shutil

# Name of a driver -> name of a file -> its text; boot.py fills it.
files = {}


def has_programs(names):
    """Whether every program is on the path."""
    return all(shutil.which(name) for name in names)


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
