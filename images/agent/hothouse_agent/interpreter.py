"""The Python driver: runs the engine's requests, and sends events and answers. User code runs in the same process."""

import _signal
import _thread
import atexit
import builtins
import collections
import json
import linecache
import os
import resource
import signal
import sys
import types

from . import cell, charts, completion, debugger, display, duplicate, hooks, jsonshape, modulepolicy, pictures
from . import progress, questions, randomness, shell, stdio, widgets, workspace
from .linereader import LineReader


# How many left-out variables are named, and characters of each name, which may be two UTF-16 code units.
_MAX_NAMES = 100
_MAX_NAME = 200
# Reserved in a state event for everything but the variables: the names of those that are left out.
_OTHER_BYTES = 1 << 18
_OTHER_VALUES = 200

# What the engine waits for. No number of events may keep it from coming.
_ANSWERS = frozenset(("state", "done", "completions", "copied", "input"))

# Characters of a prompt that are shown; a program may put much before its question.
_MAX_PROMPT = 1_000

# A session that gets no request for so long waits for a person. Seconds.
_IDLE = 0.5

_SIGINT = int(signal.SIGINT)
# Of a JSON text: the value, and where it ends.
_parse = json.JSONDecoder().scan_once

_main = types.ModuleType("__main__")


# A cell as the engine sends it, and how often it runs before any fork: from the ninth call on, no version of Python adapts
# the code of a function any more.
_REHEARSED = {"op": "run", "token": "", "once": False, "code": "print()", "name": "<code>", "stdin": "", "state": None}
_REHEARSALS = 10

# That of every child that is forked from now on.
_interpreter = None


def make(ports):
    """
    In the first process, before any fork: makes the interpreter of all children, whose descriptors are `ports`. These
    must be free.
    """
    global _interpreter
    _interpreter = Interpreter(ports)
    _interpreter.rehearse()


def prepare():
    """In the zygote: does once what every child would have to do."""
    pictures.prepare()
    shell.prepare()
    # The exit functions of preloaded modules concern no run, and would cost each a millisecond.
    atexit._clear()


def serve(event_bytes, max_events):
    """In a child: serves the engine's requests; never returns."""
    _interpreter.serve(event_bytes, max_events)


def _changes(request):
    changed = workspace.has_changed(int(request["changesSince"])) if "changesSince" in request else None
    return {} if changed is None else {"filesChanged": changed}


# The descriptors of an interpreter, beside its standard streams.
Ports = collections.namedtuple("Ports", "requests events answers control")


