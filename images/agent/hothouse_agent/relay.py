"""
Drives an interpreter that is a program of its own. It passes the engine's requests on to the program, as lists of texts on
its descriptor 3, and makes events of the lists that come from descriptor 4. stdin, stdout and stderr are the program's own.

A list is its length and then each text, as its length in bytes and UTF-8; lengths are four bytes, the lowest first.
To the program: `run name code once`, with a fifth text where variables are given, `complete code cursor`, and `interrupt` where it asks for that in place of SIGINT.
From it: `ready` once; `begun` when it can be interrupted; then `display mime content …`, `result mime content …`,
`error name message traceback`, `state name json …` where variables were given, and at last `done status exit-status` or `completions start end match …`.
Offsets count UTF-16 code units.
"""

import fcntl
import json
import os
import select
import signal
import struct

from . import display, jsonshape, kernel, workspace

_COMMANDS = 3
_MESSAGES = 4
_LENGTH = struct.Struct("<I")
_CHUNK = 1 << 16
_REPEAT_MS = 100
_ANSWERS = frozenset(("state", "done", "completions"))
# Reserved in a state event for everything but the variables: the names of those that are left out.
_OTHER_BYTES = 1 << 18
_OTHER_VALUES = 200
_MAX_NAMES = 100
_MAX_NAME = 200
_MAX_MATCHES = 500
_MAX_MATCH = 1_000
_NUMBERS = (signal.SIGINT, signal.SIGCHLD)


def serve(argv, pipes, limits, by_signal=True, variables=None, assignments=None, once=None):
    """
    Runs the program until it or the session ends; never returns. `pipes`: the descriptors of requests, events and
    answers. `by_signal`: an interrupt is SIGINT to the program's process group. `assignments(state)`: code of the language
    that sets the variables given to a run; missing where the program takes none. `once(code)`: the code that the program
    gets of a run without a session; by default the same.
    """
    Relay(argv, pipes, limits, by_signal, variables or {}, assignments, once).serve()


