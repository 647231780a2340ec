"""Runs one cell in a namespace: shows the value of its last expression, awaits at top level, reports errors."""

import __future__
import ast
import atexit
import linecache
import sys
import traceback

from . import advice, modulepolicy, packages, shell

_FUTURES = 0
for _name in __future__.all_feature_names:
    _FUTURES |= getattr(__future__, _name).compiler_flag
# The file names of the agent's own modules; see boot.py.
_AGENT_FILES = "<hothouse>/"
# inspect.CO_COROUTINE, without the cost of importing inspect.
_CO_COROUTINE = 0x80


class End:
    """How a cell ended. `error` is the payload of an error event, or None, and `cause` the exception of user code."""

    def __init__(self, status, exit_code=None, error=None, cause=None):
        self.status = status
        self.exit_code = exit_code
        self.error = error
        self.cause = cause


class Runner:
    def __init__(self, module):
        self.namespace = module.__dict__
        self._futures = 0
        self._loop = None

    def run(self, code, name, publisher, interactivity="last_expr"):
        """
        Runs `code` and returns its `End`; raises only when the driver itself is broken. `interactivity` says which
        statements show their value, in IPython's words.
        """
        # Tracebacks then show the user's own lines.
        linecache.cache[name] = (len(code), None, code.splitlines(True), name)
        try:
            packages.refresh()
            units = self._compile(code, name, interactivity)
            for unit, is_value in units:
                value = self._execute(unit)
                if is_value and value is not None:
                    self.namespace["_"] = value
                    # A cell has one result, its last value.
                    show = publisher.result if unit is units[-1][0] else publisher.display
                    show(value)
            publisher.end_of_cell()
            return End("ok")
        except SystemExit as error:
            return _exited(error)
        except BaseException as error:
            return failed(error)

    def _compile(self, code, name, interactivity):
        """The code in units to be executed one after the other, each with whether its value is shown."""
        tree = self._parse(code, name)
        modulepolicy.check(tree, name)
        if interactivity == "last_expr_or_assign":
            tree.body += _assigned(tree)
        # As in notebooks: a value that ends in a semicolon is not shown.
        shows = interactivity != "none" and not code.rstrip().endswith(";")
        units, body = [], []
        for at, statement in enumerate(tree.body, 1):
            is_last = at == len(tree.body)
            is_value = shows and isinstance(statement, ast.Expr) and (is_last or interactivity == "all")
            if not is_value:
                body.append(statement)
            if body and (is_value or is_last):
                units.append((self._code(ast.Module(body, tree.type_ignores), name, "exec"), False))
                body = []
            if is_value:
                units.append((self._code(ast.Expression(statement.value), name, "eval"), True))
        return units

    def _parse(self, code, name):
        try:
            return self._code(code, name, "exec", ast.PyCF_ONLY_AST)
        except SyntaxError as error:
            broken = error
        # Magics and shell escapes are not Python. Most code has none and does not get here.
        changed = shell.transform(code)
        if changed is None or changed.strip() == code.strip():
            raise broken.with_traceback(None)
        return self._code(changed, name, "exec", ast.PyCF_ONLY_AST)

    def _code(self, source, name, mode, flags=0):
        flags |= ast.PyCF_ALLOW_TOP_LEVEL_AWAIT | self._futures
        unit = compile(source, name, mode, flags, dont_inherit=True)
        if not flags & ast.PyCF_ONLY_AST:
            self._futures |= unit.co_flags & _FUTURES
        return unit

    def renew_loop(self):
        """In a copy of the process: gives its event loop a selector and a pipe of its own, so that its tasks live on."""
        if self._loop is None:
            return
        import asyncio
        import selectors

        try:
            self._loop._close_self_pipe()
            before, self._loop._selector = self._loop._selector, selectors.DefaultSelector()
            for key in before.get_map().values():
                self._loop._selector.register(key.fileobj, key.events, key.data)
            before.close()
            self._loop._make_self_pipe()
        except Exception:
            # User code has changed it, or another Python has another one.
            self._loop = asyncio.new_event_loop()
            asyncio.set_event_loop(self._loop)

    def _execute(self, unit):
        value = eval(unit, self.namespace)
        if unit.co_flags & _CO_COROUTINE:
            return self._await(value)
        return value

    def _await(self, coroutine):
        import asyncio

        if self._loop is None:
            self._loop = asyncio.new_event_loop()
            asyncio.set_event_loop(self._loop)
        task = self._loop.create_task(coroutine)
        try:
            return self._loop.run_until_complete(task)
        except KeyboardInterrupt:
            self._cancel(task)
            raise

    def _cancel(self, task):
        import asyncio

        try:
            task.cancel()
            self._loop.run_until_complete(asyncio.gather(task, return_exceptions=True))
        except BaseException:
            # An interrupt while a loop stops leaves it marked as running, so that no other loop could run.
            asyncio._set_running_loop(None)
            self._loop = None


