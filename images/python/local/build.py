"""
Builds the environment without a container engine: a virtual environment with the packages of requirements.txt.
Arguments: an empty folder for it, and the path by which sandboxes see that folder.
"""

import os
import pathlib
import re
import sys
import venv

sys.path.insert(0, str(pathlib.Path(__file__).parents[2] / "environment" / "local"))
from wheels import install  # noqa: E402


def _relocate(folder, seen_at):
    """Scripts name the interpreter by its path here; where that is long or has other letters, in a line for a shell."""
    here = re.escape(os.fsencode(folder / "bin"))
    header = re.compile(rb"#!%s/python\S*\n|#!/bin/sh\n'''exec' .*\n' '''\n" % here)
    for script in (folder / "bin").iterdir():
        text = b"" if script.is_symlink() else script.read_bytes()
        found = header.match(text)
        if found:
            script.write_bytes(b"#!%s/bin/python3\n" % os.fsencode(seen_at) + text[found.end() :])


def main():
    folder, seen_at = pathlib.Path(sys.argv[1]), sys.argv[2]
    venv.EnvBuilder(symlinks=True).create(folder)
    install(pathlib.Path(__file__).with_name("requirements.txt"), "--python", str(folder / "bin" / "python3"))
    _relocate(folder, seen_at)


main()
