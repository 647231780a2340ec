"""Finds the toolchain of the environment: the folder that the build names, LEAN_TOOLCHAIN_DIR, or that of elan."""

import json
import os
import pathlib
import shutil
import subprocess
import sys

_PROGRAM = pathlib.Path("bin", "lean")


def find():
    """The folder with bin/lean. Exits with a sentence where there is none."""
    named = json.loads(os.environ["HOTHOUSE_FOLDERS"]).get("toolchain") or os.environ.get("LEAN_TOOLCHAIN_DIR")
    folder = pathlib.Path(named) if named else _of_elan()
    if folder is None:
        sys.exit(
            "There is no Lean here. Install elan and run `elan default stable`, "
            "or name a toolchain (the folder with bin/lean) with --toolchain or LEAN_TOOLCHAIN_DIR."
        )
    if not os.access(folder / _PROGRAM, os.X_OK):
        sys.exit("%s is no toolchain of Lean: it has no %s." % (folder, _PROGRAM))
    return folder.resolve()


def version(folder):
    return _printed([folder / _PROGRAM, "--version"]) or "unknown"


def _of_elan():
    home = os.path.expanduser("~")
    elan = shutil.which("elan") or shutil.which("elan", path=os.path.join(home, ".elan", "bin"))
    # Not where a project says otherwise.
    lean = elan and _printed([elan, "which", "lean"], cwd=home)
    return pathlib.Path(lean).parent.parent if lean else None


def _printed(command, **options):
    done = subprocess.run(command, capture_output=True, text=True, **options)
    return done.stdout.strip() if done.returncode == 0 else None
