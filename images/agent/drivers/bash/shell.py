"""The shell of a session."""

import os
import re
import select
import subprocess

from hothouse_agent import kernel

from .texts import PROGRAM, REPORT, memory_file, path_of

# Seconds that it has for what takes it a millisecond.
_PATIENCE = 5


class Shell:
    """Takes cells from a pipe and reports on another one."""

    def __init__(self, files, state=None):
        commands, self._commands = os.pipe2(os.O_CLOEXEC)
        self._reports, reporting = os.pipe2(os.O_CLOEXEC)
        # Its variables when it ends.
        self.state = os.memfd_create("state")
        self._buffer = b""
        # The line of the last cell that failed, where the shell has ended there.
        self.last_line = None
        os.dup2(reporting, REPORT)
        os.close(reporting)
        stderr = os.dup(2)
        os.set_inheritable(stderr, True)
        # Until it has its settings it complains that there is no terminal.
        program = [*PROGRAM, "--noediting", "-i"]
        self._program = subprocess.Popen(
            program,
            stdin=commands,
            stderr=subprocess.DEVNULL,
            pass_fds=(REPORT, stderr),
            env={**os.environ, "PS1": "", "PS2": "", "HISTFILE": "/dev/null"},
        )
        os.close(commands)
        os.close(REPORT)
        with memory_file(files["session.sh"]) as settings:
            first = "__hothouse_state=%s; source %s; exec 2>&%d %d>&-" % (path_of(self.state), settings.path, stderr, stderr)
            self._tell(first)
            if state is not None:
                self._tell("source %s 2>/dev/null; builtin trap __hothouse_save EXIT" % path_of(state))
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
            self._tell("builtin echo %s >&%d" % (token, REPORT))
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
        self._tell("__hothouse_status=$?; [[ ${__hothouse_stderr-} ]] && __hothouse_reopen")
        self._tell('builtin echo "%s $__hothouse_status ${__hothouse_line-} ${__hothouse_exit+exit $__hothouse_exit}" >&%d' % (mark, REPORT))
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
        self._tell("{ %s; } >&%d 2>/dev/null; builtin echo %s >&%d" % (command, REPORT, mark, REPORT))
        lines = []
        while True:
            line = self._report(_PATIENCE)
            if line is None or line == mark:
                return lines
            lines.append(line)

    def programs(self):
        """The process ids of what it has started."""
        return kernel.descendants(self._program.pid)

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
