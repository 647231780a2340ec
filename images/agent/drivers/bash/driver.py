"""
Runs Bash: a program of its own for a one-shot run; in a session one shell that takes its cells from a pipe. Output goes
from the shell to the agent's pipes; what the shell reports comes on a pipe of its own, never by its output.
"""

import json
import os
import re
import resource
import select
import shlex
import signal
import subprocess

from hothouse_agent import jsonshape, kernel, stdio, workspace

_ANSWERS = frozenset(("state", "done", "completions"))
# Descriptors that code hardly uses: what the shell reports.
_REPORT = 61
# A longer argument is refused by the kernel.
_MAX_ARGUMENT = 100_000
_SHELL = ("bash", "--noprofile", "--norc")
# Seconds that a shell has for what takes it a millisecond.
_PATIENCE = 5
_MAX_MATCHES = 500
_INTERRUPT_STATUS = 128 + signal.SIGINT
_KILL_STATUS = 128 + signal.SIGKILL
_ASSIGNABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*\Z")


def serve(requests, events, answers, limits, files):
    driver = _Driver(stdio.OutputSequencer(events, answers), files)
    signal.signal(signal.SIGINT, driver.on_interrupt)
    with os.fdopen(requests, "rb") as lines:
        driver.prepare()
        for line in lines:
            request = json.loads(line)
            driver.token = request["token"]
            if request["op"] == "complete":
                driver.complete(request)
            elif request["once"]:
                driver.run_once(request)
            else:
                driver.run_cell(request)


