"""
Runs Bash: a program of its own for a one-shot run; in a session one shell that takes its cells from a pipe. Output goes
from the shell to the agent's pipes; what the shell reports comes on a pipe of its own, never by its output.
"""

import json
import os
import re
import resource
import shlex
import signal
import subprocess

from hothouse_agent import jsonshape, kernel, stdio, workspace

from .program import command_of, reported
from .shell import Shell
from .texts import PROGRAM, REPORT, memory_file

_ANSWERS = frozenset(("state", "done", "completions"))
_MAX_MATCHES = 500
# Of a command that is not found.
_NOT_FOUND = 127
# Programs that reach other machines.
_NETWORK = re.compile(
    r"/dev/(?:tcp|udp)/|\b(?:curl|wget|getent\s+a?hosts|ssh|scp|ping|apt|apt-get|pip3?|npm|git\s+(?:clone|fetch|pull|push))\s"
)
_INTERRUPT_STATUS = 128 + signal.SIGINT
_KILL_STATUS = 128 + signal.SIGKILL
# Seconds between two interrupts of programs.
_AGAIN = 0.05


def serve(requests, events, answers, limits, files):
    driver = _Driver(stdio.OutputSequencer(events, answers), files)
    signal.signal(signal.SIGALRM, driver.interrupt_programs)
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
        self._runs_cell = False

    def on_interrupt(self, *_):
        self._interrupts += 1
        if self._runs_cell:
            signal.setitimer(signal.ITIMER_REAL, _AGAIN, _AGAIN)

    def interrupt_programs(self, *_):
        """
        Until the cell ends: a program that the shell had forked and not started lost its interrupt, and the shell waits
        for it.
        """
        for pid in self._shell.programs():
            try:
                # Jobs in the background have groups of their own.
                if os.getpgid(pid) == os.getpgrp():
                    os.kill(pid, signal.SIGINT)
            except ProcessLookupError:
                continue

    def prepare(self):
        self._shell = Shell(self._files)

    def _emit(self, kind, **fields):
        text = json.dumps({"type": kind, "token": self.token, **fields})
        self._sequencer.emit(jsonshape.well_formed(text).encode(), kind in _ANSWERS)

    def run_once(self, request):
        """Runs the code as a program and ends as it did."""
        self._shell.close()
        report, reporting = os.pipe()
        os.dup2(reporting, REPORT)
        os.close(reporting)
        given = request["state"] or {}
        kills = kernel.oom_kills()
        with memory_file(request["stdin"]) as stdin, memory_file(request["code"]) as code:
            command = command_of(request, given, code)
            program = subprocess.Popen(command, stdin=stdin, pass_fds=(REPORT, code.fileno()))
        os.close(REPORT)
        code = program.wait()
        status = code if code >= 0 else 128 - code
        if code == -signal.SIGKILL or (status == _KILL_STATUS and kernel.oom_kills() > kills):
            os.kill(os.getpid(), signal.SIGKILL)
        line, variables = reported(report)
        if request["state"] is not None:
            self._emit("state", state=variables, leftOut=[])
        self._end(request, status, line, status)
        os._exit(status)

    def run_cell(self, request):
        self._await_shell()
        first = self._interrupts
        self._emit("begun")
        kills = kernel.oom_kills()
        with memory_file(request["stdin"]) as stdin, memory_file(request["code"]) as code:
            self._runs_cell = True
            ended = self._shell.run(code, stdin)
            self._runs_cell = False
            signal.setitimer(signal.ITIMER_REAL, 0)
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
        ended, self._shell = self._shell, Shell(self._files, self._shell.state)
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


def _error(request, status, line):
    """The payload of an error event; code that cannot be parsed has a name of its own."""
    with memory_file(request["code"]) as code:
        parsed = subprocess.run([*PROGRAM, "-O", "extglob", "-n", code.path], capture_output=True, text=True)
    if parsed.returncode:
        message = parsed.stderr.replace(code.path + ": ", "").strip()[:10_000]
        return {"name": "SyntaxError", "message": message.split("\n")[0], "traceback": message}
    where = "Line %d of %s failed: the" % (line, request["name"]) if line else "The"
    message = "%s exit status is %d." % (where, status)
    advice = _advice(request["code"], status, line)
    if advice:
        message += "\n" + advice
    return {"name": "ExitStatus", "message": message, "traceback": ""}


def _advice(code, status, line):
    """What to do about a failure that has to do with the sandbox, as one line, or None."""
    if status == _NOT_FOUND:
        return "Programs that are missing come with an environment: create one with their apt packages."
    failed = code.split("\n")[line - 1 : line] if line else code.split("\n")
    if any(_NETWORK.search(text) for text in failed) and not _has_network():
        return (
            "Sandboxes have no network. Put the data into the session as files, or let the user allow its host "
            "(network.policy: allow, network.allow); programs come with an environment, created with their apt packages."
        )
    return None


def _has_network():
    """Whether there is an interface but the sandbox's own loopback."""
    with open("/proc/net/dev", encoding="ascii", errors="replace") as lines:
        return any(":" in text and not text.strip().startswith("lo:") for text in lines)
