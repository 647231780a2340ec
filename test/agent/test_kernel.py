import ctypes
import errno
import mmap
import os
import unittest
from unittest import mock

from apart import apart
from support import AgentTest

from hothouse_agent import kernel


def _listed():
    """The open descriptors, as /proc shows them to a process that can be traced."""
    folder = os.open("/proc/self/fd", os.O_RDONLY)
    names = {int(name) for name in os.listdir(folder)}
    os.close(folder)
    return {fd for fd in names if os.path.lexists("/proc/self/fd/%d" % fd)}


def _sees_all(*more):
    """Whether `Descriptors` finds what is open, also after further ones were opened and closed."""
    descriptors = kernel.Descriptors()
    found = [descriptors.open() == _listed()]
    for fd in more:
        os.dup2(0, fd)
        found.append(fd in descriptors.open() and descriptors.open() == _listed())
    for fd in more:
        os.close(fd)
        found.append(descriptors.open() == _listed())
    return all(found)


class DescriptorsTest(AgentTest):
    def test_finds_low_and_high_numbers(self):
        self.assertTrue(apart(lambda: _sees_all(100, 127, 128, 700)))

    def test_needs_no_count_of_the_kernel(self):
        def act():
            with mock.patch.object(kernel, "_descriptor_count", lambda: 0):
                return _sees_all(100, 700)

        self.assertTrue(apart(act))


_READ_AND_WRITE = mmap.PROT_READ | mmap.PROT_WRITE


class OwnKillsTest(AgentTest):
    def test_are_seen_by_forks_which_cannot_change_them(self):
        def act():
            kernel.show_own_kills()
            with open("/proc/self/maps", encoding="utf-8") as table:
                start, end = (int(edge, 16) for line in table if "memfd:kills" in line for edge in line.split()[0].split("-"))
            libc = ctypes.CDLL(None, use_errno=True)
            libc.mprotect.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int]
            reader, writer = os.pipe()
            before = kernel.oom_kills()
            pid = os.fork()
            if pid == 0:
                os.read(reader, 1)
                is_closed = libc.mprotect(start, end - start, _READ_AND_WRITE) and ctypes.get_errno() == errno.EACCES
                os._exit(kernel.oom_kills() - before if is_closed else 100)
            kernel.OomCounter().add(3)
            os.write(writer, b"\0")
            return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])

        self.assertEqual(apart(act), 3)

    def test_of_the_time_before_a_reset_are_not_seen_after_it(self):
        def act():
            kernel.show_own_kills()
            counter = kernel.OomCounter()
            before = kernel.oom_kills()
            counter.add(3)
            counter.forget()
            later = kernel.oom_kills() - before, counter.take()
            counter.add(2)
            return (*later, kernel.oom_kills() - before, counter.take())

        self.assertEqual(apart(act), [0, 0, 2, 2])


if __name__ == "__main__":
    unittest.main()
