"""What packages of NuGet say about themselves, and their archives. All of it may be hostile: sizes, names and nesting are limited."""

import contextlib
import hashlib
import lzma
import os
import re
import resource
import struct
import sys
import xml.etree.ElementTree
import zipfile
import zlib

from frameworks import nearest
from versions import Range, Version

# Those of real packages have a few kilobytes.
MAX_DESCRIPTION = 1 << 20
# NuGet's limit is 100.
_NAME = re.compile(r"[A-Za-z0-9_](?:[A-Za-z0-9._-]{0,98}[A-Za-z0-9_])?")
_DAMAGED = (zipfile.BadZipFile, zlib.error, lzma.LZMAError, struct.error, EOFError, RuntimeError, ValueError)
# Below the memory of an installer's container, so that a sentence says why it ends.
_MEMORY = 768 << 20


class Failed(Exception):
    """Why packages cannot be installed, as a sentence."""


class Package:
    """One version of a package, with what it requires on Mono: names and ranges."""

    def __init__(self, text):
        try:
            metadata = next(item for item in _parsed(text) if _tag(item) == "metadata")
            fields = {_tag(item): item for item in metadata}
            self.name = checked_name(fields["id"].text)
            self.version = Version(fields["version"].text or "")
            self.requires = [(checked_name(item.get("id")), Range(item.get("version") or "")) for item in _required(fields)]
        except KeyError as error:
            raise Failed("The description (.nuspec) of a package has no %s." % error)
        except (StopIteration, ValueError, LookupError, xml.etree.ElementTree.ParseError) as error:
            raise Failed("The description (.nuspec) of a package cannot be read: %s." % (str(error) or "it has no metadata"))

    def __str__(self):
        return "%s %s" % (self.name, self.version)


class _WithoutDoctype(xml.etree.ElementTree.TreeBuilder):
    """Entities, which can grow without end or name files, have to be declared in a document type."""

    def doctype(self, name, pubid, system):
        raise ValueError("it declares a document type")


def _parsed(text):
    if len(text) > MAX_DESCRIPTION:
        raise ValueError("it has more than %d MB" % (MAX_DESCRIPTION >> 20))
    return xml.etree.ElementTree.fromstring(text, xml.etree.ElementTree.XMLParser(target=_WithoutDoctype()))


def checked_name(text):
    """The name of a package, which becomes a part of paths and addresses. Raises `ValueError`."""
    name = (text or "").strip()
    if not _NAME.fullmatch(name) or ".." in name:
        raise ValueError("%r is not the name of a package" % name[:80])
    return name


def _required(fields):
    listed = list(fields["dependencies"]) if "dependencies" in fields else []
    groups = {item.get("targetFramework") or "": list(item) for item in listed if _tag(item) == "group"}
    return groups.get(nearest(groups), []) if groups else listed


def _tag(element):
    return element.tag.rpartition("}")[2]


@contextlib.contextmanager
def opened(path, package):
    """The archive of a package, as a `ZipFile`; what is wrong with it becomes a `Failed`."""
    try:
        with zipfile.ZipFile(path) as archive:
            yield archive
    except _DAMAGED as error:
        raise Failed("The archive of %s is damaged: %s." % (package, error))
    except OSError as error:
        raise Failed("%s cannot be unpacked: %s." % (package, error.strerror or error))


def read_archive(path):
    """The package that an archive describes."""
    file = os.path.basename(path)
    with opened(path, file) as archive:
        name = next((name for name in archive.namelist() if "/" not in name and name.lower().endswith(".nuspec")), None)
        if name is None:
            raise Failed("%s is no package of NuGet: it has no description (.nuspec)." % file)
        with archive.open(name) as source:
            return Package(source.read(MAX_DESCRIPTION + 1))


def digest_of(path):
    digest = hashlib.sha512()
    with open(path, "rb") as file:
        for part in iter(lambda: file.read(1 << 20), b""):
            digest.update(part)
    return digest.hexdigest()


def reported(install):
    """What `install` returns. It has a limit of memory; where it fails, the program ends with a sentence."""
    _, hard = resource.getrlimit(resource.RLIMIT_DATA)
    resource.setrlimit(resource.RLIMIT_DATA, (_MEMORY if hard == resource.RLIM_INFINITY else min(_MEMORY, hard), hard))
    try:
        return install()
    except MemoryError:
        sys.exit("error: The packages or their index need more than %d MB of memory." % (_MEMORY >> 20))
    except (Failed, ValueError) as error:
        sys.exit("error: %s" % error)
