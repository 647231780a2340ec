"""The memory limit on hosts where no control group holds it: the agent counts, and says which processes have to end."""

import time

from . import kernel, memory, sharedmemory

# Between two counts. Seconds. A count reads one file for each process.
INTERVAL = 0.25
# A process that is killed takes no more memory, and gives back what it has within that time. Seconds.
_DYING = 2
# Where so many counts of the last seconds are above the limit, what ends is replaced at once, so everything ends.
_MOST_EXCESSES = 12
_REMEMBERED = 8


class MemoryWatch:
    """`limit` in bytes, for a `memory.MemoryUse`."""

    def __init__(self, limit, use):
        self._limit = limit
        self._use = use
        self._last_at = 0
        # Process id -> when it was named, and when it had started: another one can get its id.
        self._dying = {}
        # When there was more than the limit.
        self._excesses = []

    def excessive(self, runs):
        """
        Which of the processes `runs()`, in which code runs, are to be killed so that the sandbox has no more than its limit:
        those that the kernel would choose in a cgroup. Empty until the next count is due.
        """
        now = time.monotonic()
        if now - self._last_at < INTERVAL:
            return []
        self._last_at = now
        self._dying = {pid: named for pid, named in self._dying.items() if _is_dying(pid, *named, now)}
        living = {pid: memory.shown(pid) for pid in runs() if pid not in self._dying}
        shown = list(living.values())
        if self._use.quick(self._dying) + sharedmemory.bound(shown) <= self._limit:
            return []
        excess = self._use.exact(self._dying) + sharedmemory.used(shown) - self._limit
        if excess <= 0:
            return []
        self._excesses = [at for at in self._excesses if now - at < _REMEMBERED] + [now]
        found = list(living) if len(self._excesses) >= _MOST_EXCESSES else self._largest(living, excess)
        self._dying.update({pid: (now, kernel.started_at(pid)) for pid in found})
        return found

    def forget(self):
        """After a reset: what was there has nothing to do with what comes."""
        self._dying.clear()
        self._excesses.clear()

    def _largest(self, living, excess):
        """Those with the highest badness whose end frees so many bytes; all where that is not enough."""
        found = []
        for pid, shown in sorted(living.items(), key=lambda item: self._badness(item[1]), reverse=True):
            if excess <= 0:
                break
            found.append(pid)
            excess -= memory.freed_by(shown) + sharedmemory.tables([shown])
        return found

    def _badness(self, shown):
        """As the kernel counts it: a score of 1000 is worth all memory."""
        return memory.resident(shown) + sharedmemory.tables([shown]) + _score(shown) * self._limit / 1000


def _is_dying(pid, at, start, now):
    return now - at < _DYING and kernel.started_at(pid) == start


def _score(process):
    try:
        with open("/proc/%s/oom_score_adj" % process, "rb", buffering=0) as file:
            return int(file.read())
    except OSError:
        # It has ended.
        return 0
