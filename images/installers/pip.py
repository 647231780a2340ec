"""
Installs Python packages for a session, in a container that has a network and nothing of the user's.

Prepares what needs no request, reads the request as JSON from stdin, writes what the installer says to stderr, and in the
end a summary as JSON to stdout. The packages are then in `out/lib` of the working folder, their programs in `out/bin`.
"""

import importlib.metadata
import importlib.util
import json
import os
import re
import shutil
import subprocess
import sys
import venv

from disk import CACHE, require_room, trim_cache

WORK = "/installer/data"
OUT = os.path.join(WORK, "out")
ENVIRONMENT = os.path.join(WORK, "environment")
EXTRA = re.compile(r"""extra *== *["']([\w.-]+)["']""")
# The name, the extras and the rest of an entry.
ENTRY = re.compile(r"([\w.-]+)\s*\[([^]]*)\](.*)", re.DOTALL)


def normal(name):
    return re.sub(r"[-_.]+", "-", name).lower()


def of_image():
    """Normal name -> name, version and requirements of the packages of the image."""
    found = {}
    for folder in sys.path:
        try:
            names = os.listdir(folder)
        except OSError:
            continue
        for file in names:
            for name, version, requires in described(folder, file):
                found.setdefault(normal(name), (name, version, requires))
    return found


def described(folder, file):
    """The package that a `.dist-info` or `.egg-info` describes, or none."""
    path = os.path.join(folder, file)
    if file.endswith(".egg-info"):
        item = importlib.metadata.Distribution.at(path)
        return [(item.metadata["Name"], item.version, item.requires or [])] if item.metadata["Name"] else []
    if not file.endswith(".dist-info"):
        return []
    # importlib parses whole descriptions, which takes ten times longer.
    fields = {"Name": [], "Version": [], "Requires-Dist": []}
    try:
        with open(os.path.join(path, "METADATA"), encoding="utf-8", errors="replace") as lines:
            for line in lines:
                key, colon, value = line.partition(": ")
                if line.isspace():
                    break
                if colon and key in fields:
                    fields[key].append(value.strip())
    except OSError:
        return []
    return [(fields["Name"][0], fields["Version"][0], fields["Requires-Dist"])] if all([fields["Name"], fields["Version"]]) else []


def write_known(site, packages, known):
    """
    Descriptions of packages that are there already, without their files: the installer then resolves around them.
    What the image lacks on purpose is no requirement of its packages.
    """
    for name, version, requires in packages:
        folder = os.path.join(site, "%s-%s.dist-info" % (re.sub(r"[-_.]+", "_", name), version))
        os.makedirs(folder, exist_ok=True)
        # Requirements of extras count only for a request that names the extra.
        kept = [text for text in requires if EXTRA.search(text) or normal(re.split(r"[^\w.-]", text)[0]) in known]
        extras = sorted({extra for text in kept for extra in EXTRA.findall(text)})
        lines = ["Metadata-Version: 2.1", "Name: " + name, "Version: " + version]
        lines += ["Provides-Extra: " + extra for extra in extras]
        lines += ["Requires-Dist: " + text for text in kept]
        record = ["%s/%s,," % (os.path.basename(folder), file) for file in ("METADATA", "RECORD")]
        for file, text in (("METADATA", lines), ("RECORD", record)):
            with open(os.path.join(folder, file), "w", encoding="utf-8") as target:
                target.write("\n".join(text) + "\n")


def again_for_extras(request):
    """
    Normal name -> version of the session's packages that come once more: what their extras require is not known here.
    None where the request names a version of its own.
    """
    earlier = {normal(name): version for name, version in request["installed"]}
    found = [ENTRY.match(entry) for entry in request["packages"]]
    entries = [(normal(match[1]), match[3].strip()) for match in found if match]
    return {name: None if rest or request["upgrade"] else earlier[name] for name, rest in entries if name in earlier}


def add_earlier(site, known, earlier):
    """What the session got before takes the place of what the image has."""
    for name, version in earlier:
        before = known.get(normal(name))
        if before:
            shutil.rmtree(os.path.join(site, "%s-%s.dist-info" % (re.sub(r"[-_.]+", "_", before[0]), before[1])))
        known[normal(name)] = (name, version, [])
    write_known(site, [known[normal(name)] for name, _ in earlier], known)


def variables(request):
    values = {
        "PATH": os.environ["PATH"],
        "LANG": "C.UTF-8",
        "HOME": os.path.join(WORK, "home"),
        "TMPDIR": os.path.join(WORK, "tmp"),
        "UV_LINK_MODE": "copy",
        "UV_NO_CONFIG": "1",
        "UV_PYTHON_DOWNLOADS": "never",
        "PIP_CONFIG_FILE": os.devnull,
        **request["proxies"],
    }
    cache = CACHE if request["cache"] else os.path.join(WORK, "cache")
    values["UV_CACHE_DIR"] = os.path.join(cache, "uv")
    values["PIP_CACHE_DIR"] = os.path.join(cache, "pip")
    for folder in (values["HOME"], values["TMPDIR"]):
        os.makedirs(folder, exist_ok=True)
    if request["certificates"]:
        path = os.path.join(WORK, "certificates.pem")
        with open(path, "w", encoding="utf-8") as file:
            file.write(request["certificates"])
        values.update(SSL_CERT_FILE=path, PIP_CERT=path)
    return values


