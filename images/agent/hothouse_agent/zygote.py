"""What children are forked from: the modules that are imported beforehand, and the fork itself."""

import gc
import importlib
import os
import signal

from . import children, environment, gate, kernel, wipe


class Preloader:
    """Imports modules one by one, so that a run can start between two of them."""

    def __init__(self, mounts, baseline):
        self._mounts = mounts
        self._baseline = baseline
        # The request that is being served; None while there is none.
        self.request = None
        # A request was served to its end.
        self.has_preloaded = False
        # Name of a module -> whether its import succeeded.
        self._imported = {}

    def missing(self):
        """The requested modules that no import was tried of."""
        return [name for name in self.request["modules"] if name not in self._imported]

    def import_next(self, relay_fd):
        """Imports the next missing module; True when none is missing any more."""
        for name in self.missing()[:1]:
            self._imported[name] = _import(name)
            # Raises when something stays: what libraries leave there would be visible to the next run.
            wipe.empty_mounts(self._mounts)
        complete = not self.missing()
        if complete:
            gc.collect()
            gc.freeze()
            kernel.use_huge_pages()
            self.has_preloaded = True
        self._baseline.record(relay_fd)
        return complete

    def finish(self):
        """Ends the request; the answer to it."""
        request, self.request = self.request, None
        loaded = [name for name in request["modules"] if self._imported[name]]
        failed = [name for name in request["modules"] if not self._imported[name]]
        return {"op": "preloaded", "id": request["id"], "loaded": loaded, "failed": failed}


def _import(name):
    """Whether the module could be imported."""
    with gate.opened(), environment.importing():
        try:
            importlib.import_module(name)
            children.prepare()
        except Exception:
            return False
    return True


def become_child(*fds):
    """In a process that was just forked: gives up init's signal handling and closes init's descriptors."""
    signal.set_wakeup_fd(-1)
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    for fd in fds:
        os.close(fd)
