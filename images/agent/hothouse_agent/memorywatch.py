"""The memory limit on hosts where no control group holds it: the agent counts, and says which processes have to end."""

import time

from . import memory, sharedmemory

# Between two counts. Seconds. A count reads one file for each process.
INTERVAL = 0.25
# A process that is killed takes no more memory, and gives back what it has within that time. Seconds.
_DYING = 2


class MemoryWatch:
    """`limit` in bytes, for a `memory.MemoryUse`."""

    def __init__(self, limit, use):
        self._limit = limit
        self._use = use
        self._last_at = 0
        # Process id -> when it was named.
        self._dying = {}

    def excessive(self, processes):
        """
        Which of these processes, in which code runs, are to be killed so that the sandbox has no more than its limit: those
        that the kernel would choose in a cgroup. Empty until the next count is due.
        """
        now = time.monotonic()
        if now - self._last_at < INTERVAL:
            return []
        self._last_at = now
        self._dying = {process: at for process, at in self._dying.items() if now - at < _DYING}
        living = [process for process in processes if process not in self._dying]
        if self._use.quick(self._dying) + sharedmemory.bound(living) <= self._limit:
            return []
        found = self._largest(living, self._use.exact(self._dying) + sharedmemory.used(living) - self._limit)
        self._dying.update(dict.fromkeys(found, now))
        return found

    def _largest(self, processes, excess):
        """Those with the highest badness whose end frees so many bytes; all where that is not enough."""
        found = []
        for process in sorted(processes, key=self._badness, reverse=True):
            if excess <= 0:
                break
            found.append(process)
            excess -= memory.freed_by(process)
        return found

    def _badness(self, process):
        """As the kernel counts it: a score of 1000 is worth all memory."""
        return memory.resident(process) + _score(process) * self._limit / 1000


def _score(process):
    try:
        with open("/proc/%d/oom_score_adj" % process, "rb", buffering=0) as file:
            return int(file.read())
    except OSError:
        # It has ended.
        return 0