def command(request, python, again):
    """The installer's command line; null where the image has none."""
    tool = request["tool"]
    if tool == "uv" and shutil.which("uv") is None:
        tool = "pip"
    if tool == "uv":
        line = ["uv", "pip", "install", "--python", python, "--no-progress", "--color", "never"]
        hosts, built = "--allow-insecure-host", ["--no-build"]
    else:
        if importlib.util.find_spec("pip") is None:
            return None
        line = [sys.executable, "-m", "pip", "--python", python, "install", "--no-input", "--no-compile"]
        line += ["--disable-pip-version-check", "--progress-bar", "off"]
        hosts, built = "--trusted-host", ["--only-binary", ":all:"]
    if request["index"]:
        line += ["--index-url", request["index"]]
    for address in request["extraIndexes"]:
        line += ["--extra-index-url", address]
    for host in request["trustedHosts"]:
        line += [hosts, host]
    if request["upgrade"]:
        line.append("--upgrade")
    if not request["build"]:
        line += built
    pinned = ["%s==%s\n" % item for item in again.items() if item[1]]
    if pinned:
        path = os.path.join(WORK, "constraints.txt")
        with open(path, "w", encoding="utf-8") as file:
            file.writelines(pinned)
        line += ["--constraint", path]
    files = [os.path.join("/workspace", name) for name in request["files"]]
    return [*line, "--", *request["packages"], *files]


def site_of():
    [folder] = [name for name in os.listdir(os.path.join(ENVIRONMENT, "lib")) if name.startswith("python")]
    return os.path.join(ENVIRONMENT, "lib", folder, "site-packages")


def collect(site, known_folders, programs):
    """Moves what is new to `out`."""
    lib, bin_folder = os.path.join(OUT, "lib"), os.path.join(OUT, "bin")
    os.makedirs(lib)
    os.makedirs(bin_folder)
    for name in set(os.listdir(site)) - known_folders:
        os.rename(os.path.join(site, name), os.path.join(lib, name))
    start = ("#!" + os.path.join(ENVIRONMENT, "bin")).encode()
    for name in set(os.listdir(os.path.join(ENVIRONMENT, "bin"))) - programs:
        source, target = os.path.join(ENVIRONMENT, "bin", name), os.path.join(bin_folder, name)
        if os.path.islink(source) or not os.path.isfile(source):
            continue
        with open(source, "rb") as file:
            content = file.read()
        if content.startswith(start):
            # The environment does not exist in the session.
            content = b"#!/usr/bin/env python3\n" + content.partition(b"\n")[2]
        with open(target, "wb") as file:
            file.write(content)
        os.chmod(target, 0o755)
    return lib


def empty_cache():
    shutil.rmtree(os.path.join(CACHE, "pip"), ignore_errors=True)
    if shutil.which("uv"):
        # It waits for other installers that use the cache.
        subprocess.run(["uv", "cache", "clean", "--cache-dir", os.path.join(CACHE, "uv")], stderr=subprocess.DEVNULL)


def main():
    venv.create(ENVIRONMENT, symlinks=True, with_pip=False)
    site = site_of()
    known = of_image()
    write_known(site, known.values(), known)
    programs = set(os.listdir(os.path.join(ENVIRONMENT, "bin")))
    request = json.load(sys.stdin)
    again = again_for_extras(request)
    add_earlier(site, known, [item for item in request["installed"] if normal(item[0]) not in again])
    known_folders = set(os.listdir(site)) | {"__pycache__"}
    line = command(request, os.path.join(ENVIRONMENT, "bin", "python"), again)
    if line is None:
        print("The image has neither uv nor pip.", file=sys.stderr)
        return 1
    done = subprocess.run(line, env=variables(request), cwd=WORK, stdin=subprocess.DEVNULL, stdout=sys.stderr.fileno())
    if done.returncode != 0:
        return 1
    lib = collect(site, known_folders, programs)
    require_room(OUT)
    added = []
    for item in importlib.metadata.distributions(path=[lib]):
        name = item.metadata["Name"]
        before = known.get(normal(name))
        added.append({"name": name, "version": item.version, "replaced": before[1] if before else None})
    json.dump({"added": sorted(added, key=lambda entry: entry["name"].lower())}, sys.stdout)
    sys.stdout.flush()
    if request["cache"]:
        trim_cache("pip", request["cacheBytes"], empty_cache)
    return 0


if __name__ == "__main__":
    sys.exit(main())
