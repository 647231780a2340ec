"""The Python driver: runs the engine's requests, and sends events and answers. User code runs in the same process."""

import atexit
import collections
import io
import json
import os
import resource
import select
import signal
import sys
import types

from . import cell, completion, display, duplicate, jsonshape, modulepolicy, pictures, randomness, shell, stdio
from . import workspace


# How many left-out variables are named, and characters of each name, which may be two UTF-16 code units.
_MAX_NAMES = 100
_MAX_NAME = 200
# Reserved in a state event for everything but the variables: the names of those that are left out.
_OTHER_BYTES = 1 << 18
_OTHER_VALUES = 200

# What the engine waits for. No number of events may keep it from coming.
_ANSWERS = frozenset(("state", "done", "completions", "copied"))

# A session that gets no request for so long waits for a person. Seconds.
_IDLE = 0.5

_main = types.ModuleType("__main__")


def prepare():
    """In the zygote: does once what every child would have to do."""
    pictures.prepare()
    shell.prepare(_main)
    # The exit functions of preloaded modules concern no run, and would cost each a millisecond.
    atexit._clear()


def _changes(request):
    changed = workspace.has_changed(int(request["changesSince"])) if "changesSince" in request else None
    return {} if changed is None else {"filesChanged": changed}


# The descriptors of an interpreter, beside its standard streams.
Ports = collections.namedtuple("Ports", "requests events answers control")


class Interpreter:
    def __init__(self, ports, event_bytes, max_events):
        self._ports = ports
        self._requests = os.fdopen(ports.requests, "rb")
        self._sequencer = stdio.OutputSequencer(ports.events, ports.answers)
        self._token = None
        self._publisher = display.Publisher(self._emit, event_bytes, max_events)
        self._interruptible = False
        self._interrupted = False
        self._pid = os.getpid()
        self._runner = cell.Runner(_main)
        _main.__dict__["__builtins__"] = __builtins__
        _main.__dict__["display"] = self._publisher.display
        sys.modules["__main__"] = _main

    def _emit(self, kind, **fields):
        text = json.dumps({"type": kind, "token": self._token, **fields})
        self._sequencer.emit(jsonshape.well_formed(text).encode(), kind in _ANSWERS)

    def serve(self):
        signal.signal(signal.SIGINT, self._on_interrupt)
        stdio.install(self._sequencer)
        randomness.install()
        pictures.install(self._publisher)
        shell.install(self._publisher, _main)
        self._given = frozenset(_main.__dict__)
        for line in self._lines():
            request = json.loads(line)
            self._token = request["token"]
            if request["op"] == "complete":
                self._emit("completions", **self._complete(request))
                continue
            if request["op"] == "copy":
                self._copy(request["count"])
                continue
            # An earlier interrupt was meant for something else; from now on they are for this cell.
            self._interrupted = False
            if not request["once"]:
                self._emit("begun")
            code = self._run(request)
            if request["once"] or os.getpid() != self._pid:
                # Also in a fork of user code that reached the end of the cell: the next cell is not for it.
                os._exit(code)
        os._exit(0)

    def _copy(self, count):
        """Continues in each copy too, which serves the requests of its own channel."""
        stdio.flush()
        losses = duplicate.losses(self._ports.control)
        fds = duplicate.make(self._ports.control, count)
        if fds is None:
            self._emit("copied", **losses)
        else:
            self._adopt(*fds)

    def _adopt(self, requests, stdout, stderr, events, answers, control):
        given = {1: stdout, 2: stderr, self._ports.requests: requests, self._ports.events: events}
        for place, fd in {**given, self._ports.answers: answers, self._ports.control: control}.items():
            os.dup2(fd, place, inheritable=place in (1, 2))
            os.close(fd)
        # It may have read more of the original's requests.
        self._requests = io.BufferedReader(self._requests.detach())
        self._pid = os.getpid()
        self._interrupted = False
        self._sequencer.adopt()
        self._runner.renew_loop()

    def _lines(self):
        """The requests. While a session waits for its second one, it loads what its first completion would wait for."""
        is_first = True
        while True:
            line = self._requests.readline()
            if not line:
                return
            yield line
            if is_first and not select.select([self._requests], [], [], _IDLE)[0]:
                shell.load_completer()
                is_first = False

    def _on_interrupt(self, *_):
        # One that comes before the code starts is for it too: the process may only be slow.
        self._interrupted = True
        if self._interruptible:
            raise KeyboardInterrupt

    def _run(self, request):
        stdio.give_stdin(request["stdin"])
        self._publisher.restart()
        modulepolicy.apply(request.get("modules"))
        state = request["state"]
        if state is not None:
            self._runner.namespace.update(state)
        end = self._attempt(request)
        stdio.flush()
        if state is not None:
            kept, left_out = self._state()
            self._emit("state", state=kept, leftOut=left_out)
        self._emit(
            "done",
            status=end.status,
            exitCode=end.exit_code,
            peakMemoryBytes=resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024,
            dropped=self._publisher.dropped,
            **_changes(request),
        )
        return end.exit_code if end.exit_code is not None else int(end.status != "ok")

    def _complete(self, request):
        try:
            self._interruptible = True
            found = completion.complete(request, self._runner.namespace)
            self._interruptible = False
        except BaseException:
            # An interrupt, because a cell waits; or an exception in user code (properties, `__dir__`).
            self._interruptible = False
            found = completion.no_matches(request)
        self._interrupted = False
        return found

    def _attempt(self, request):
        try:
            self._interruptible = True
            if self._interrupted:
                raise KeyboardInterrupt
            end = self._runner.run(request["code"], request["name"], self._publisher)
            if request["once"]:
                cell.finish_threads()
            self._interruptible = False
        except KeyboardInterrupt as error:
            self._interruptible = False
            end = cell.failed(error)
        self._interrupted = False
        if end.error is not None:
            self._emit("error", **end.error)
        return end

    def _state(self):
        """The user's variables as JSON values, and the names of those that are too large or nested too deep."""
        state, left_out = {}, []
        values, size = jsonshape.MAX_VALUES - _OTHER_VALUES, jsonshape.MAX_BYTES - _OTHER_BYTES
        for name, value in list(_main.__dict__.items()):
            if not isinstance(name, str) or name.startswith("_") or name in self._given:
                continue
            try:
                text = json.dumps(value, allow_nan=False)
                member = "%s: %s, " % (json.dumps(name), text)
                count = jsonshape.values(member)
                fits = count <= values and len(member) <= size and not jsonshape.is_too_deep(text)
            except TypeError:
                # Not data: a module, a function, a file.
                continue
            except Exception:
                # No JSON value, or an exception in user code that iterates it.
                fits = False
            if not fits:
                left_out.append(name[:_MAX_NAME])
                continue
            values, size = values - count, size - len(member)
            # As it will arrive: JSON turns tuples into lists and keys into strings.
            state[name] = json.loads(text)
        return state, left_out[:_MAX_NAMES]
