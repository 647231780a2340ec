"""The memory limit on hosts where no control group holds it: the agent counts, and ends what runs."""

import time

from . import kernel, sharedmemory

# Between two counts. Seconds. A count reads one file for each process.
INTERVAL = 0.25


class MemoryWatch:
    """`limit` in bytes."""

    def __init__(self, limit):
        self._limit = limit
        self._last_at = 0

    def is_exceeded(self, processes):
        """Whether the sandbox, where these processes run code, has more than its limit; False until the next count is due."""
        now = time.monotonic()
        if now - self._last_at < INTERVAL:
            return False
        self._last_at = now
        if kernel.memory_used() + sharedmemory.bound(processes) <= self._limit:
            return False
        return kernel.exceeds(self._limit - sharedmemory.used(processes))