class _Driver:
    def __init__(self, sequencer, files):
        self.token = None
        self._sequencer = sequencer
        self._files = files
        self._shell = None
        self._interrupts = 0
        self._seen_interrupts = 0

    def on_interrupt(self, *_):
        self._interrupts += 1

    def prepare(self):
        self._shell = _Shell(self._files)

    def _emit(self, kind, **fields):
        text = json.dumps({"type": kind, "token": self.token, **fields})
        self._sequencer.emit(jsonshape.well_formed(text).encode(), kind in _ANSWERS)

    def run_once(self, request):
        """Runs the code as a program and ends as it did."""
        self._shell.close()
        report, reporting = os.pipe()
        os.dup2(reporting, _REPORT)
        os.close(reporting)
        given = request["state"] or {}
        kills = kernel.oom_kills()
        with _text(request["stdin"]) as stdin, _text(request["code"]) as code:
            command = _once_command(request, given, code)
            program = subprocess.Popen(command, stdin=stdin, pass_fds=(_REPORT, code.fileno()))
        os.close(_REPORT)
        code = program.wait()
        status = code if code >= 0 else 128 - code
        if code == -signal.SIGKILL or (status == _KILL_STATUS and kernel.oom_kills() > kills):
            os.kill(os.getpid(), signal.SIGKILL)
        line, variables = _reported(report)
        if request["state"] is not None:
            self._emit("state", state=variables, leftOut=[])
        self._end(request, status, line, status)
        os._exit(status)

    def run_cell(self, request):
        self._await_shell()
        first = self._interrupts
        self._emit("begun")
        kills = kernel.oom_kills()
        with _text(request["stdin"]) as stdin, _text(request["code"]) as code:
            ended = self._shell.run(code, stdin)
            if ended is None:
                ended = self._replace_shell()
        status, line, left = ended
        self._seen_interrupts = self._interrupts
        if left is not None:
            self._end(request, left, None, left)
        elif self._interrupts > first and status == _INTERRUPT_STATUS:
            error = {"name": "Interrupted", "message": "The cell was interrupted.", "traceback": ""}
            self._emit("error", **error)
            self._done(request, "interrupted", None)
        elif status == _KILL_STATUS and kernel.oom_kills() > kills:
            message = "A program of the cell needed more memory than its sandbox's limit."
            self._emit("error", name="OutOfMemory", message=message, traceback="")
            self._done(request, "error", status)
        else:
            self._end(request, status, line, status or None)

    def _await_shell(self):
        """After an interrupt that was for no cell, until the shell has got over it."""
        if self._interrupts != self._seen_interrupts:
            self._seen_interrupts = self._interrupts
            self._shell.synchronize()

    def _replace_shell(self):
        """The shell has ended: what a new one knows of its last cell. Ends as it did where it saved nothing."""
        code = self._shell.wait()
        if code < 0:
            os.kill(os.getpid(), -code)
        if not self._shell.has_saved():
            os._exit(code)
        ended, self._shell = self._shell, _Shell(self._files, self._shell.state)
        ended.forget()
        return code, ended.last_line, None

    def _end(self, request, status, line, exit_code):
        if status:
            self._emit("error", **_error(request, status, line))
        self._done(request, "error" if status else "ok", exit_code)

    def _done(self, request, status, exit_code):
        peak = max(resource.getrusage(who).ru_maxrss for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
        changed = workspace.has_changed(int(request["changesSince"])) if "changesSince" in request else None
        self._emit(
            "done",
            status=status,
            exitCode=exit_code,
            peakMemoryBytes=peak * 1024,
            dropped=0,
            **({} if changed is None else {"filesChanged": changed}),
        )

    def complete(self, request):
        code = request["code"].encode("utf-16-le", "surrogatepass")
        before = code[: 2 * request["cursor"]].decode("utf-16-le", "ignore")
        prefix, word = re.search(r"((?:^|[;&|(]|\b(?:then|do|else)\s)?\s*)([^\s;&|()<>\"'`]*)$", before).groups()
        self._await_shell()
        if word.startswith("$"):
            lead = "${" if word.startswith("${") else "$"
            matches = [lead + name for name in self._shell.ask("compgen -v -- %s" % shlex.quote(word[len(lead) :]))]
        elif prefix.strip() or prefix == before[: len(before) - len(word)]:
            matches = self._shell.ask("compgen -A command -- %s; compgen -f -- %s" % ((shlex.quote(word),) * 2))
        else:
            matches = self._shell.ask("compgen -v -- %s; compgen -f -- %s" % ((shlex.quote(word),) * 2))
        names = [name for name in dict.fromkeys(matches) if not name.startswith("__hothouse")][:_MAX_MATCHES]
        units = len(word.encode("utf-16-le", "surrogatepass")) // 2
        self._emit("completions", start=request["cursor"] - units, end=request["cursor"], matches=names)


class _Shell:
    """The shell of a session."""

    def __init__(self, files, state=None):
        commands, self._commands = os.pipe2(os.O_CLOEXEC)
        self._reports, reporting = os.pipe2(os.O_CLOEXEC)
        # Its variables when it ends.
        self.state = os.memfd_create("state")
        self._buffer = b""
        # The line of the last cell that failed, where the shell has ended there.
        self.last_line = None
        os.dup2(reporting, _REPORT)
        os.close(reporting)
        stderr = os.dup(2)
        os.set_inheritable(stderr, True)
        # Until it has its settings it complains that there is no terminal.
        program = [*_SHELL, "--noediting", "-i"]
        self._program = subprocess.Popen(
            program,
            stdin=commands,
            stderr=subprocess.DEVNULL,
            pass_fds=(_REPORT, stderr),
            env={**os.environ, "PS1": "", "PS2": "", "HISTFILE": "/dev/null"},
        )
        os.close(commands)
        os.close(_REPORT)
        with _text(files["session.sh"]) as settings:
            first = "__hothouse_state=%s; source %s; exec 2>&%d %d>&-" % (_path(self.state), settings.path, stderr, stderr)
            self._tell(first)
            if state is not None:
                self._tell("source %s 2>/dev/null; trap __hothouse_save EXIT" % _path(state))
            self.synchronize()
        os.close(stderr)

    def _tell(self, line):
        try:
            os.write(self._commands, line.encode() + b"\n")
        except BrokenPipeError:
            # It has ended, which the next report shows.
            pass

    def _report(self, timeout=None):
        """The next line that it reports; None when it has ended, or reports nothing in time."""
        while b"\n" not in self._buffer:
            if timeout is not None and not select.select([self._reports], [], [], timeout)[0]:
                return None
            more = os.read(self._reports, 1 << 16)
            if not more:
                return None
            self._buffer += more
        line, _, self._buffer = self._buffer.partition(b"\n")
        return line.decode("utf-8", "replace")

    def synchronize(self):
        """Waits until it takes commands."""
        for _ in range(50):
            token = os.urandom(8).hex()
            self._tell("builtin echo %s >&%d" % (token, _REPORT))
            while True:
                line = self._report(_PATIENCE / 50)
                if line == token:
                    return
                if line is None:
                    break

    def run(self, code, stdin):
        """Runs a cell: its status, the line that failed and the status given to `exit`; None when the shell has ended."""
        mark = os.urandom(8).hex()
        self._tell("unset __hothouse_line __hothouse_exit; source %s <%s" % (code.path, stdin.path))
        self._tell('builtin echo "%s $? ${__hothouse_line-} ${__hothouse_exit+exit $__hothouse_exit}" >&%d' % (mark, _REPORT))
        while True:
            line = self._report()
            if line is None:
                return None
            if re.match(r"line \d+\Z", line):
                self.last_line = int(line[5:])
            found = re.match(mark + r" (\d+) (\d*) (?:exit (\d+))?", line)
            if found:
                status, failed, left = found.groups()
                return int(status), failed and int(failed), left and int(left) & 0xFF

    def ask(self, command):
        """The lines that a command prints."""
        mark = os.urandom(8).hex()
        self._tell("{ %s; } >&%d 2>/dev/null; builtin echo %s >&%d" % (command, _REPORT, mark, _REPORT))
        lines = []
        while True:
            line = self._report(_PATIENCE)
            if line is None or line == mark:
                return lines
            lines.append(line)

    def wait(self):
        return self._program.wait()

    def has_saved(self):
        return os.fstat(self.state).st_size > 0

    def close(self):
        """Ends it before it has run anything."""
        self._program.kill()
        self._program.wait()
        self.forget()

    def forget(self):
        """Closes what leads to it."""
        for fd in (self._commands, self._reports, self.state):
            os.close(fd)


class _text:
    """A file in memory, for the time of a `with`; programs of this sandbox can open its `path`."""

    def __init__(self, text):
        self._fd = os.memfd_create("text")
        self.path = _path(self._fd)
        with os.fdopen(os.dup(self._fd), "wb") as file:
            file.write(text.encode("utf-8", "surrogatepass"))
        os.lseek(self._fd, 0, os.SEEK_SET)

    def fileno(self):
        return self._fd

    def __enter__(self):
        return self

    def __exit__(self, *_):
        os.close(self._fd)


def _path(fd):
    return "/proc/%d/fd/%d" % (os.getpid(), fd)


def _once_command(request, given, code):
    """Bash with the code; it reports the line that failed, and the variables where those were given."""
    names = "for __n in $(compgen -v); do printf '%s\\0%s\\0' \"$__n\" \"${!__n}\"; done" if request["state"] is not None else ":"
    head = "trap '__hothouse_line=$LINENO' ERR; trap '{ echo \"${__hothouse_line-}\"; %s; } >&%d' EXIT; " % (
        names.replace("'", "'\\''"),
        _REPORT,
    )
    for name, value in given.items():
        if _ASSIGNABLE.match(name):
            text = value if isinstance(value, str) else json.dumps(value)
            head += "%s=%s; " % (name, shlex.quote(text))
    if len(request["code"].encode("utf-8", "surrogatepass")) < _MAX_ARGUMENT:
        return [*_SHELL, "-c", head + request["code"], request["name"]]
    return [*_SHELL, "-c", head + "source /proc/self/fd/%d" % code.fileno(), request["name"]]


def _reported(report):
    with os.fdopen(report, "rb") as file:
        os.set_blocking(report, False)
        line, _, rest = (file.read() or b"").partition(b"\n")
    parts = rest.decode("utf-8", "replace").split("\0")[:-1]
    known = set(environment_names())
    pairs = zip(parts[::2], parts[1::2])
    variables = {name: value for name, value in pairs if name not in known and not name.startswith("_")}
    return int(line) if line.isdigit() else None, variables


def environment_names():
    """The variables that every shell has."""
    names = subprocess.run([*_SHELL, "-c", "compgen -v"], capture_output=True, text=True).stdout.split()
    return [*names, "PIPESTATUS", *os.environ]


def _error(request, status, line):
    """The payload of an error event; code that cannot be parsed has a name of its own."""
    with _text(request["code"]) as code:
        parsed = subprocess.run([*_SHELL, "-O", "extglob", "-n", code.path], capture_output=True, text=True)
    if parsed.returncode:
        message = parsed.stderr.replace(code.path + ": ", "").strip()[:10_000]
        return {"name": "SyntaxError", "message": message.split("\n")[0], "traceback": message}
    where = "Line %d of %s failed: the" % (line, request["name"]) if line else "The"
    return {"name": "ExitStatus", "message": "%s exit status is %d." % (where, status), "traceback": ""}
