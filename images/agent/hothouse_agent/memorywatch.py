"""The memory limit on hosts where no control group holds it: the agent counts, and ends what runs."""

import time

from . import sharedmemory

# Between two counts. Seconds. A count reads one file for each process.
INTERVAL = 0.25


class MemoryWatch:
    """`limit` in bytes, for a `memory.MemoryUse`."""

    def __init__(self, limit, use):
        self._limit = limit
        self._use = use
        self._last_at = 0

    def is_exceeded(self, processes):
        """Whether the sandbox, where these processes run code, has more than its limit; False until the next count is due."""
        now = time.monotonic()
        if now - self._last_at < INTERVAL:
            return False
        self._last_at = now
        if self._use.used() + sharedmemory.bound(processes) <= self._limit:
            return False
        return self._use.exceeds(self._limit - sharedmemory.used(processes))
