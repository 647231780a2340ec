"""
Builds the environment without a container engine: a virtual environment with the packages of requirements.txt.
Arguments: an empty folder for it, and the path by which sandboxes see that folder.
"""

import os
import pathlib
import sys
import venv

sys.path.insert(0, str(pathlib.Path(__file__).parents[2] / "environment" / "local"))
from wheels import install  # noqa: E402


def _relocate(folder, seen_at):
    """Scripts name the interpreter by its path here, in their first lines."""
    here, there = os.fsencode(folder), os.fsencode(seen_at)
    for script in (folder / "bin").iterdir():
        with open(script, "rb") as file:
            text = file.read()
        if not script.is_symlink() and text.startswith(b"#!"):
            script.write_bytes(text[:1024].replace(here, there) + text[1024:])


def main():
    folder, seen_at = pathlib.Path(sys.argv[1]), sys.argv[2]
    venv.EnvBuilder(symlinks=True).create(folder)
    install(pathlib.Path(__file__).with_name("requirements.txt"), "--python", str(folder / "bin" / "python3"))
    _relocate(folder, seen_at)


main()
