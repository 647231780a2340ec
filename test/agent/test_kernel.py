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


if __name__ == "__main__":
    unittest.main()
