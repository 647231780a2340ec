"""
Keeps of a lock file, from stdin to stdout, the hashes of wheels for Linux: a lock for all systems is three times as large.
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


def _linux_hashes(package):
    with urllib.request.urlopen("%s/%s/" % (os.environ["PIP_INDEX_URL"].rstrip("/"), package), timeout=60) as page:
        return {digest for name, digest in _LINK.findall(page.read().decode()) if _LINUX.search(name)}


for entry in re.split(r"\n(?! )", sys.stdin.read().strip()):
    head, *hashes = entry.split(" \\\n")
    if hashes:
        known = _linux_hashes(head.partition("==")[0])
        hashes = [line for line in hashes if _HASH.search(line)[1] in known]
        if not hashes:
            sys.exit("%s has no wheel for Linux" % head)
    print(" \\\n".join([head, *hashes]))
