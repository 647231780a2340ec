"""Two sets of surroundings: what runs get, as the container was given it, and what the permanent processes live in."""

import contextlib
import os
import shutil
import tempfile

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
    for name, value in _RUNS.items():
        if _is_writable(value):
            os.environ[name] = _NOWHERE
    for name in _FOLDERS:
        os.environ[name] = _NOWHERE


def enter_run():
    """For a process that will be a run's."""
    for name in _FOLDERS:
        os.environ.pop(name, None)
    os.environ.update(_RUNS)
    # Where the zygote's preload had its temporary files.
    tempfile.tempdir = None
    os.chdir(WORKSPACE)


@contextlib.contextmanager
def importing():
    """For the time of an import: an empty folder that is removed again. Only while there is no run that could see it."""
    folder = tempfile.mkdtemp(dir="/tmp")
    before = {name: os.environ[name] for name in _FOLDERS}
    os.environ.update(dict.fromkeys(_FOLDERS, folder))
    tempfile.tempdir = None
    try:
        yield
    finally:
        os.environ.update(before)
        tempfile.tempdir = None
        shutil.rmtree(folder, ignore_errors=True)
