"""The Python driver: takes requests from the relay, runs them, and says how they went. Lives beside user code."""

import json
import os
import resource
import signal
import sys
import types

from . import cell, completion, display, pictures, shell, stdio


def prepare():
    """Does in the zygote what every child would do again."""
    pictures.prepare()
    shell.prepare()


class Interpreter:
    def __init__(self, requests, events, once, event_bytes):
        self._requests = os.fdopen(requests, "rb")
        self._once = once
        self._order = stdio.Order(events)
        self._token = None
        self._publisher = display.Publisher(self._emit, event_bytes)
        self._interruptible = False
        self._runner = cell.Runner(self._new_main())

    def _new_main(self):
        module = types.ModuleType("__main__")
        module.__dict__["__builtins__"] = __builtins__
        module.__dict__["display"] = self._publisher.display
        sys.modules["__main__"] = module
        return module

    def _emit(self, kind, **fields):
        self._order.emit(json.dumps({"type": kind, "token": self._token, **fields}).encode())

    def serve(self):
        signal.signal(signal.SIGINT, self._on_interrupt)
        stdio.install(self._order)
        _reseed()
        pictures.install(self._publisher)
        shell.install(self._publisher, self._runner.namespace)
        for line in self._requests:
            request = json.loads(line)
            self._token = request["token"]
            if request["op"] == "complete":
                self._emit("completions", **completion.complete(request, self._runner.namespace))
                continue
            code = self._run(request)
            if self._once:
                os._exit(code)
        os._exit(0)

    def _on_interrupt(self, *_):
        if self._interruptible:
            raise KeyboardInterrupt

    def _run(self, request):
        stdio.give_stdin(request["stdin"])
        self._publisher.restart()
        state = request["state"]
        if state is not None:
            self._runner.namespace.update(state)
        end = self._attempt(request)
        stdio.flush()
        self._emit(
            "done",
            status=end.status,
            exitCode=end.exit_code,
            state=None if state is None else _state_of(self._runner.namespace),
            peakMemoryBytes=resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024,
            dropped=self._publisher.dropped,
        )
        return end.exit_code if end.exit_code is not None else int(end.status != "ok")

    def _attempt(self, request):
        try:
            self._interruptible = True
            end = self._runner.run(request["code"], request["name"], self._publisher)
            if self._once:
                cell.finish_threads()
            self._interruptible = False
        except KeyboardInterrupt as error:
            self._interruptible = False
            end = cell.failed(error)
        if end.error is not None:
            self._emit("error", **end.error)
        return end


def _reseed():
    # random reseeds itself after a fork; NumPy's global generator would give every run the same numbers.
    numpy_random = sys.modules.get("numpy.random")
    if numpy_random is not None:
        numpy_random.seed()


def _state_of(namespace):
    """The user's variables that JSON can carry, and nothing else."""
    state = {}
    for name, value in list(namespace.items()):
        if name.startswith("_") or isinstance(value, (types.ModuleType, types.FunctionType, type)):
            continue
        try:
            text = json.dumps(value, allow_nan=False)
        except (TypeError, ValueError, RecursionError):
            continue
        # What JSON would turn into something else (tuples, keys that are no strings) still is the nearest it has.
        state[name] = json.loads(text)
    state.pop("display", None)
    return state
