"""
Installs npm packages for a session, in a container that has a network and nothing of the user's.

Reads a request as JSON from stdin, writes what npm says to stderr, and in the end a summary as JSON to stdout. All packages
of the session are then in `out/node_modules` of the working folder, so that each finds what it requires.
"""

import json
import os
import shutil
import subprocess
import sys
import urllib.parse

from disk import CACHE, hold_cache, require_room, trim_cache

WORK = "/installer/data"
OUT = os.path.join(WORK, "out")


def entries(request):
    """What npm is asked for."""
    for entry in request["packages"]:
        has_version = "@" in entry[1:] or "://" in entry
        yield entry + "@latest" if request["upgrade"] and not has_version else entry
    for name in request["files"]:
        yield os.path.join("/workspace", name)


def variables(request):
    cache = CACHE if request["cache"] else os.path.join(WORK, "cache")
    values = {
        "PATH": os.environ["PATH"],
        "LANG": "C.UTF-8",
        "HOME": os.path.join(WORK, "home"),
        "TMPDIR": os.path.join(WORK, "tmp"),
        "npm_config_cache": os.path.join(cache, "npm"),
        "npm_config_userconfig": os.devnull,
        "npm_config_globalconfig": os.path.join(WORK, "no-npmrc"),
        "npm_config_prefer_offline": "false",
        **request["proxies"],
    }
    for folder in (values["HOME"], values["TMPDIR"]):
        os.makedirs(folder, exist_ok=True)
    registry = request["npmIndex"]
    if registry:
        values["npm_config_registry"] = registry
    host = urllib.parse.urlsplit(registry or "https://registry").netloc
    if {host, host.rpartition(":")[0]} & set(request["trustedHosts"]):
        values["npm_config_strict_ssl"] = "false"
    if request["certificates"]:
        path = os.path.join(WORK, "certificates.pem")
        with open(path, "w", encoding="utf-8") as file:
            file.write(request["certificates"])
        values.update(npm_config_cafile=path, NODE_EXTRA_CA_CERTS=path)
    return values


def command(request):
    line = ["npm", "install", "--no-audit", "--no-fund", "--no-update-notifier", "--no-progress", "--color=false"]
    return [*line, *([] if request["build"] else ["--ignore-scripts"]), "--", *entries(request)]


def installed_packages():
    """Path below `out` -> what npm knows of the package there."""
    with open(os.path.join(OUT, "node_modules", ".package-lock.json"), encoding="utf-8") as file:
        return json.load(file)["packages"]


def added(request):
    """The packages that were asked for and are new, without those that they require."""
    before = {name: version for name, version in request["installed"]}
    with open(os.path.join(OUT, "package.json"), encoding="utf-8") as file:
        wanted = json.load(file)["dependencies"]
    found = installed_packages()
    for name in sorted(wanted):
        version = found.get("node_modules/" + name, {}).get("version")
        if version and version != before.get(name):
            yield {"name": name, "version": version, "replaced": before.get(name)}


def empty_cache():
    if hold_cache("npm", wait=False):
        shutil.rmtree(os.path.join(CACHE, "npm"), ignore_errors=True)


def install(request):
    os.makedirs(OUT)
    with open(os.path.join(OUT, "package.json"), "w", encoding="utf-8") as file:
        json.dump({"private": True, "dependencies": dict(request["installed"])}, file)
    if shutil.which("npm") is None:
        print("The image has no npm.", file=sys.stderr)
        return 1
    done = subprocess.run(
        command(request), env=variables(request), cwd=OUT, stdin=subprocess.DEVNULL, stdout=sys.stderr.fileno()
    )
    if done.returncode != 0:
        return 1
    if request["buildsLater"] and any(item.get("hasInstallScript") for item in installed_packages().values()):
        print("A package has to be built.", file=sys.stderr)
        return 1
    require_room(OUT)
    summary = {"added": list(added(request))}
    for name in ("package.json", "package-lock.json"):
        os.remove(os.path.join(OUT, name))
    json.dump(summary, sys.stdout)
    sys.stdout.flush()
    return 0


def main():
    request = json.load(sys.stdin)
    if not request["cache"]:
        return install(request)
    lock = hold_cache("npm", wait=True)
    status = install(request)
    lock.close()
    if status == 0:
        trim_cache("npm", request["cacheBytes"], empty_cache)
    return status


if __name__ == "__main__":
    sys.exit(main())
