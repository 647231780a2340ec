"""Runs a part of a test in a process of its own: what the agent denies itself cannot be taken back."""

import json
import os
import sys
import traceback
import warnings


def apart(action):
    """What `action` returns in a forked process, as JSON carries it. Raises AssertionError where it raises."""
    reader, writer = os.pipe()
    pid = os.fork()
    if pid == 0:
        os.close(reader)
        # What is open ends with the process.
        warnings.simplefilter("ignore", ResourceWarning)
        try:
            os.write(writer, json.dumps(action()).encode())
        except BaseException:
            traceback.print_exc()
        sys.stderr.flush()
        os._exit(0)
    os.close(writer)
    with open(reader, "rb") as file:
        text = file.read()
    os.waitpid(pid, 0)
    assert text, "the process returned nothing; its traceback is above"
    return json.loads(text)


def error_of(action):
    """The number of the OSError that `action` raises; 0 where it raises none."""
    try:
        action()
    except OSError as error:
        return error.errno
    return 0
