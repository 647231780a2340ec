"""
Builds the environment without a container engine: a virtual environment with the packages of requirements.txt.
Arguments: an empty folder for it, and the path by which sandboxes see that folder.
"""

import os
import pathlib
import shutil
import subprocess
import sys
import venv

_LOCK = pathlib.Path(__file__).with_name("requirements.txt")
# Nothing of a package runs outside of a sandbox.
_WHEELS = ["install", "--only-binary", ":all:", "--require-hashes", "-r", str(_LOCK)]


def _install(python):
    # pip comes first: it reads the settings of this machine. It can be another Python's.
    for pip in ([sys.executable, "-m", "pip"], ["pip3"]):
        if shutil.which(pip[0]) and subprocess.run([*pip, "--version"], capture_output=True).returncode == 0:
            return subprocess.run([*pip, "--python", python, *_WHEELS, "--no-warn-script-location"])
    if shutil.which("uv"):
        return subprocess.run(["uv", "pip", *_WHEELS, "--python", python, "--link-mode", "copy"])
    sys.exit("Neither pip nor uv is on the path. Install one of them, for example the package python3-pip.")


def _relocate(folder, seen_at):
    """Scripts name the interpreter by its path here."""
    for script in (folder / "bin").iterdir():
        with open(script, "rb") as file:
            text = file.read()
        head = b"#!%s/bin/" % os.fsencode(folder)
        if not script.is_symlink() and text.startswith(head):
            script.write_bytes(text.replace(head, b"#!%s/bin/" % os.fsencode(seen_at), 1))


def main():
    folder, seen_at = pathlib.Path(sys.argv[1]), sys.argv[2]
    venv.EnvBuilder(symlinks=True).create(folder)
    installed = _install(str(folder / "bin" / "python3"))
    if installed.returncode != 0:
        sys.exit(installed.returncode)
    _relocate(folder, seen_at)


main()
