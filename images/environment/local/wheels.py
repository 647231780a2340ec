"""
Installs locked wheels without a container engine: with uv where it can be had, else with pip. Nothing of a package runs.
HOTHOUSE_MACHINE names the folder with this machine's settings for indexes, which uv does not look for itself.
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

sys.path.insert(0, str(pathlib.Path(__file__).parents[1]))
from indexes import uv_variables  # noqa: E402

_WHEELS = ["install", "--only-binary", ":all:", "--require-hashes"]


def install(lock, *where):
    """Installs all of a lock; `where` is `--python` or `--target` with its path. Ends the program when that fails."""
    with tempfile.TemporaryDirectory() as folder:
        pip = _find_pip()
        uv = shutil.which("uv") or (pip and _install_uv(pip, lock, folder))
        if uv and _run_uv(uv, ["-r", str(lock), *where]) == 0:
            return
        # It knows settings of this machine that uv does not, such as those of a keyring.
        status = _run_pip(pip or [sys.executable, _fetch_pip(lock, folder) + "/pip"], ["-r", str(lock), *where])
    if status != 0:
        sys.exit(status)


def _run_uv(uv, arguments):
    variables = {"UV_NO_CONFIG": "1", "UV_LINK_MODE": "copy", "UV_PYTHON_DOWNLOADS": "never"}
    environment = {**os.environ, **variables, **uv_variables(os.environ.get("HOTHOUSE_MACHINE", ""))}
    # As pip does: sandboxes cannot write what they compile.
    return subprocess.run([uv, "pip", *_WHEELS, "--compile-bytecode", *arguments], env=environment).returncode


def _run_pip(pip, arguments):
    # One of another version of Python than the target's has to be told.
    target, rest = _split(arguments)
    return subprocess.run([*pip, *target, *_WHEELS, *rest, "--no-warn-script-location"]).returncode


def _split(arguments):
    """`--python` with its path, which pip has before its command, and the others."""
    if "--python" not in arguments:
        return [], arguments
    at = arguments.index("--python")
    return arguments[at : at + 2], arguments[:at] + arguments[at + 2 :]


def _find_pip():
    # The newest Python may have none, and another one of the machine the only.
    for pip in ([sys.executable, "-m", "pip"], ["pip3"], ["python3", "-m", "pip"]):
        if shutil.which(pip[0]) and subprocess.run([*pip, "--version"], capture_output=True).returncode == 0:
            return pip
    return None


def _install_uv(pip, lock, folder):
    """uv as a lock has it; None where the lock has none, or the index."""
    entry = re.search(r"^uv==.*\\\n(?: +--hash=.*\n?)+", pathlib.Path(lock).read_text(), re.M)
    if entry is None:
        return None
    only, target = pathlib.Path(folder, "uv.txt"), os.path.join(folder, "uv")
    only.write_text(entry[0].rstrip().rstrip("\\"))
    done = _run_pip(pip, ["-r", str(only), "--target", target, "--quiet"])
    return os.path.join(target, "bin", "uv") if done == 0 else None


def _fetch_pip(lock, folder):
    """The path of pip's own wheel, which runs as it is: of the lock, the first version, which is for every Python."""
    entry = re.search(r"^pip==(\S+) .*\\\n((?: +--hash=sha256:[0-9a-f]{64}.*\n)+)", pathlib.Path(lock).read_text(), re.M)
    if entry is None or not os.environ.get("PIP_INDEX_URL"):
        sys.exit("There is neither pip nor uv here. Install one of them, or set PIP_INDEX_URL to a package index.")
    wheel, hashes = "pip-%s-py3-none-any.whl" % entry[1], re.findall("[0-9a-f]{64}", entry[2])
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
