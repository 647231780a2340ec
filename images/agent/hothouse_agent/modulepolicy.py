"""
The modules that user code may import. A policy, not a wall: code that wants to can get around it. It holds for user code
alone, so that a library may import what it needs.
"""

import ast
import builtins
import importlib
import sys

from . import environment

_USER_FOLDERS = (environment.WORKSPACE + "/", "/tmp/", "/dev/shm/")
# Code of the agent, see boot.py, and frozen code of Python.
_OTHER_CODE = ("<hothouse>/", "<frozen ")
_ALLOWED = "it is not on the list python.allowedModules"
_BLOCKED = "it is on the list python.blockedModules"


class ImportRefused(ImportError):
    """An import that the policy does not allow."""

    # As tracebacks name it.
    __module__ = "builtins"


class Policy:
    """Modules with their submodules. `blocked` takes precedence; an empty `allowed` allows every module."""

    def __init__(self, allowed, blocked):
        self._allowed = [name.split(".") for name in allowed]
        self._blocked = [name.split(".") for name in blocked]

    def refusal(self, module, names=()):
        """The error for `import module` or `from module import *names`; None when the policy allows it."""
        # A name may be a submodule.
        members = [module + "." + _plain(name) for name in names if isinstance(name, str) and name != "*"]
        for name in (module, *members):
            if _is_listed(name, self._blocked):
                return _refused(name, _BLOCKED)
        if self._allowed and not _is_listed(module, self._allowed):
            for name in members or [module]:
                if not _is_listed(name, self._allowed):
                    return _refused(module, _ALLOWED)
        return None


def _plain(name):
    # A subclass of str can answer differently when it is compared or split.
    return str.__str__(name)


def _is_listed(name, prefixes):
    parts = name.split(".")
    return any(parts[: len(prefix)] == prefix for prefix in prefixes)


def _refused(name, why):
    return ImportRefused("The code may not import %s: %s." % (name, why), name=name)


_policy = None
_import = builtins.__import__
_import_module = importlib.import_module


def apply(lists):
    """Makes `lists`, as requests have them, the policy of this process; None ends every policy."""
    global _policy
    _policy = None if lists is None else Policy(lists["allowed"], lists["blocked"])
    if _policy is not None and builtins.__import__ is _import:
        builtins.__import__ = importlib.__import__ = _checked_import
        importlib.import_module = _checked_import_module


def check(tree, name):
    """Raises, at its place in the file `name`, for the first import in the syntax tree that the policy refuses."""
    if _policy is None:
        return
    for node in ast.walk(tree):
        error = _refusal_of(node)
        if error is not None:
            # The traceback then names the line, and shows it.
            place = compile("\n" * (node.lineno - 1) + "raise error", name, "exec")
            exec(place, {"error": error})


def _refusal_of(node):
    if isinstance(node, ast.Import):
        found = (_policy.refusal(item.name) for item in node.names)
        return next((error for error in found if error is not None), None)
    if isinstance(node, ast.ImportFrom) and node.module and not node.level:
        return _policy.refusal(node.module, [item.name for item in node.names])
    return None


def _checked_import(name, globals=None, locals=None, fromlist=(), level=0):
    if _policy is not None:
        caller = sys._getframe(1)
        if not _is_from_c(caller, globals, locals, fromlist) and _is_user_code(caller):
            _raise_refusal(_absolute(name, globals, level), fromlist or ())
    return _import(name, globals, locals, fromlist, level)


def _checked_import_module(name, package=None):
    if _policy is not None and _is_user_code(sys._getframe(1)):
        name = _plain(name) if isinstance(name, str) else name
        level = len(name) - len(name.lstrip("."))
        _raise_refusal(_absolute(name[level:], {"__package__": package}, level), ())
    return _import_module(name, package)


def _raise_refusal(name, members):
    error = _policy.refusal(name, members) if name else None
    if error is not None:
        raise error


def _is_from_c(caller, globals, locals, fromlist):
    # What PyImport_Import passes: a library in C imports, and the frame is that of its caller. Code that names the
    # function may pass the same.
    passed = type(fromlist) is list and not fromlist and globals is not None and globals is locals
    return passed and "__import__" not in caller.f_code.co_names


def _absolute(name, globals, level):
    if not isinstance(name, str):
        return None
    name = _plain(name)
    if not level:
        return name
    package = (globals or {}).get("__package__") or (globals or {}).get("__name__")
    parts = package.split(".") if isinstance(package, str) else []
    # Python itself reports what cannot be resolved.
    return ".".join([*parts[: len(parts) - level + 1], *filter(None, [name])]) if parts else None


def _is_user_code(frame):
    while frame is not None:
        file = frame.f_code.co_filename
        if not file.startswith("<"):
            return _is_user_file(file)
        if file.startswith(_OTHER_CODE):
            return False
        # A cell, or code that was made at run time: it belongs to the module of its variables, or to who runs it.
        module = frame.f_globals.get("__name__")
        if module == "__main__":
            return True
        found = sys.modules.get(module) if isinstance(module, str) else None
        if found is not None:
            file = getattr(found, "__file__", None)
            return isinstance(file, str) and _is_user_file(file)
        frame = frame.f_back
    return True


def _is_user_file(file):
    return not file.startswith("/") or file.startswith(_USER_FOLDERS)