def _assigned(tree):
    """A statement with the variable that the last one gives a value, or none."""
    last = tree.body[-1] if tree.body else None
    if not isinstance(last, (ast.Assign, ast.AugAssign, ast.AnnAssign)) or last.value is None:
        return []
    target = last.targets[0] if isinstance(last, ast.Assign) else last.target
    if not isinstance(target, ast.Name):
        return []
    variable = ast.Name(target.id, ast.Load())
    return [ast.fix_missing_locations(ast.copy_location(ast.Expr(variable), last))]


def _exited(error):
    code = error.code
    if code is None:
        return End("ok", 0)
    if isinstance(code, int):
        # As for a process: what does not fit a C long counts as -1.
        status = code & 0xFF if -(1 << 63) <= code < 1 << 63 else 0xFF
        return End("error", status, _exit_error(_text(code))) if code else End("ok", 0)
    print(_text(code), file=sys.stderr)
    return End("error", 1, _exit_error("1"))


def _exit_error(message):
    return {"name": "SystemExit", "message": message, "traceback": ""}


def _text(value):
    try:
        return str(value)[:10_000]
    except BaseException:
        return "<its message could not be made>"


def failed(error):
    """The end of a cell that `error` ended."""
    interrupted = isinstance(error, KeyboardInterrupt)
    return End("interrupted" if interrupted else "error", None, _describe(error), error)


def _describe(error):
    name = type(error).__name__
    message, shown = _text(error), _traceback(error)[-100_000:]
    line = _advice(error)
    if line is not None:
        message, shown = message + "\n" + line, shown + line + "\n"
    return {"name": name, "message": message, "traceback": shown}


def _advice(error):
    try:
        return advice.on(error)
    except BaseException:
        # An exception of user code may be made to fail here.
        return None


def _traceback(error):
    try:
        report = traceback.TracebackException(type(error), error, error.__traceback__)
        _hide_driver(report)
        return "".join(report.format())
    except BaseException as second:
        return "%s (its traceback could not be made: %s)\n" % (type(error).__name__, type(second).__name__)


def user_traceback(error):
    """The traceback of `error` from the first frame of user code on; None without one."""
    frames = error.__traceback__
    while frames is not None and frames.tb_frame.f_code.co_filename.startswith(_AGENT_FILES):
        frames = frames.tb_next
    return frames


def _hide_driver(report):
    seen = set()
    while report is not None and id(report) not in seen:
        seen.add(id(report))
        frames = [frame for frame in report.stack if not frame.filename.startswith(_AGENT_FILES)]
        report.stack = traceback.StackSummary.from_list(frames)
        report = report.__cause__ or report.__context__


def finish_threads():
    """Does what Python does at the end of a program's main thread: joins threads, runs exit functions."""
    threading = sys.modules.get("threading")
    if threading is not None:
        # Not join(): the threads of executors wait for work until this call ends them.
        threading._shutdown()
    atexit._run_exitfuncs()
