"""Two sets of surroundings: what runs get, as the container was given it, and what the permanent processes live in."""

import contextlib
import os

WORKSPACE = "/workspace"
# Every place that a run can write to; see the container spec.
_WRITABLE = (WORKSPACE, "/tmp", "/dev/shm")
# No run can make it: the root folder belongs to another user.
_NOWHERE = "/nonexistent"
_RUNS = dict(os.environ)
# Libraries that want a folder of their own when they are imported look for it by these.
_FOLDERS = ("HOME", "TMPDIR", "MPLCONFIGDIR", "IPYTHONDIR", "XDG_CACHE_HOME", "XDG_CONFIG_HOME")


def _is_writable(value):
    return any(part == place or part.startswith(place + "/") for part in value.split(":") for place in _WRITABLE)


def enter_agent():
    """For a permanent process: no folder and no variable of it leads to where a run can write."""
    os.chdir("/")
    _leave_runs_places()


def _leave_runs_places():
    for name, value in _RUNS.items():
        if _is_writable(value):
            os.environ[name] = _NOWHERE
    for name in _FOLDERS:
        os.environ[name] = _NOWHERE


def _enter_runs_places():
    for name in _FOLDERS:
        os.environ.pop(name, None)
    os.environ.update(_RUNS)


def enter_run():
    """For a process that will be a run's."""
    _enter_runs_places()
    os.chdir(WORKSPACE)


@contextlib.contextmanager
def importing():
    """
    For the time of an import: the variables of runs, since libraries remember for ever which folders they found by them.
    Only while those folders are empty, and they must be emptied again before a run comes.
    """
    _enter_runs_places()
    try:
        yield
    finally:
        _leave_runs_places()


def folder(name):
    """What a variable is for runs; None where it is not set."""
    return _RUNS.get(name)
