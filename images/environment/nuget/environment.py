"""Resolves and installs packages of NuGet for an environment, and writes what it has installed, with digests, to a lock.

    environment.py LIST LOCK [GIVEN_LOCK]

LIST has one `name@versions` a line, a lock `name@version sha512:digest`. A package with another digest than that of the given
lock is not installed.
"""

import os
import subprocess
import sys

from feed import Feed
from folder import OF_IMAGE, read_list, unpack, unpacked_size, write_list
from package import Failed, checked_name, digest_of, reported
from resolver import resolve
from versions import Range, Version

MACHINE = "/machine/"
CACHE = "/cache/nuget"


def lines_of(path):
    with open(path, encoding="utf-8") as lines:
        return [line.strip() for line in lines if line.strip()]


def index():
    return "".join(lines_of(MACHINE + "nuget.index"))


def certificates():
    path = MACHINE + "ca-certificates.crt"
    return path if os.path.exists(path) and os.path.getsize(path) > 0 else None


def wanted_of(entries):
    return [(name, Range(versions)) for name, _, versions in (entry.partition("@") for entry in entries)]


def locked(feed, lock):
    """The packages of a lock, when all of them are what it says."""
    found = []
    for line in lines_of(lock):
        entry, _, digest = line.partition(" sha512:")
        name, _, version = entry.partition("@")
        name = checked_name(name)
        has = digest_of(feed.archive(name, Version(version)))
        if has != digest:
            raise Failed("%s is not the package of the lock: it has the digest sha512:%s. Nothing was installed." % (entry, has))
        found.append(feed.package(name, Version(version)))
    return found


def require_space(needed):
    done = subprocess.run([sys.executable, "-I", MACHINE + "space.py", str(needed)])
    if done.returncode != 0:
        sys.exit(done.returncode)


def main(listed, lock, given=None):
    feed = Feed(index(), CACHE, certificates(), lines_of(MACHINE + "trusted-hosts"))
    known = read_list(OF_IMAGE)
    packages = locked(feed, given) if given else resolve(feed, wanted_of(lines_of(listed)), known)
    require_space(sum(unpacked_size(package, feed.archive(package.name, package.version)) for package in packages))
    os.makedirs(os.path.dirname(lock), exist_ok=True)
    os.makedirs(OF_IMAGE, exist_ok=True)
    with open(lock, "w", encoding="utf-8") as file:
        for package in packages:
            archive = feed.archive(package.name, package.version)
            unpack(package, archive, OF_IMAGE)
            file.write("%s@%s sha512:%s\n" % (package.name, package.version, digest_of(archive)))
            print("Installed %s" % package, flush=True)
    installed = {name.lower(): (name, version) for name, version in known}
    installed.update((package.name.lower(), (package.name, package.version)) for package in packages)
    write_list(OF_IMAGE, installed.values())


reported(lambda: main(*sys.argv[1:]))
