"""The first code of the agent: see boot.py, which leaves the dict AGENT."""

import marshal
import sys
from importlib.machinery import ModuleSpec

# Its place in sys.flags.
_NO_SITE = 6


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


def _add_packages():
    """Makes this interpreter, which was started with -S, one that was not, also for those that its runs start."""
    import ctypes
    import site

    ctypes.pythonapi.PyStructSequence_SetItem(ctypes.py_object(sys.flags), ctypes.c_ssize_t(_NO_SITE), ctypes.py_object(0))
    site.main()


sys.meta_path.insert(0, _Finder())
sys.dont_write_bytecode = True

from hothouse_agent import walls  # noqa: E402

# Before anything else: what the other modules take from the environment is then clean.
walls.build(AGENT["walls"])  # noqa: F821
if sys.flags.no_site:
    # Packages may bring code that runs at every start: not before the walls.
    _add_packages()

if AGENT["walls"]["network"] == "proxy":  # noqa: F821
    from hothouse_agent import forwarder

    forwarder.start()

from hothouse_agent import greeting  # noqa: E402

hello = greeting.exchange()

from hothouse_agent import drivers, init  # noqa: E402

drivers.files = AGENT["drivers"]  # noqa: F821
init.main(hello)
