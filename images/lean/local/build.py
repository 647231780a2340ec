"""
Builds the environment without a container engine: a toolchain of this machine. Arguments: as in ../../python/local.
"""

import os
import pathlib
import shutil
import sys

import toolchain


def _link_or_copy(source, target):
    """Files of this user on the same disk take no more space."""
    try:
        os.link(source, target)
    except OSError:
        shutil.copy2(source, target)


def main():
    if os.environ.get("MATHLIB"):
        sys.exit("Only a container engine can build the environment with Mathlib.")
    source, folder = toolchain.find(), pathlib.Path(sys.argv[1])
    shutil.copytree(source, folder, symlinks=True, copy_function=_link_or_copy, dirs_exist_ok=True)
    print("Lean:", toolchain.version(folder))


main()
