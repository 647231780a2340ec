"""Finds the toolchain of the environment: the folder that the build names, LEAN_TOOLCHAIN_DIR, or that of elan."""

import json
import os
import pathlib
import re
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
    home = pathlib.Path.home()
    folder = pathlib.Path(os.environ.get("ELAN_HOME") or home / ".elan")
    elan = shutil.which("elan") or shutil.which("elan", path=str(folder / "bin"))
    # Not where a project says otherwise.
    lean = elan and _printed([elan, "which", "lean"], cwd=home)
    return pathlib.Path(lean).parent.parent if lean else _default_in(folder)


def _default_in(folder):
    """The default toolchain in a folder of elan, whose own program may be elsewhere; None where it is not installed."""
    try:
        settings = (folder / "settings.toml").read_text()
    except OSError:
        return None
    name = re.search(r'^default_toolchain *= *"([^"]+)"', settings, re.M)
    toolchain = name and folder / "toolchains" / name[1].replace("/", "--").replace(":", "---")
    return toolchain if toolchain and (toolchain / _PROGRAM).exists() else None


def _printed(command, **options):
    done = subprocess.run(command, capture_output=True, text=True, **options)
    return done.stdout.strip() if done.returncode == 0 else None
