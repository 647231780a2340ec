"""
Builds the environment without a container engine: a virtual environment with the packages of requirements.txt.
Arguments: an empty folder for it, and the path by which sandboxes see that folder.
"""

import hashlib
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import urllib.parse
import urllib.request
import venv

_LOCK = pathlib.Path(__file__).with_name("requirements.txt")
# Nothing of a package runs outside of a sandbox.
_WHEELS = ["install", "--only-binary", ":all:", "--require-hashes", "-r", str(_LOCK)]


def _install(python):
    # pip comes first: it reads the settings of this machine. It can be another Python's.
    for pip in ([sys.executable, "-m", "pip"], ["pip3"]):
        if shutil.which(pip[0]) and subprocess.run([*pip, "--version"], capture_output=True).returncode == 0:
            return _run_pip(pip, python)
    if shutil.which("uv"):
        return subprocess.run(["uv", "pip", *_WHEELS, "--python", python, "--link-mode", "copy"])
    with tempfile.TemporaryDirectory() as folder:
        return _run_pip([sys.executable, _fetch_pip(folder) + "/pip"], python)


def _run_pip(pip, python):
    return subprocess.run([*pip, "--python", python, *_WHEELS, "--no-warn-script-location"])


def _fetch_pip(folder):
    """The path of pip's own wheel, which runs as it is: of the lock, the first version, which is for every Python."""
    entry = re.search(r"^pip==(\S+) .*\\\n((?: +--hash=sha256:[0-9a-f]{64}.*\n)+)", _LOCK.read_text(), re.M)
    wheel, hashes = "pip-%s-py3-none-any.whl" % entry[1], re.findall("[0-9a-f]{64}", entry[2])
    if not os.environ.get("PIP_INDEX_URL"):
        sys.exit("There is neither pip nor uv here. Install one of them, or set PIP_INDEX_URL to a package index.")
    index = os.environ["PIP_INDEX_URL"].rstrip("/") + "/pip/"
    try:
        with urllib.request.urlopen(index, timeout=60) as page:
            link = re.search(r'href="([^"]*/%s[^"]*)"' % re.escape(wheel), page.read().decode())
        with urllib.request.urlopen(urllib.parse.urljoin(index, link[1]), timeout=60) as file:
            content = file.read()
    except (OSError, TypeError) as error:
        sys.exit("There is no pip here, and %s cannot be had from %s: %s" % (wheel, index, error))
    if hashlib.sha256(content).hexdigest() not in hashes:
        sys.exit("%s from %s is not the file of the lock." % (wheel, index))
    path = pathlib.Path(folder, wheel)
    path.write_bytes(content)
    return str(path)


def _relocate(folder, seen_at):
    """Scripts name the interpreter by its path here."""
    for script in (folder / "bin").iterdir():
        with open(script, "rb") as file:
            text = file.read()
        head = b"#!%s/bin/" % os.fsencode(folder)
        if not script.is_symlink() and text.startswith(head):
            script.write_bytes(text.replace(head, b"#!%s/bin/" % os.fsencode(seen_at), 1))


def main():
    folder, seen_at = pathlib.Path(sys.argv[1]), sys.argv[2]
    venv.EnvBuilder(symlinks=True).create(folder)
    installed = _install(str(folder / "bin" / "python3"))
    if installed.returncode != 0:
        sys.exit(installed.returncode)
    _relocate(folder, seen_at)


main()
