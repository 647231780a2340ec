"""
Adds packages of pip and npm to an environment without a container engine, in a sandbox that has a network and nothing of the
user: the environment that it is built on is at /base, its own folder at /environment. The steps are those of Docker.
With --code, code of packages may run; without, a package that has to be built ends it with the status NEEDS_CODE.
"""

import json
import os
import pathlib
import subprocess
import sys
import venv

ROOT = pathlib.Path("/environment")
BASE = pathlib.Path("/base")
GIVEN = pathlib.Path("/given")
LOCKS = ROOT / "usr" / "share" / "hothouse"
RUNS_CODE = "--code" in sys.argv
# As in ../pip.py.
NEEDS_CODE = 10


def link(target, *sources):
    target.mkdir()
    for source in sources:
        for path in source.iterdir():
            if path.is_file():
                (target / path.name).symlink_to(path)


def lists(manager):
    """The arguments of a manager's step: its list, where its lock goes, and the lock that is given."""
    folder = GIVEN / "packages" / manager
    given = [folder / "lock"] if (folder / "lock").exists() else []
    return [folder / "list", LOCKS / manager, *given]


def run(command, **variables):
    done = subprocess.run([str(part) for part in command], env={**os.environ, **variables})
    if done.returncode != 0:
        sys.exit(done.returncode)


def make_python():
    """A virtual environment that also has the packages of the base; its own come first."""
    venv.EnvBuilder(symlinks=True).create(ROOT)
    [site] = (ROOT / "lib").glob("python3*/site-packages")
    of_base = BASE / site.relative_to(ROOT)
    (site / "base.pth").write_text("import site; site.addsitedir(%r)\n" % str(of_base))


def add_pip():
    uv = BASE / "bin" / "uv"
    if not uv.exists():
        sys.exit("The environment of Python has no uv: build it again.")
    link(pathlib.Path("/tools"))
    pathlib.Path("/tools/uv").symlink_to(uv)
    run([ROOT / "bin" / "python3", "-I", "/machine/pip.py", *lists("pip")], **({} if RUNS_CODE else {"HOTHOUSE_NO_CODE": "1"}))


def add_npm():
    run(["sh", "/machine/npm.sh", *lists("npm")], **({} if RUNS_CODE else {"npm_config_ignore_scripts": "true"}))
    packages = json.loads((LOCKS / "npm").read_text())["packages"].values()
    if not RUNS_CODE and any(item.get("hasInstallScript") for item in packages):
        print("A package has to be built.", flush=True)
        sys.exit(NEEDS_CODE)


def main():
    machine = [GIVEN / "machine"] if (GIVEN / "machine").exists() else []
    link(pathlib.Path("/machine"), pathlib.Path("/build"), *machine)
    if (BASE / "bin" / "python3").exists():
        make_python()
    if (GIVEN / "packages" / "pip" / "list").read_text():
        add_pip()
    if json.loads((GIVEN / "packages" / "npm" / "list").read_text()).get("dependencies"):
        add_npm()


main()