class Relay:
    def __init__(self, argv, pipes, limits, by_signal, variables, assignments=None, once=None):
        self._requests, self._events, self._answers = pipes
        self._assignments = assignments
        self._once = once
        self._by_signal = by_signal
        self._publisher = display.Publisher(self._emit, limits["eventBytes"], limits["events"])
        self._request = None
        self._has_begun = False
        self._is_interrupted = False
        # An interrupt has met a process that the program had started: it is repeated until the cell ends.
        self._interrupts_child = False
        # The last answer of a program that ends after it.
        self._done = None
        self._line = b""
        self._unread = b""
        self._wake, waker = os.pipe2(os.O_CLOEXEC | os.O_NONBLOCK)
        os.set_blocking(waker, False)
        signal.set_wakeup_fd(waker, warn_on_full_buffer=False)
        for number in _NUMBERS:
            signal.signal(number, lambda *_: None)
        self._stdin = os.memfd_create("stdin")
        self._start(argv, {**os.environ, **variables})

    def _start(self, argv, variables):
        commands, self._commands = os.pipe2(os.O_CLOEXEC)
        self._messages, messages = os.pipe2(os.O_CLOEXEC)
        self._pid = os.fork()
        if self._pid == 0:
            self._exec(argv, variables, {0: self._stdin, _COMMANDS: commands, _MESSAGES: messages})
        os.close(commands)
        os.close(messages)

    def _exec(self, argv, variables, places):
        try:
            signal.set_wakeup_fd(-1)
            for number in _NUMBERS:
                signal.signal(number, signal.SIG_DFL)
            # So that an interrupt reaches it when this process says so.
            os.setpgid(0, 0)
            above = [(fcntl.fcntl(fd, fcntl.F_DUPFD_CLOEXEC, 100), place) for place, fd in places.items()]
            for fd, place in above:
                os.dup2(fd, place)
            os.execvpe(argv[0], argv, variables)
        except OSError as error:
            os.write(2, ("%s: %s\n" % (argv[0], error.strerror)).encode())
        os._exit(127)

    def serve(self):
        poll = select.poll()
        for fd in (self._requests, self._messages, self._wake):
            poll.register(fd, select.POLLIN)
        while True:
            ready = [fd for fd, _ in poll.poll(_REPEAT_MS if self._interrupts_child else None)]
            if self._interrupts_child and not ready:
                os.killpg(self._pid, signal.SIGINT)
            if self._wake in ready:
                self._on_signals()
            if self._messages in ready and not self._read_messages():
                poll.unregister(self._messages)
            if self._requests in ready:
                self._read_requests()

    # Signals

    def _on_signals(self):
        numbers = os.read(self._wake, 4096)
        if signal.SIGCHLD in numbers:
            self._reap()
        if signal.SIGINT in numbers:
            self._is_interrupted = True
            self._pass_interrupt_on()

    def _pass_interrupt_on(self):
        # One that comes before the program has begun is for the cell too.
        if self._is_interrupted and self._has_begun:
            self._is_interrupted = False
            if self._by_signal:
                # While it waits for a process that it has started, the signal ends that process and not the cell.
                self._interrupts_child = bool(kernel.descendants(self._pid))
                os.killpg(self._pid, signal.SIGINT)
            else:
                self._send(["interrupt"])

    def _reap(self):
        pid, status = os.waitpid(-1, os.WNOHANG)
        while pid and pid != self._pid:
            # A process whose parent has ended.
            pid, status = os.waitpid(-1, os.WNOHANG)
        if pid:
            os.set_blocking(self._messages, False)
            self._read_messages()
            self._end(status)

    def _end(self, status):
        """Ends as the program has."""
        if os.WIFSIGNALED(status):
            number = os.WTERMSIG(status)
            signal.signal(number, signal.SIG_DFL) if number not in (signal.SIGKILL, signal.SIGSTOP) else None
            os.kill(os.getpid(), number)
        if self._done is not None:
            self._emit("done", **self._done)
        os._exit(os.WEXITSTATUS(status))

    # Requests

    def _read_requests(self):
        data = os.read(self._requests, _CHUNK)
        if not data:
            os.killpg(self._pid, signal.SIGKILL)
            os._exit(0)
        *lines, self._line = (self._line + data).split(b"\n") if b"\n" in data else (self._line + data,)
        for line in lines:
            self._take(json.loads(line))

    def _take(self, request):
        self._request = request
        self._has_begun = False
        if request["op"] == "complete":
            self._send(["complete", request["code"], str(request["cursor"])])
            return
        self._publisher.restart()
        self._give_stdin(request["stdin"])
        if not request["once"]:
            # An earlier interrupt was meant for something else; from now on they are for this cell.
            self._is_interrupted = False
            self._emit("begun")
        code = request["code"]
        if self._once is not None and request["once"]:
            code = self._once(code)
        run = ["run", request["name"], code, "once" if request["once"] else ""]
        if self._assignments is not None and request["state"] is not None:
            run.append(self._assignments(request["state"]))
        self._send(run)

    def _give_stdin(self, text):
        # The program shares the file and its position.
        os.ftruncate(self._stdin, 0)
        os.lseek(self._stdin, 0, os.SEEK_SET)
        data = memoryview(text.encode("utf-8", "replace"))
        while data:
            data = data[os.write(self._stdin, data) :]
        os.lseek(self._stdin, 0, os.SEEK_SET)

    def _send(self, fields):
        texts = [field.encode("utf-8", "replace") for field in fields]
        data = memoryview(_LENGTH.pack(len(texts)) + b"".join(_LENGTH.pack(len(text)) + text for text in texts))
        try:
            while data:
                data = data[os.write(self._commands, data) :]
        except BrokenPipeError:
            # Its end is reported by the kernel.
            return

    # Messages of the program

    def _read_messages(self):
        """False at their end."""
        try:
            data = os.read(self._messages, 1 << 20)
        except BlockingIOError:
            return True
        self._unread += data
        fields = self._next()
        while fields is not None:
            self._on_message(_text(fields[0]), fields[1:])
            fields = self._next()
        return bool(data)

    def _next(self):
        """The next list that is there as a whole, or None."""
        data, position = self._unread, _LENGTH.size
        if len(data) < position:
            return None
        (count,) = _LENGTH.unpack_from(data)
        fields = []
        for _ in range(count):
            if len(data) < position + _LENGTH.size:
                return None
            (size,) = _LENGTH.unpack_from(data, position)
            position += _LENGTH.size + size
            if len(data) < position:
                return None
            fields.append(data[position - size : position])
        self._unread = data[position:]
        return fields

    def _on_message(self, kind, fields):
        if kind == "begun":
            self._has_begun = True
            self._pass_interrupt_on()
        elif kind in ("display", "result"):
            data = {_text(mime): _content(_text(mime), content) for mime, content in zip(fields[::2], fields[1::2])}
            self._publisher.show_result(data) if kind == "result" else self._publisher.show(data)
        elif kind == "error":
            name, message, traceback = map(_text, fields)
            self._emit("error", name=name[:1_000], message=message[:10_000], traceback=traceback[-100_000:])
        elif kind == "state":
            self._on_state(*map(_text, fields))
        elif kind == "done":
            self._on_done(*map(_text, fields))
        elif kind == "completions":
            self._on_completions(*map(_text, fields))

    def _on_state(self, *pairs):
        state, left_out = {}, []
        size, values = jsonshape.MAX_BYTES - _OTHER_BYTES, jsonshape.MAX_VALUES - _OTHER_VALUES
        for name, text in zip(pairs[::2], pairs[1::2]):
            member = "%s: %s, " % (json.dumps(name), text)
            size_left, values_left = size - len(member.encode()), values - jsonshape.values(member)
            if min(size_left, values_left) < 0 or jsonshape.is_too_deep(text):
                left_out.append(name[:_MAX_NAME])
                continue
            size, values = size_left, values_left
            state[name] = json.loads(text)
        self._emit("state", state=state, leftOut=left_out[:_MAX_NAMES])

    def _on_done(self, status, exit_status):
        self._has_begun = False
        if self._interrupts_child and status == "ok":
            status = "interrupted"
            self._emit("error", name="Interrupt", message="The cell was interrupted.", traceback="")
        self._interrupts_child = False
        request = self._request
        changed = workspace.has_changed(int(request["changesSince"])) if "changesSince" in request else None
        done = {
            "status": status,
            "exitCode": int(exit_status) & 0xFF if exit_status else None,
            "peakMemoryBytes": _peak_memory(self._pid),
            "dropped": self._publisher.dropped,
            **({} if changed is None else {"filesChanged": changed}),
        }
        if request["once"]:
            self._done = done
        else:
            self._emit("done", **done)

    def _on_completions(self, start, end, *matches):
        self._has_begun = False
        self._is_interrupted = False
        kept = [match for match in dict.fromkeys(matches) if len(match) <= _MAX_MATCH][:_MAX_MATCHES]
        self._emit("completions", start=int(start), end=int(end), matches=kept)

    def _emit(self, kind, **fields):
        if self._request is None:
            return
        text = jsonshape.well_formed(json.dumps({"type": kind, "token": self._request["token"], **fields}))
        data = memoryview(b"\n" + text.encode() + b"\n")
        while data:
            data = data[os.write(self._answers if kind in _ANSWERS else self._events, data) :]


def _text(field):
    return field.decode("utf-8", "replace")


def _content(mime, content):
    is_binary = mime.startswith("image/") and mime != "image/svg+xml"
    return content if is_binary else _text(content)


def _peak_memory(pid):
    try:
        with open("/proc/%d/status" % pid, encoding="ascii", errors="replace") as file:
            for line in file:
                if line.startswith("VmHWM:"):
                    return 1024 * int(line.split()[1])
    except (OSError, ValueError, IndexError):
        pass
    return 0
