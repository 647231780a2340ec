"""Lines of a pipe, of which an exception of a signal handler loses none while the pipe is waited for."""

import os
import select

_CHUNK = 1 << 16


class LineReader:
    def __init__(self, fd):
        self.fd = fd
        self._bytes = bytearray()
        # Nothing before this index is the end of a line.
        self._searched = 0

    def is_ready(self, seconds=None):
        """Whether there is something to take or to fill in; waits for it, without a limit by default."""
        return self._end() > 0 or bool(select.select([self.fd], [], [], seconds)[0])

    def fill(self):
        """Reads what is there, or waits for it. False at the end of the pipe."""
        data = os.read(self.fd, _CHUNK)
        self._bytes += data
        return bool(data)

    def take(self):
        """The next line, or None where its end is not there yet."""
        end = self._end()
        if not end:
            self._searched = len(self._bytes)
            return None
        line = bytes(self._bytes[:end])
        del self._bytes[:end]
        self._searched = 0
        return line

    def _end(self):
        return self._bytes.find(b"\n", self._searched) + 1
