"""Texts that Bash reads as files, and the descriptor on which it reports."""

import os

# One that code hardly uses.
REPORT = 61
PROGRAM = ("bash", "--noprofile", "--norc")


class memory_file:
    """A file in memory, for the time of a `with`; programs of this sandbox can open its `path`."""

    def __init__(self, text):
        self._fd = os.memfd_create("text")
        self.path = path_of(self._fd)
        with os.fdopen(os.dup(self._fd), "wb") as file:
            file.write(text.encode("utf-8", "surrogatepass"))
        os.lseek(self._fd, 0, os.SEEK_SET)

    def fileno(self):
        return self._fd

    def __enter__(self):
        return self

    def __exit__(self, *_):
        os.close(self._fd)


def path_of(fd):
    return "/proc/%d/fd/%d" % (os.getpid(), fd)
