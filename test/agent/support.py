"""Shared by the unit tests of the agent and of the programs that install packages of NuGet. They need only Python 3.9 or newer, and write only to temp folders."""

import os
import pathlib
import shutil
import sys
import tempfile
import threading
import unittest

sys.dont_write_bytecode = True
IMAGES = pathlib.Path(__file__).parents[2] / "images"
sys.path[:0] = [str(IMAGES / "agent"), str(IMAGES / "environment/nuget")]


class AgentTest(unittest.TestCase):
    """A test with pipes, folders and threads that end with it."""

    def pipe(self, blocking=True):
        """Both ends of a pipe; the reading end is non-blocking on request."""
        reader, writer = os.pipe()
        os.set_blocking(reader, blocking)
        for fd in (reader, writer):
            self.addCleanup(self.close, fd)
        return reader, writer

    def close(self, fd):
        """Closes a descriptor, unless it is closed already."""
        try:
            os.close(fd)
        except OSError:
            pass

    def folder(self, parent=None):
        """A new folder, which is removed after the test whatever its files permit."""
        path = tempfile.mkdtemp(prefix="hothouse-test-", dir=parent)

        def remove():
            for root, names, _ in os.walk(path):
                for name in [".", *names]:
                    entry = os.path.join(root, name)
                    if not os.path.islink(entry):
                        os.chmod(entry, 0o700)
            shutil.rmtree(path)

        self.addCleanup(remove)
        return path

    def thread(self, action):
        thread = threading.Thread(target=action, daemon=True)
        thread.start()
        self.addCleanup(thread.join, 10)
        return thread
