"""Packages of a NuGet feed, by version 3 of its protocol: lists of versions, descriptions and archives."""

import base64
import hashlib
import json
import os
import shutil
import ssl
import tempfile
import time
import urllib.error
import urllib.parse
import urllib.request
import xml.etree.ElementTree
import zipfile

from frameworks import nearest
from versions import Range, Version

ADDRESSES = "PackageBaseAddress/3."
ATTEMPTS = 3
TIMEOUT_S = 60


class Failed(Exception):
    """Why packages cannot be installed, as a sentence."""


class Missing(Exception):
    """The feed has no such file."""


class Package:
    """One version of a package, with what it requires on Mono: names and ranges."""

    def __init__(self, text):
        try:
            metadata = next(item for item in xml.etree.ElementTree.fromstring(text) if _tag(item) == "metadata")
            fields = {_tag(item): item for item in metadata}
            self.name = fields["id"].text.strip()
            self.version = Version(fields["version"].text)
            self.requires = [(item.get("id"), Range(item.get("version") or "")) for item in _required(fields)]
        except (KeyError, StopIteration, ValueError, AttributeError, xml.etree.ElementTree.ParseError) as error:
            raise Failed("The description (.nuspec) of a package cannot be read: %s." % error)

    def __str__(self):
        return "%s %s" % (self.name, self.version)


def _required(fields):
    listed = list(fields["dependencies"]) if "dependencies" in fields else []
    groups = {item.get("targetFramework") or "": list(item) for item in listed if _tag(item) == "group"}
    return groups.get(nearest(groups), []) if groups else listed


def _tag(element):
    return element.tag.rpartition("}")[2]


def read_archive(path):
    """The package that an archive describes."""
    try:
        with zipfile.ZipFile(path) as archive:
            name = next(name for name in archive.namelist() if "/" not in name and name.lower().endswith(".nuspec"))
            return Package(archive.read(name))
    except (OSError, StopIteration, zipfile.BadZipFile):
        raise Failed("%s is no package of NuGet." % os.path.basename(path))


def digest_of(path):
    digest = hashlib.sha512()
    with open(path, "rb") as file:
        for part in iter(lambda: file.read(1 << 20), b""):
            digest.update(part)
    return digest.hexdigest()


class Feed:
    """
    The packages at the address of a service index, and those of `archives`, which come first. What a version consists of
    never changes, so `cache` keeps descriptions and archives.
    """

    def __init__(self, index, cache, certificates=None, trusted_hosts=(), archives=()):
        self._index = index
        self._shown = _without_password(index)
        self._cache = os.path.join(cache, hashlib.sha256(index.encode()).hexdigest()[:16])
        self._context = ssl.create_default_context(cafile=certificates or None)
        self._unchecked = ssl._create_unverified_context()
        self._trusted = set(trusted_hosts)
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
            with open(self._file(name, version, "%s.nuspec" % name.lower()), "rb") as file:
                self._packages[key] = Package(file.read())
        return self._packages[key]

    def archive(self, name, version):
        """Path of the archive of a version."""
        path = self._archives.get(_key(name, version))
        return path or self._file(name, version, "%s.%s.nupkg" % (name.lower(), str(version).lower()))

    def __str__(self):
        return self._shown

    def _listed(self, name):
        try:
            with self._open(self._address("%s/index.json" % name)) as answer:
                return [Version(text) for text in json.load(answer)["versions"]]
        except Missing:
            return []
        except (ValueError, KeyError, TypeError):
            raise Failed("The index %s does not list the versions of %s." % (self, name))

    def _file(self, name, version, file):
        folder = os.path.join(self._cache, name.lower(), str(version).lower())
        path = os.path.join(folder, file)
        if os.path.exists(path):
            return path
        os.makedirs(folder, exist_ok=True)
        address = self._address("%s/%s/%s" % (name.lower(), str(version).lower(), file))
        with tempfile.NamedTemporaryFile(dir=folder, delete=False) as draft:
            try:
                with self._open(address) as answer:
                    shutil.copyfileobj(answer, draft)
                draft.flush()
                os.rename(draft.name, path)
            except BaseException as error:
                os.unlink(draft.name)
                if isinstance(error, Missing):
                    raise Failed("The index %s lists %s %s and does not have it." % (self, name, version))
                if isinstance(error, OSError):
                    raise Failed("%s %s cannot be downloaded: %s." % (name, version, error))
                raise
        return path

    def _address(self, path):
        """Of a file below the folder that the service index names."""
        if self._base is None:
            self._base = self._find_base()
        return self._base + urllib.parse.quote(path)

    def _find_base(self):
        if not self._index:
            raise Failed("No index of NuGet is known: neither the option packages.nugetIndex nor a NuGet.Config of this machine names one.")
        try:
            with self._open(self._index) as answer:
                resources = json.load(answer)["resources"]
            found = next(item["@id"] for item in resources if item["@type"].startswith(ADDRESSES))
        except Missing:
            raise Failed("There is no index of NuGet at %s." % self)
        except (ValueError, KeyError, TypeError, StopIteration):
            raise Failed("%s is no index of NuGet of version 3: such an address usually ends with /index.json." % self)
        return urllib.parse.urljoin(self._index, found).rstrip("/") + "/"

    def _open(self, address):
        address, headers = _with_header(address)
        parts = urllib.parse.urlsplit(address)
        if parts.scheme not in ("http", "https"):
            raise Failed("The index %s names files at an address that is not http or https." % self)
        is_trusted = {parts.netloc, parts.hostname} & self._trusted
        context = self._unchecked if is_trusted else self._context
        request = urllib.request.Request(address, headers={"User-Agent": "hothouse", **headers})
        for attempt in range(ATTEMPTS):
            try:
                return urllib.request.urlopen(request, timeout=TIMEOUT_S, context=context)
            except urllib.error.HTTPError as error:
                if error.code == 404:
                    raise Missing()
                if error.code < 500 or attempt + 1 == ATTEMPTS:
                    raise Failed("The index %s answers with status %d: %s." % (self, error.code, error.reason))
            except OSError as error:
                reason = getattr(error, "reason", error)
                if isinstance(reason, ssl.SSLError) or attempt + 1 == ATTEMPTS:
                    raise Failed("The index %s cannot be reached: %s." % (self, reason))
            time.sleep(attempt + 1)


def _key(name, version):
    return name.lower(), version


def _with_header(address):
    """The address without a user name and password, and the header that has them."""
    parts = urllib.parse.urlsplit(address)
    if not parts.username:
        return address, {}
    pair = "%s:%s" % (urllib.parse.unquote(parts.username), urllib.parse.unquote(parts.password or ""))
    header = "Basic " + base64.b64encode(pair.encode()).decode()
    return _without_password(address), {"Authorization": header}


def _without_password(address):
    parts = urllib.parse.urlsplit(address)
    return parts._replace(netloc=parts.netloc.rpartition("@")[2]).geturl()
