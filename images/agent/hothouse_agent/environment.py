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


# Those that permanent processes do not have, with what they are in runs.
_HIDDEN = [
    *((name, _RUN_VARIABLES.get(name)) for name in _FOLDERS),
    *((name, value) for name, value in _RUN_VARIABLES.items() if name not in _FOLDERS and _is_writable(value)),
]
_HIDDEN_BYTES = [(os.fsencode(name), None if value is None else os.fsencode(value)) for name, value in _HIDDEN]


def enter_agent():
    """For a permanent process: neither its folder nor its variables lead to a place that a run can write to."""
    os.chdir("/")
    _hide_run_variables()


def _hide_run_variables():
    for name, _ in _HIDDEN:
        os.environ[name] = _NOWHERE


def _restore_run_variables():
    # The dictionary itself: each Python function that a run calls first copies some pages of memory.
    variables = os.environ._data
    for name, value in _HIDDEN_BYTES:
        if value is None:
            os.unsetenv(name)
            variables.pop(name, None)
        else:
            os.putenv(name, value)
            variables[name] = value


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