class Interpreter:
    """Made before the fork: a child copies a page or two of memory for each function that it calls."""

    def __init__(self, ports):
        self._ports = ports
        self._requests = LineReader(ports.requests)
        self._sequencer = stdio.OutputSequencer(ports.events, ports.answers)
        self._streams = stdio.Streams(self._sequencer)
        self._token = None
        self._publisher = display.Publisher(self._emit, 0, 0)
        self._interruptible = False
        self._interrupted = False
        self._can_ask = False
        self._asked = 0
        # Those of the child.
        self._pid = self._thread = None
        self._has_stdin = False
        self._runner = cell.Runner(_main)
        _main.__dict__["__builtins__"] = builtins
        _main.__dict__["display"] = self._publisher.display
        pictures.install(self._publisher)
        shell.install(self._publisher, _main)
        questions.install(self._ask)
        debugger.install(self._on_interrupt)
        progress.install()
        charts.install()
        widgets.install(self._publisher)

    def rehearse(self):
        """
        Runs a cell that says nothing. Python adapts the code of a function to what it does in the first calls, and
        remembers where it has found attributes; each child would do both again, in memory that it would have to copy.
        """
        reader, writer = os.pipe()
        null = os.open(os.devnull, os.O_WRONLY)
        for fd, port in ((reader, self._ports.requests), (null, self._ports.events), (null, self._ports.answers)):
            os.dup2(fd, port, inheritable=False)
        before = sys.stdout, sys.stderr
        self._streams.become_output()
        try:
            for _ in range(_REHEARSALS):
                os.write(writer, json.dumps(_REHEARSED).encode() + b"\n")
                self._run(_parse(next(self._lines()).decode(), 0)[0])
        finally:
            sys.stdout, sys.stderr = before
            for fd in (reader, writer, null, self._ports.requests, self._ports.events, self._ports.answers):
                os.close(fd)
            linecache.cache.pop(_REHEARSED["name"], None)
            self._has_stdin = False

    def _emit(self, kind, **fields):
        text = json.dumps({"type": kind, "token": self._token, **fields})
        self._sequencer.emit(jsonshape.well_formed(text).encode(), kind in _ANSWERS)

    def serve(self, event_bytes, max_events):
        # That of `signal` converts its arguments and its result.
        _signal.signal(_SIGINT, self._on_interrupt)
        self._pid = os.getpid()
        self._thread = _thread.get_ident()
        self._sequencer.adopt()
        self._publisher.limit(event_bytes, max_events)
        sys.modules["__main__"] = _main
        self._streams.install()
        randomness.install()
        shell.connect()
        hooks.start()
        self._given = frozenset(_main.__dict__)
        for line in self._lines():
            request = _parse(line.decode(), 0)[0]
            self._token = request["token"]
            if request["op"] == "complete":
                self._emit("completions", **self._complete(request))
                continue
            if request["op"] == "copy":
                self._copy(request["count"])
                continue
            if request["op"] == "input":
                # The answer to a question that an interrupt has ended.
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
        self._requests = LineReader(self._ports.requests)
        self._pid = os.getpid()
        self._interrupted = False
        self._sequencer.adopt()
        self._streams.renew()
        self._runner.renew_loop()

    def _lines(self):
        """The requests. While a session waits for its second one, it loads what its first completion would wait for."""
        is_first = True
        while True:
            line = self._requests.take()
            while line is None:
                if not self._requests.fill():
                    return
                line = self._requests.take()
            yield line
            if is_first and not self._requests.is_ready(_IDLE):
                shell.load_completer()
                is_first = False

    def _ask(self, prompt, is_secret):
        """The engine's answer to `prompt`; None where it cannot be asked. Raises EOFError when it has none."""
        is_main = _thread.get_ident() == self._thread
        if not self._can_ask or not is_main or os.getpid() != self._pid:
            return None
        sys.stdout.write(prompt)
        self._asked += 1
        self._emit("input", key=self._asked, prompt=prompt[-_MAX_PROMPT:], secret=is_secret)
        while True:
            answer = json.loads(self._wait_for_line())
            if answer["op"] == "input" and answer["key"] == self._asked and answer["token"] == self._token:
                if answer["text"] is None:
                    raise EOFError("the input was cancelled")
                return answer["text"]

    def _wait_for_line(self):
        """The next line while a cell runs; an interrupt ends the wait and loses nothing of what arrives later."""
        line = self._requests.take()
        while line is None:
            self._requests.is_ready()
            # An interrupt may not come between the reading of bytes and their keeping.
            self._interrupted = self._interruptible = False
            is_open = self._requests.fill()
            self._interruptible = True
            if self._interrupted:
                raise KeyboardInterrupt
            if not is_open:
                raise EOFError("the session has ended")
            line = self._requests.take()
        return line

    def _on_interrupt(self, *_):
        # One that comes before the code starts is for it too: the process may only be slow.
        self._interrupted = True
        if self._interruptible:
            raise KeyboardInterrupt

    def _run(self, request):
        # A new process has an empty one.
        if request["stdin"] or self._has_stdin:
            stdio.give_stdin(request["stdin"])
        self._has_stdin = True
        self._can_ask = request.get("asks", False)
        self._publisher.restart()
        modulepolicy.apply(request.get("modules"))
        state = request["state"]
        if "file" in request:
            self._runner.namespace["__file__"] = request["file"]
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
            if request["once"]:
                end = self._runner.run(request["code"], request["name"], self._publisher)
                cell.finish_threads()
            else:
                end = self._run_cell(request["code"], request["name"])
            self._interruptible = False
        except KeyboardInterrupt as error:
            self._interruptible = False
            end = cell.failed(error)
        self._interrupted = False
        if end.error is not None:
            self._emit("error", **end.error)
        if end.cause is not None and not request["once"]:
            debugger.remember(end.cause)
        return end

    def _run_cell(self, code, name):
        shell.begin_cell(code, name)
        end = self._runner.run(code, name, self._publisher, shell.interactivity())
        shell.end_cell(end.cause)
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
