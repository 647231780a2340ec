"""Resolves and installs Python packages with uv, and writes what it has installed, with hashes, to a lock.

    pip.py LIST LOCK [GIVEN_LOCK]

Packages that the image has at the locked version are not installed again.
"""

import importlib.metadata
import os
import re
import shutil
import subprocess
import sys
import sysconfig

MACHINE = "/machine/"
sys.path.insert(0, MACHINE)
from indexes import uv_variables  # noqa: E402

UV = "/tools/uv"
# Where programs of packages go; on a host without a container engine the folder of the environment.
PROGRAMS = os.path.join(os.environ.get("HOTHOUSE_ROOT", "/usr/local"), "bin")
# Set where no code of packages may run: with one that has to be built the program ends with that status.
NO_CODE = ["--no-build"] if os.environ.get("HOTHOUSE_NO_CODE") else []
NEEDS_CODE = 10
# uv has no status for it, and without code it reports a package that has to be built in the same way.
MISSING = b"was not found in the package registry"
# Times the size of a wheel: its files in uv's cache and where they are installed, three times larger each, and bytecode.
UNPACKED = 8


def uv(*arguments):
    done = subprocess.run([UV, *arguments], env=uv_environment(), stderr=subprocess.PIPE if is_quiet(arguments) else None)
    sys.stderr.buffer.write(done.stderr or b"")
    if done.returncode != 0:
        may_need_code = NO_CODE and MISSING not in (done.stderr or b"")
        sys.exit(NEEDS_CODE if may_need_code else done.returncode)


def is_quiet(arguments):
    """Whether uv writes nothing but errors."""
    return "--quiet" in arguments


def uv_environment():
    fixed = {"UV_CACHE_DIR": "/cache/uv", "UV_LINK_MODE": "copy", "UV_NO_CONFIG": "1", "UV_PYTHON_DOWNLOADS": "never"}
    return {**os.environ, **fixed, **uv_variables(MACHINE)}


def must(command, env=None):
    done = subprocess.run(command, env=env)
    if done.returncode != 0:
        sys.exit(done.returncode)


def require_space(needed):
    must([sys.executable, "-I", "/machine/space.py", str(needed)])


def needed_by(requirements):
    """Bytes on the disk for what is installed: downloads and what they unpack to; 0 where the index does not say sizes."""
    file = "/tmp/pylock.toml"
    arguments = ["pip", "compile", "--python", sys.executable, "--no-deps", "--quiet", "--format", "pylock.toml", *NO_CODE]
    done = subprocess.run([UV, *arguments, "--output-file", file, requirements], env=uv_environment(),
                          capture_output=True)  # fmt: skip
    try:
        import tomllib  # Python 3.11

        with open(file, "rb") as lock:
            packages = tomllib.load(lock).get("packages", [])
        os.unlink(file)
    except (ImportError, OSError, ValueError):
        return 0
    return UNPACKED * sum(map(download, packages)) if done.returncode == 0 else 0


def download(package):
    """The largest file that this machine may install the package from."""
    kinds = re.compile(r"-(any|(many|musl)?linux[^/]*_%s[^/]*)\.whl$" % re.escape(os.uname().machine))
    wheels = [wheel for wheel in package.get("wheels", []) if kinds.search(wheel.get("url", wheel.get("name", "")))]
    return max((file.get("size", 0) for file in wheels or [package.get("sdist", {})]), default=0)


def normal(name):
    return re.sub(r"[-_.]+", "-", name).lower()


def in_image():
    """Names and versions of the packages that the image has."""
    found = {}
    for distribution in importlib.metadata.distributions():
        name = distribution.metadata["Name"]
        if name:
            found.setdefault(normal(name), distribution.version)
    return found


def entries(lock):
    """The entries of a lock, each with its hashes and comments: one begins where a line is not indented."""
    found = []
    with open(lock, encoding="utf-8") as lines:
        for line in lines:
            if line[:1] not in (" ", "\t", "#", "\n"):
                found.append("")
            if found:
                found[-1] += line
    return found


def resolve(requested, lock):
    # uv prefers the versions of an earlier lock: those of the image, which its other packages were built with.
    with open(lock, "w", encoding="utf-8") as earlier:
        earlier.writelines(f"{name}=={version}\n" for name, version in in_image().items())
    uv("pip", "compile", "--python", sys.executable, "--generate-hashes", "--no-header", "--no-annotate", "--quiet",
       "--output-file", lock, *NO_CODE, requested)  # fmt: skip


def install(lock):
    has = in_image()
    missing = []
    for entry in entries(lock):
        name, version = re.match(r"([A-Za-z0-9._-]+)(?:\[[^]]*\])?==([^\s;\\]+)", entry).groups()
        if has.get(normal(name)) != version:
            missing.append(entry)
    chosen = "/tmp/missing.txt"
    with open(chosen, "w", encoding="utf-8") as file:
        file.writelines(missing)
    if not missing:
        print("The image has all of them already.", flush=True)
        return
    require_space(needed_by(chosen))
    target = sysconfig.get_path("purelib")
    uv("pip", "install", "--python", sys.executable, "--target", target, "--no-deps", "--require-hashes",
       "--compile-bytecode", *NO_CODE, "--requirements", chosen)  # fmt: skip
    move_programs(os.path.join(target, "bin"))


def move_programs(folder):
    if not os.path.isdir(folder):
        return
    for name in os.listdir(folder):
        shutil.move(os.path.join(folder, name), os.path.join(PROGRAMS, name))
    os.rmdir(folder)


def main(requested, lock, given=None):
    require_space(0)
    os.makedirs(os.path.dirname(lock), exist_ok=True)
    if given:
        shutil.copyfile(given, lock)
    else:
        resolve(requested, lock)
    install(lock)


main(*sys.argv[1:])
