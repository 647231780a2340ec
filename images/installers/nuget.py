"""
Installs packages of NuGet for a session, in a container that has a network and nothing of the user's. No code of them runs.

Reads a request as JSON from stdin, writes what it does to stderr, and in the end a summary as JSON to stdout. The assemblies
are then in `out/lib` of the working folder, names and versions of their packages in `out/list`.
"""

import json
import os
import shutil
import sys

from disk import CACHE, hold_cache, require_room, trim_cache
from feed import Feed
from folder import OF_IMAGE, read_list, unpack, unpacked_size, write_list
from package import Failed, read_archive, reported
from resolver import resolve
from versions import Range, Version

WORK = "/installer/data"
OUT = os.path.join(WORK, "out")


def feed_of(request, archives):
    os.environ.update(request["proxies"])
    cache = CACHE if request["cache"] else os.path.join(WORK, "cache")
    path = None
    if request["certificates"]:
        path = os.path.join(WORK, "certificates.pem")
        with open(path, "w", encoding="utf-8") as file:
            file.write(request["certificates"])
    return Feed(request["nugetIndex"], os.path.join(cache, "nuget"), path, request["trustedHosts"], archives)


def wanted_of(request, archives):
    for entry in request["packages"]:
        name, _, versions = entry.partition("@")
        yield name, Range(versions)
    for path in archives:
        package = read_archive(path)
        yield package.name, Range("[%s]" % package.version)


def install(request):
    """What was added."""
    archives = [os.path.join("/workspace", name) for name in request["files"]]
    of_image = read_list(OF_IMAGE)
    earlier = [(name, Version(version)) for name, version in request["installed"]]
    known = {name.lower(): (name, version) for name, version in [*of_image, *earlier]}
    feed = feed_of(request, archives)
    packages = resolve(feed, list(wanted_of(request, archives)), known.values(), request["upgrade"])
    needed = sum(unpacked_size(package, feed.archive(package.name, package.version)) for package in packages)
    if needed > request["maxBytes"]:
        raise Failed("The packages have %d MB, and a session takes %d MB (packages.maxMb)." % (needed >> 20, request["maxBytes"] >> 20))
    os.makedirs(OUT)
    added = []
    for package in packages:
        unpack(package, feed.archive(package.name, package.version), OUT)
        _, before = known.get(package.name.lower(), ("", None))
        added.append({"name": package.name, "version": str(package.version), "replaced": before and str(before)})
        print("Installed %s" % package, file=sys.stderr)
    if not packages:
        print("The session has all of them already.", file=sys.stderr)
    write_list(OUT, [(package.name, package.version) for package in packages])
    require_room(OUT)
    return added


def empty_cache():
    if hold_cache("nuget", wait=False):
        shutil.rmtree(os.path.join(CACHE, "nuget"), ignore_errors=True)


def main():
    request = json.load(sys.stdin)
    lock = hold_cache("nuget", wait=True) if request["cache"] else None
    added = reported(lambda: install(request))
    json.dump({"added": added}, sys.stdout)
    sys.stdout.flush()
    if lock:
        lock.close()
        trim_cache("nuget", request["cacheBytes"], empty_cache)
    return 0


if __name__ == "__main__":
    sys.exit(main())
