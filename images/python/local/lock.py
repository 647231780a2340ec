"""
Keeps of a lock file, from stdin to stdout, the hashes of wheels of CPython for Linux: a lock for all systems and
interpreters is four times as large.
PIP_INDEX_URL names the package index.
"""

import os
import re
import sys
import urllib.request

_HASH = re.compile(r"--hash=sha256:([0-9a-f]{64})")
_LINK = re.compile(r"""href=["'][^"']*?([^/"']+\.whl)#sha256=([0-9a-f]{64})""")
# Linux is the system of wheels for every system too.
_LINUX = re.compile(r"-(any|(many|musl)?linux[0-9a-z_.]*(x86_64|aarch64))\.whl$")
# Of Python 3.9 or later with its global lock: the ABI of the other build ends in t.
_CPYTHON = re.compile(r"-(((py2\.)?py3|cp3)[0-9]*-(none|abi3)|cp3(9|[1-9][0-9])-cp3[0-9]+)-[^-]*$")


def _linux_hashes(package):
    with urllib.request.urlopen("%s/%s/" % (os.environ["PIP_INDEX_URL"].rstrip("/"), package), timeout=60) as page:
        wheels = _LINK.findall(page.read().decode())
    return {digest for name, digest in wheels if _LINUX.search(name) and _CPYTHON.search(name)}


for entry in re.split(r"\n(?! )", sys.stdin.read().strip()):
    head, *hashes = entry.split(" \\\n")
    if hashes:
        known = _linux_hashes(head.partition("==")[0])
        hashes = [line for line in hashes if _HASH.search(line)[1] in known]
        if not hashes:
            sys.exit("%s has no wheel of CPython for Linux" % head)
    print(" \\\n".join([head, *hashes]))
