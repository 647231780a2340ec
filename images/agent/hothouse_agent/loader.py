"""The first code of the agent's own interpreter: see boot.py, which leaves the dict AGENT."""

import marshal
import sys
from importlib.machinery import ModuleSpec


# Without the bases of importlib.abc, which imports much that no run needs.
class _Loader:
    def create_module(self, spec):
        return None

    def exec_module(self, module):
        exec(marshal.loads(AGENT["modules"].pop(module.__name__)), module.__dict__)  # noqa: F821


class _Finder:
    def find_spec(self, name, path=None, target=None):
        if name not in AGENT["modules"]:  # noqa: F821
            return None
        return ModuleSpec(name, _Loader(), is_package=name in AGENT["packages"])  # noqa: F821


sys.meta_path.insert(0, _Finder())
sys.dont_write_bytecode = True

from hothouse_agent import walls  # noqa: E402

# Before anything else: what the other modules take from the environment is then clean.
walls.build(AGENT["walls"])  # noqa: F821

from hothouse_agent import drivers, init  # noqa: E402

drivers.files = AGENT["drivers"]  # noqa: F821

if AGENT["walls"]["network"] == "proxy":  # noqa: F821
    from hothouse_agent import forwarder

    forwarder.start()

init.main()
