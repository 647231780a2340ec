"""Calls a function once a module is imported."""

import sys


class _Watcher:
    """The first finder of modules on the path, in a process that will execute user code."""

    def __init__(self):
        self.waiting = {}

    def find_spec(self, name, path=None, target=None):
        if name not in self.waiting:
            return None
        spec = self._find(name, path, target)
        if spec is None or spec.loader is None:
            return None
        load = spec.loader.exec_module

        def exec_module(module):
            load(module)
            action = self.waiting.pop(name, None)
            if action is not None:
                action(module)

        spec.loader.exec_module = exec_module
        return spec

    def _find(self, name, path, target):
        """What the other finders find."""
        for finder in sys.meta_path:
            find = getattr(finder, "find_spec", None)
            spec = find(name, path, target) if finder is not self and find is not None else None
            if spec is not None:
                return spec
        return None


_watcher = _Watcher()


def on_import(name, action):
    """Once `start` was called: calls `action(module)` right after the module's own code has run, once."""
    _watcher.waiting[name] = action


def start():
    """Calls at once what waits for modules that are there already."""
    for name in list(_watcher.waiting):
        module = sys.modules.get(name)
        if module is not None:
            _watcher.waiting.pop(name)(module)
    sys.meta_path.insert(0, _watcher)
