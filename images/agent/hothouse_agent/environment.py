"""The environment variables and working folders of runs, as the container got them, and of the permanent processes."""

import contextlib
import os

WORKSPACE = "/workspace"
# Every place that a run can write to; see the container spec.
_WRITABLE = (WORKSPACE, "/tmp", "/dev/shm")
# No run can create it: the root folder belongs to another user.
_NOWHERE = "/nonexistent"
_RUN_VARIABLES = dict(os.environ)
# By these, libraries find their own folders when they are imported.
_FOLDERS = ("HOME", "TMPDIR", "MPLCONFIGDIR", "IPYTHONDIR", "XDG_CACHE_HOME", "XDG_CONFIG_HOME")


def _is_writable(value):
    return any(part == place or part.startswith(place + "/") for part in value.split(":") for place in _WRITABLE)


def enter_agent():
    """For a permanent process: neither its folder nor its variables lead to a place that a run can write to."""
    os.chdir("/")
    _hide_run_variables()


def _hide_run_variables():
    for name, value in _RUN_VARIABLES.items():
        if _is_writable(value):
            os.environ[name] = _NOWHERE
    for name in _FOLDERS:
        os.environ[name] = _NOWHERE


def _restore_run_variables():
    for name in _FOLDERS:
        os.environ.pop(name, None)
    os.environ.update(_RUN_VARIABLES)


def enter_run():
    """For a process that will execute user code."""
    _restore_run_variables()
    os.chdir(WORKSPACE)


@contextlib.contextmanager
def importing():
    """
    During an import: the variables of runs, because libraries remember the folders that they find by them. Only while
    those folders are empty; they must be emptied again before a run starts.
    """
    _restore_run_variables()
    try:
        yield
    finally:
        _hide_run_variables()


def run_variable(name):
    """The value of a variable in runs; None where it is not set."""
    return _RUN_VARIABLES.get(name)
