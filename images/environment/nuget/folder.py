"""A folder with the assemblies of packages, as a program has them beside it, and a list of the packages."""

import os
import platform
import re
import shutil

from frameworks import nearest
from package import Failed, opened
from versions import Version

# Where an environment's packages are; the driver of C# looks there, too.
OF_IMAGE = "/usr/local/lib/nuget"
_ARCHITECTURES = {"x86_64": "x64", "aarch64": "arm64"}
_PLATFORMS = ["unix", "linux", "linux-" + _ARCHITECTURES.get(platform.machine(), platform.machine())]
# Documentation and symbols.
_LEFT_OUT = (".xml", ".pdb", ".mdb")


def read_list(folder):
    """Names and versions of the packages in a folder."""
    try:
        with open(os.path.join(folder, "list"), encoding="utf-8") as lines:
            pairs = [line.strip().partition("@") for line in lines]
    except FileNotFoundError:
        return []
    return [(name, Version(version)) for name, _, version in pairs if name]


def write_list(folder, packages):
    """`packages` has names and versions."""
    with open(os.path.join(folder, "list"), "w", encoding="utf-8") as file:
        file.writelines("%s@%s\n" % item for item in packages)


def unpack(package, archive, folder):
    """Copies what Mono uses of a package to `lib` of a folder. Raises `Failed` where the package has nothing for Mono."""
    target = os.path.join(folder, "lib")
    os.makedirs(target, exist_ok=True)
    with opened(archive, package) as source:
        for entry, path in _chosen(package, source.namelist()).items():
            place = os.path.join(target, path)
            os.makedirs(os.path.dirname(place), exist_ok=True)
            # No more than the size that the entry declares; a link is copied as a file with its target's name.
            with source.open(entry) as content, open(place, "wb") as file:
                shutil.copyfileobj(content, file)


def unpacked_size(package, archive):
    """Bytes of what `unpack` copies."""
    with opened(archive, package) as source:
        return sum(source.getinfo(entry).file_size for entry in _chosen(package, source.namelist()))


def _chosen(package, names):
    """Path in the archive -> path in `lib`."""
    names = [name for name in names if not name.endswith("/")]
    by_framework = _by_framework(names, "lib/")
    framework = nearest(by_framework)
    own = [_by_framework(names, "runtimes/%s/lib/" % one) for one in _PLATFORMS]
    if by_framework and framework is None and not any(nearest(one) is not None for one in own):
        has = ", ".join(sorted(by_framework))
        raise Failed("Package %s is not compatible with Mono, which runs assemblies for .NET Framework up to 4.8 and .NET Standard up to 2.0. It supports %s." % (package, has))
    chosen = {path: name for path, name in by_framework.get(framework, [])}
    for folders in own:
        chosen.update(folders.get(nearest(folders), []))
    for one in _PLATFORMS:
        start = "runtimes/%s/native/" % one
        chosen.update((name[len(start) :], name) for name in names if name.startswith(start))
    for path, name in chosen.items():
        # An empty part makes the rest of a path absolute.
        if {"", ".", ".."} & set(path.split("/")) or "\\" in path:
            raise Failed("The archive of %s has a file with a name that leads elsewhere: %r." % (package, name[:200]))
    return {name: path for path, name in chosen.items() if path != "_._" and not path.lower().endswith(_LEFT_OUT)}


def _by_framework(names, start):
    """Framework -> pairs of a path below its folder and the path in the archive; files of no framework have an empty one."""
    found = {}
    for name in names:
        match = re.fullmatch(re.escape(start) + "(?:([^/]+)/)?(.+)", name, re.IGNORECASE)
        if match:
            found.setdefault(match[1] or "", []).append((match[2], name))
    return found
