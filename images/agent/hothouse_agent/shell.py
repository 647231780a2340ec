"""IPython, where the image has it: magics, formatters, completion, and its display functions, which send our events."""

import os
import re
import signal
import sys

from . import display, hooks, environment

# Runs are to have IPython: the engine has it preloaded, and this image has it. A process without it loads it when needed.
is_expected = False
# Values of %matplotlib that ask for no window.
_INLINE = (None, "auto", "agg", "inline")
_NUMBER = re.compile(r"\d+")
_shell = None
_inline = None
_publisher = None
_main = None
# What callbacks get about the cell that runs.
_result = None


def prepare():
    """In the zygote: creates the shell once, if IPython was preloaded."""
    if _shell is None and "IPython" in sys.modules:
        _make()


def install(publisher, main):
    """The shell will be connected to `publisher` in a child, or when IPython is imported there."""
    global _publisher, _main
    _publisher, _main = publisher, main
    hooks.on_import("IPython", lambda _: _make_and_connect())


def connect():
    """In a child: connects the shell to this run, where it was made before the fork."""
    if _shell is not None:
        _connect()
    elif is_expected:
        # Loading replaces it by IPython's.
        _main.__dict__["get_ipython"] = _load_and_get


def load():
    """Loads IPython where runs are to have it; what depends on it is then the same in every process."""
    if is_expected:
        _ensure()


def _load_and_get():
    load()
    return _shell


def _make_and_connect():
    # What was made before the fork is connected already.
    if _shell is None:
        _make()
        _connect()


def _make():
    global _shell
    import pathlib

    from IPython.core.interactiveshell import InteractiveShell
    from traitlets.config import Config

    config = Config()
    # No history file, and so no thread, which a fork would not copy.
    config.HistoryManager.enabled = False
    config.InteractiveShell.colors = "NoColor"
    _shell = InteractiveShell.instance(config=config, user_module=_main, user_ns=_main.__dict__)
    _shell.history_manager.dir_hist[:] = [pathlib.Path(environment.WORKSPACE)]
    # `%cd` and `%bookmark` keep lists there, and without the library that writes it to files each use warns.
    if getattr(_shell.db, "_mock", False):
        _shell.db = {}
    # There is no terminal, in which IPython would run programs.
    _shell.system = _system
    # Python's own functions end the cell; IPython's need a terminal.
    for name in ("exit", "quit"):
        _main.__dict__.pop(name, None)
    # There is no window: figures are shown inline, whatever `%matplotlib` or `%gui` request.
    _shell.enable_gui = lambda gui=None: None
    _shell.enable_matplotlib = _enable_matplotlib
    # A cell cannot be written from here: `%load` and `%recall` show what they would put there.
    _shell.set_next_input = lambda text, replace=False: print(text)
    _add_inline_backend()


def _enable_matplotlib(gui=None):
    if gui not in _INLINE:
        print("%%matplotlib %s: figures are shown inline, as there is no window for interactive ones." % gui)
    return gui, "inline"


def _system(command):
    """Runs a command line with `sh`, on the streams of the cell; an interrupt ends it and the cell."""
    import subprocess

    # Variables of the calling frame may be named in the command.
    expanded = _shell.var_expand(command, depth=1)
    child = subprocess.Popen(expanded, shell=True, start_new_session=True)
    try:
        code = child.wait()
    except BaseException:
        os.killpg(child.pid, signal.SIGKILL)
        child.wait()
        raise
    _main.__dict__["_exit_code"] = code


def _add_inline_backend():
    """For `%config InlineBackend.…`, with which many notebooks begin."""
    global _inline
    try:
        from matplotlib_inline.config import InlineBackend
    except ImportError:
        return
    _inline = InlineBackend.instance(parent=_shell)
    _shell.configurables.append(_inline)


def figure_formats():
    """The formats of figures that `%config InlineBackend.figure_formats` has set, or none."""
    return () if _inline is None else _inline.figure_formats


def _connect():
    # Not a variable of the user.
    _shell.user_ns_hidden["display"] = _main.__dict__.get("display")
    _shell.display_pub.publish = _publish
    _shell.display_pub.clear_output = _publisher.clear
    _publisher.add_formatter(_format, general=True)


def _publish(data, metadata=None, source=None, *, transient=None, update=False, **_):
    _publisher.show(data, (transient or {}).get("display_id"), update)


def _format(value):
    data, _ = _shell.display_formatter.format(value)
    displays_itself = not data and hasattr(type(value), "_ipython_display_")
    return display.DISPLAYED if displays_itself else data


def _ensure():
    if _shell is None:
        try:
            # The import hook creates the shell.
            import IPython  # noqa: F401
        except ImportError:
            return False
    return True


def transform(code):
    """`code` with magics and shell escapes turned into plain Python; None without IPython."""
    return _shell.transform_cell(code) if _ensure() else None


def begin_cell(code, name):
    """Before a cell of a session: does what IPython does before its own, such as to call what `%autoreload` has registered."""
    global _result
    if _shell is None:
        return
    from IPython.core.interactiveshell import ExecutionInfo, ExecutionResult

    try:
        _result = ExecutionResult(ExecutionInfo(code, True, False, True, None))
        _remember(code, int(_NUMBER.search(name)[0]))
        _shell.events.trigger("pre_execute")
        _shell.events.trigger("pre_run_cell", _result.info)
    except Exception:
        # User code has changed IPython: the cell does without it.
        return


def _remember(code, number):
    """Keeps the text of a cell as `In[number]`, for `%history` and the like."""
    history = _shell.history_manager
    for texts in (history.input_hist_parsed, history.input_hist_raw):
        # Of cells that ran before IPython was loaded.
        texts.extend([""] * (number - len(texts)))
    _shell.execution_count = number
    history.store_inputs(number, code)


def end_cell(error):
    """After a cell of a session, which `error` has ended unless it is None."""
    global _result
    result, _result = _result, None
    if result is None:
        return
    result.error_in_exec = error
    try:
        _shell.events.trigger("post_execute")
        _shell.events.trigger("post_run_cell", result)
    except Exception:
        return


def interactivity():
    """Which statements of a cell show their value, in IPython's words."""
    return "last_expr" if _shell is None else _shell.ast_node_interactivity


def load_completer():
    """Has Jedi read the types of the built-in names, which takes a second and more; nothing without IPython."""
    if _shell is None:
        return
    try:
        import jedi

        jedi.Interpreter("", [{}]).complete(1, 0)
    except Exception:
        # Without Jedi, or where user code has changed it: completions work as far as they do.
        return


def complete(code, cursor):
    """IPython's completions as (start, end, matches), offsets in code points; None without IPython."""
    if not _ensure():
        return None
    from IPython.core.completer import provisionalcompleter

    with provisionalcompleter():
        found = list(_shell.Completer.completions(code, cursor))
    if not found:
        return cursor, cursor, []
    return found[0].start, found[0].end, [item.text for item in found]
