"""The packages that were installed into this session: the engine puts them in folders of /packages, which only root writes."""

import importlib
import os
import site
import sys

_ROOT = "/packages"
# One file for each folder that is complete.
_INDEX = _ROOT + "/index"
_known = set()


def refresh():
    """Before a cell: makes new packages importable, the latest first, before those of the image."""
    if not os.access(_INDEX, os.F_OK):
        return
    # Not the folder's time, which Docker sets in whole seconds.
    added = set(os.listdir(_INDEX)) - _known
    if not added:
        return
    for name in sorted(added, key=_number):
        _known.add(name)
        _add(os.path.join(_ROOT, name))
    importlib.invalidate_caches()


def _number(name):
    return int(name) if name.isdigit() else 0


def _add(folder):
    library, programs = os.path.join(folder, "lib"), os.path.join(folder, "bin")
    at = next((place for place, path in enumerate(sys.path) if _is_site(path)), len(sys.path))
    sys.path.insert(at, library)
    # Reads its .pth files; the folder itself is there already.
    site.addsitedir(library)
    # For programs that cells start.
    os.environ["PATH"] = programs + os.pathsep + os.environ.get("PATH", "")
    others = os.environ.get("PYTHONPATH")
    os.environ["PYTHONPATH"] = library + (os.pathsep + others if others else "")


def _is_site(path):
    return path.startswith(_ROOT) or path.endswith(("/site-packages", "/dist-packages"))
