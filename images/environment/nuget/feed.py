"""Packages of a NuGet feed, by version 3 of its protocol: lists of versions, descriptions and archives."""

import hashlib
import json
import os
import tempfile
import urllib.parse

from connection import Connection, Missing, without_password
from package import MAX_DESCRIPTION, Failed, Package, read_archive
from versions import Version

ADDRESSES = "PackageBaseAddress/3."
MAX_ARCHIVE = 1 << 30
MAX_LIST = 16 << 20
# Of one package; the longest lists of real ones have some thousands.
MAX_VERSIONS = 50_000


class Feed:
    """
    The packages at the address of a service index, and those of `archives`, which come first. What a version consists of
    never changes, so `cache` keeps descriptions and archives.
    """

    def __init__(self, index, cache, certificates=None, trusted_hosts=(), archives=()):
        self._index = index
        self._cache = os.path.join(cache, hashlib.sha256(index.encode()).hexdigest()[:16])
        self._connection = Connection(index, certificates, trusted_hosts)
        self._base = None
        self._versions = {}
        self._packages = {}
        self._archives = {}
        for path in archives:
            package = read_archive(path)
            self._packages[_key(package.name, package.version)] = package
            self._archives[_key(package.name, package.version)] = path

    def versions(self, name):
        """All versions of a package, the lowest first; none where the feed has no such package."""
        name = name.lower()
        if name not in self._versions:
            own = [package.version for key, package in self._packages.items() if key[0] == name and key in self._archives]
            self._versions[name] = sorted([*own, *(self._listed(name) if self._index or not own else [])])
        return self._versions[name]

    def package(self, name, version):
        key = _key(name, version)
        if key not in self._packages:
            with open(self._file(name, version, "%s.nuspec" % name.lower(), MAX_DESCRIPTION), "rb") as file:
                package = Package(file.read())
            if _key(package.name, package.version) != key:
                raise Failed("The index %s describes %s %s as %s." % (self, name, version, package))
            self._packages[key] = package
        return self._packages[key]

    def archive(self, name, version):
        """Path of the archive of a version."""
        path = self._archives.get(_key(name, version))
        return path or self._file(name, version, "%s.%s.nupkg" % (name.lower(), str(version).lower()), MAX_ARCHIVE)

    def __str__(self):
        return without_password(self._index)

    def _listed(self, name):
        try:
            versions = self._json(self._address("%s/index.json" % name))["versions"]
            if len(versions) > MAX_VERSIONS:
                raise Failed("The index %s lists more than %d versions of %s." % (self, MAX_VERSIONS, name))
            return [Version(text) for text in versions]
        except Missing:
            return []
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
            raise Failed("The index %s does not list the versions of %s." % (self, name))

    def _json(self, address):
        return json.loads(self._connection.read(address, MAX_LIST))

    def _file(self, name, version, file, limit):
        folder = os.path.join(self._cache, name.lower(), str(version).lower())
        path = os.path.join(folder, file)
        if os.path.exists(path):
            return path
        os.makedirs(folder, exist_ok=True)
        address = self._address("%s/%s/%s" % (name.lower(), str(version).lower(), file))
        with tempfile.NamedTemporaryFile(dir=folder, delete=False) as draft:
            try:
                self._connection.copy(address, draft, limit)
                draft.flush()
                os.rename(draft.name, path)
            except BaseException as error:
                os.unlink(draft.name)
                if isinstance(error, Missing):
                    raise Failed("The index %s lists %s %s and does not have it." % (self, name, version))
                raise
        return path

    def _address(self, path):
        """Of a file below the folder that the service index names."""
        if self._base is None:
            self._base = self._find_base()
        return self._base + urllib.parse.quote(path)

    def _find_base(self):
        if not self._index:
            raise Failed("No index of NuGet is known: this machine has no NuGet.Config that names one of version 3 of the protocol. Set the option packages.nugetIndex to an address that ends with /index.json.")
        try:
            resources = self._json(self._index)["resources"]
            found = next(item["@id"] for item in resources if any(kind.startswith(ADDRESSES) for kind in _kinds(item)))
            return urllib.parse.urljoin(self._index, found).rstrip("/") + "/"
        except Missing:
            raise Failed("There is no index of NuGet at %s." % self)
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError, StopIteration):
            raise Failed("%s is no index of NuGet of version 3: such an address usually ends with /index.json." % self)


def _kinds(item):
    """A resource has one type or a list of them."""
    kinds = item["@type"]
    return kinds if isinstance(kinds, list) else [kinds]


def _key(name, version):
    return name.lower(), version
