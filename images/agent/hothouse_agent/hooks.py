"""Calls a function once a module is imported, at once if it already was."""

import importlib.util
import sys


class _Watcher:
    def __init__(self):
        self._waiting = {}
        self._searching = set()

    def watch(self, name, action):
        self._waiting[name] = action

    def find_spec(self, name, path=None, target=None):
        if name not in self._waiting or name in self._searching:
            return None
        self._searching.add(name)
        try:
            spec = importlib.util.find_spec(name)
        finally:
            self._searching.discard(name)
        if spec is None or spec.loader is None:
            return None
        load = spec.loader.exec_module

        def exec_module(module):
            load(module)
            action = self._waiting.pop(name, None)
            if action is not None:
                action(module)

        spec.loader.exec_module = exec_module
        return spec


_watcher = _Watcher()


def on_import(name, action):
    """Calls `action(module)` once, right after the module's own code has run."""
    module = sys.modules.get(name)
    if module is not None:
        action(module)
        return
    _watcher.watch(name, action)
    if _watcher not in sys.meta_path:
        sys.meta_path.insert(0, _watcher)
