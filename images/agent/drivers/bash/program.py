"""The program of a one-shot run, and what it reports."""

import json
import os
import re
import shlex
import subprocess

from .texts import PROGRAM, REPORT

# A longer argument is refused by the kernel.
_MAX_ARGUMENT = 100_000
_ASSIGNABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*\Z")


def command_of(request, given, code):
    """Bash with the code; it reports the line that failed, and the variables where those were given."""
    names = "for __n in $(compgen -v); do printf '%s\\0%s\\0' \"$__n\" \"${!__n}\"; done" if request["state"] is not None else ":"
    head = "trap '__hothouse_line=$LINENO' ERR; trap '{ echo \"${__hothouse_line-}\"; %s; } >&%d' EXIT; " % (
        names.replace("'", "'\\''"),
        REPORT,
    )
    for name, value in given.items():
        if _ASSIGNABLE.match(name):
            text = value if isinstance(value, str) else json.dumps(value)
            head += "%s=%s; " % (name, shlex.quote(text))
    if len(request["code"].encode("utf-8", "surrogatepass")) < _MAX_ARGUMENT:
        return [*PROGRAM, "-c", head + request["code"], request["name"]]
    return [*PROGRAM, "-c", head + "source /proc/self/fd/%d" % code.fileno(), request["name"]]


def reported(report):
    with os.fdopen(report, "rb") as file:
        os.set_blocking(report, False)
        line, _, rest = (file.read() or b"").partition(b"\n")
    parts = rest.decode("utf-8", "replace").split("\0")[:-1]
    known = set(_environment_names())
    pairs = zip(parts[::2], parts[1::2])
    variables = {name: value for name, value in pairs if name not in known and not name.startswith("_")}
    return int(line) if line.isdigit() else None, variables


def _environment_names():
    """The variables that every shell has."""
    names = subprocess.run([*PROGRAM, "-c", "compgen -v"], capture_output=True, text=True).stdout.split()
    return [*names, "PIPESTATUS", *os.environ]
