"""The drivers of interpreters other than Python's: each is a folder of `images/agent/drivers` with a `driver.py`."""

import os
import shutil
import types

# Name of a driver -> name of a file -> its text; boot.py fills it.
files = {}


def has_programs(names):
    """Whether every program is on the path."""
    return all(shutil.which(name) for name in names)


def serve(name, requests, events, answers, limits):
    """
    Becomes the driver: calls `serve(requests, events, answers, limits, files)` of its `driver.py` with the descriptors
    of its pipes, the run's limits and its own files. Never returns.
    """
    own = files[name]
    module = types.ModuleType("hothouse_driver")
    exec(compile(own["driver.py"], "<hothouse>/drivers/%s" % name, "exec"), module.__dict__)
    module.serve(requests, events, answers, limits, own)
    os._exit(0)
