"""Digests of Debian packages in a lock, which has lines of `name=version sha256:digest`.

    digests.py check LOCK        ends with an error when a downloaded package is not the one of the lock
    digests.py add LIST          prints the list, `name=version` a line, with the digest of each downloaded package
"""

import glob
import hashlib
import os
import sys

ARCHIVES = "/cache/apt/archives"


def entries(path):
    """Entries and digests of a list; an entry of an old lock has no digest."""
    with open(path, encoding="utf-8") as lines:
        for line in filter(None, map(str.strip, lines)):
            entry, _, digest = line.partition(" sha256:")
            yield entry, digest


def digest_of(entry):
    """None for a package that was not downloaded: the image has it."""
    name, _, version = entry.partition("=")
    name, _, architecture = name.partition(":")
    # As apt-get names its files.
    start = os.path.join(ARCHIVES, "%s_%s_" % (name, version.replace(":", "%3a")))
    found = glob.glob(glob.escape(start) + (architecture or "*") + ".deb")
    if not found:
        return None
    with open(max(found, key=os.path.getmtime), "rb") as file:
        return hashlib.sha256(file.read()).hexdigest()


def check(path):
    for entry, wanted in entries(path):
        has = digest_of(entry)
        if wanted and has not in (None, wanted):
            sys.exit(f"E: {entry} has the digest sha256:{has}; the lock has sha256:{wanted}. Nothing was installed.")


def add(path):
    for entry, _ in entries(path):
        digest = digest_of(entry)
        print(f"{entry} sha256:{digest}" if digest else entry)


{"check": check, "add": add}[sys.argv[1]](sys.argv[2])
