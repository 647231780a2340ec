"""Ends with an error before anything is installed that does not fit on the disk of the build.

    space.py apt LIST        what apt-get would download and unpack
    space.py BYTES           a number that is known already
"""

import os
import re
import subprocess
import sys

# For lists of packages, caches and what else a step writes.
RESERVE = 256 << 20
# Of Docker, or of the environment on a host without a container engine.
ROOT = os.environ.get("HOTHOUSE_ROOT", "/")
# A full disk; `host/docker` looks for the system's text.
STATUS = 28


def apt(*arguments, names=()):
    done = subprocess.run(["apt-get", "install", "--yes", "--no-install-recommends", *arguments, "--", *names],
                          capture_output=True, text=True)  # fmt: skip
    return done.stdout if done.returncode == 0 else ""


def needed_by_apt(names):
    """Bytes of archives and of what they unpack to; 0 when apt-get cannot resolve the names, which it says itself."""
    archives = re.findall(r"^'\S+' \S+ (\d+) ", apt("--print-uris", "-qq", names=names), re.MULTILINE)
    added = re.findall(r"^Inst (\S+) (?:\[\S+\] )?\((\S+)", apt("--simulate", names=names), re.MULTILINE)
    if not added:
        return 0
    exact = [f"{name}={version}" for name, version in added]
    shown = subprocess.run(["apt-cache", "show", "--no-all-versions", *exact], capture_output=True, text=True).stdout
    unpacked = re.findall(r"^Installed-Size: (\d+)", shown, re.MULTILINE)
    return sum(map(int, archives)) + 1024 * sum(map(int, unpacked))


def free():
    disk = os.statvfs(ROOT)
    return disk.f_bavail * disk.f_frsize


def main(what, source=None):
    if what == "apt":
        with open(source, encoding="utf-8") as names:
            needed = needed_by_apt(names.read().split())
    else:
        needed = int(what)
    has = free()
    if needed + RESERVE <= has:
        return
    owner = "Docker's" if ROOT == "/" else "the"
    print(f"No space left on device: the build needs about {(needed + RESERVE) >> 20} MB of {owner} disk, "
          f"which has {has >> 20} MB. Nothing was installed.", file=sys.stderr, flush=True)  # fmt: skip
    sys.exit(STATUS)


main(*sys.argv[1:])
