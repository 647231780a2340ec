"""How the kernel treats this process. Others of the same user can change that, and every later run would inherit it."""

import os
import resource

_LIMITS = range(16)


def process_attributes():
    """Name -> value, equal as long as no process has changed it."""
    return {
        "limits": [resource.getrlimit(number) for number in _LIMITS],
        "priority": os.getpriority(os.PRIO_PROCESS, 0),
        "processors": os.sched_getaffinity(0),
        "scheduler": (os.sched_getscheduler(0), os.sched_getparam(0).sched_priority),
    }
