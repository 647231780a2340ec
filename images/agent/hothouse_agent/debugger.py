"""What debuggers need: the last error of a session, for `%debug` and `pdb.pm()`, and interrupts that end them."""

import sys

from . import cell, hooks


def install(on_interrupt):
    hooks.on_import("pdb", lambda module: _adapt(module.Pdb, on_interrupt))


def _adapt(debugger, on_interrupt):
    # As made, an interrupt at its prompt shows the prompt again, and after `continue` it opens the prompt.
    debugger._cmdloop = lambda self: self.cmdloop()
    debugger.sigint_handler = lambda self, *signal: on_interrupt(*signal)


def remember(error):
    """Keeps the error of a cell as an interactive Python does."""
    frames = cell.user_traceback(error)
    if frames is None:
        return
    sys.last_exc = sys.last_value = error.with_traceback(frames)
    sys.last_type = type(error)
    sys.last_traceback = frames
