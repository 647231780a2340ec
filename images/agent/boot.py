"""
Starts the agent from what the engine puts before this text: its sources in the dict SOURCES (module name -> text), the
files of drivers in the dict DRIVERS, and in the dict WALLS which walls it is to build.
"""

import importlib.abc
import importlib.util
import sys


class _Loader(importlib.abc.Loader):
    def exec_module(self, module):
        name = module.__name__
        exec(compile(SOURCES[name], "<hothouse>/" + name, "exec"), module.__dict__)  # noqa: F821


class _Finder(importlib.abc.MetaPathFinder):
    def find_spec(self, name, path=None, target=None):
        if name not in SOURCES:  # noqa: F821
            return None
        is_package = any(other.startswith(name + ".") for other in SOURCES)  # noqa: F821
        return importlib.util.spec_from_loader(name, _Loader(), is_package=is_package)


SOURCES["hothouse_drivers"] = ""  # noqa: F821
for driver, files in DRIVERS.items():  # noqa: F821
    SOURCES["hothouse_drivers." + driver] = ""  # noqa: F821
    for file in [file for file in files if file.endswith(".py")]:
        SOURCES["hothouse_drivers.%s.%s" % (driver, file[: -len(".py")])] = files[file]  # noqa: F821
sys.meta_path.insert(0, _Finder())
sys.dont_write_bytecode = True

from hothouse_agent import walls  # noqa: E402

# Before anything else: what the other modules take from the environment is then clean.
walls.build(WALLS)  # noqa: F821

from hothouse_agent import drivers, init  # noqa: E402

drivers.files = DRIVERS  # noqa: F821

if WALLS["network"] == "proxy":  # noqa: F821
    from hothouse_agent import forwarder

    forwarder.start()

init.main()
