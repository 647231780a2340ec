"""
Starts the agent from what the engine puts before this text: its sources in the dict SOURCES (module name -> text), the
files of drivers in the dict DRIVERS, and in the dict WALLS which walls it is to build.

It compiles the sources and becomes a second interpreter, which loads what it needs of the result: what a compiler leaves
in memory would be copied by every fork. Without WALLS it writes what starts the same agent without a compiler, in the
Python that has compiled it, and ends.
"""

import marshal
import os
import sys

_SECOND = """
import marshal
with open(%d, "rb") as file:
    AGENT = marshal.load(file)
exec(marshal.loads(AGENT["modules"].pop("hothouse_agent.loader")))
"""
# Behind WALLS, as this text. What it takes from stdin comes next there.
_COMPILED = """
import marshal, sys
if sys.version != %r:
    sys.exit("Python was replaced while this sandbox started")
AGENT = marshal.loads(take(%d))
AGENT["walls"] = WALLS
exec(marshal.loads(AGENT["modules"].pop("hothouse_agent.loader")))
"""

SOURCES["hothouse_drivers"] = ""  # noqa: F821
for driver, files in DRIVERS.items():  # noqa: F821
    SOURCES["hothouse_drivers." + driver] = ""  # noqa: F821
    for file in [file for file in files if file.endswith(".py")]:
        SOURCES["hothouse_drivers.%s.%s" % (driver, file[: -len(".py")])] = files[file]  # noqa: F821
agent = {
    "modules": {
        name: marshal.dumps(compile(text, "<hothouse>/" + name, "exec"))
        for name, text in SOURCES.items()  # noqa: F821
    },
    "packages": [name for name in SOURCES if any(other.startswith(name + ".") for other in SOURCES)],  # noqa: F821
    "drivers": DRIVERS,  # noqa: F821
}
if "WALLS" in globals():
    agent["walls"] = WALLS  # noqa: F821
    fd = os.memfd_create("agent", 0)
    with open(fd, "wb", closefd=False) as memory:
        marshal.dump(agent, memory)
    os.lseek(fd, 0, os.SEEK_SET)
    os.execv(sys.executable, [sys.executable, "-I", "-c", _SECOND % fd])
else:
    compiled = marshal.dumps(agent)
    program = (_COMPILED % (sys.version, len(compiled))).encode()
    sys.stdout.buffer.write(b"%08d%s%s" % (len(program), program, compiled))
