import builtins
import json
import linecache
import os
import pathlib
import resource
import subprocess
import sys
import unittest

from apart import apart
from support import AgentTest

from hothouse_agent import interpreter, sharing

PORTS = interpreter.Ports(requests=160, events=161, answers=162, control=163)
CELL = {"op": "run", "token": "1", "once": True, "code": "print()", "name": "<a>", "stdin": "", "state": None}


def _open():
    return {fd for fd in range(256) if os.path.lexists("/proc/self/fd/%d" % fd)}


def _faults_of_a_run(made):
    """Pages that a fork copies or maps in one run."""
    null = os.open(os.devnull, os.O_WRONLY)
    for fd in (PORTS.events, PORTS.answers):
        os.dup2(null, fd)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
    made._run(CELL)
    return resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before


def _faults(rehearses):
    """Those of a run in a fork, with or without a rehearsal."""
    made = interpreter.Interpreter(PORTS)
    if rehearses:
        made.rehearse()
    sharing.freeze()
    return apart(lambda: _faults_of_a_run(made))


def _fresh(call):
    """What a call of a function of this file returns in an interpreter of its own, in which no code has run before."""
    folder = str(pathlib.Path(__file__).parent)
    start = "import json, os, sys; sys.path.insert(0, %r); out = os.dup(1); os.dup2(2, 1)" % folder
    program = start + "; import test_interpreter as test; os.write(out, json.dumps(test.%s).encode())" % call
    found = subprocess.run([sys.executable, "-B", "-c", program], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    return json.loads(found.stdout)


def _left():
    """What a rehearsal leaves, by name."""
    made = interpreter.Interpreter(PORTS)
    state = lambda: {
        "descriptors": _open(),
        "streams": (sys.stdout, sys.stderr),
        "lines": list(linecache.cache),
        "names": dict(interpreter._main.__dict__),
        "input": builtins.input,
    }
    before = state()
    made.rehearse()
    after = state()
    return [name for name in before if before[name] != after[name]]


class RehearsalTest(AgentTest):
    def test_leaves_nothing(self):
        self.assertEqual(_fresh("_left()"), [])

    @unittest.skipUnless(sys.version_info >= (3, 12), "this Python counts references, which copies more than it saves")
    def test_spares_forks_what_the_first_calls_of_a_function_write(self):
        self.assertLess(_fresh("_faults(True)"), _fresh("_faults(False)") - 10)


if __name__ == "__main__":
    unittest.main()
