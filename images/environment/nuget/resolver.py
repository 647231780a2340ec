"""
Chooses versions of packages and of what they require. As in NuGet the lowest version is chosen that meets every range; the
latest one where a range has an asterisk, or names no version.
"""

import collections
import concurrent.futures

from package import Failed

# As deep as requirements may be nested.
ROUNDS = 200
MAX_PACKAGES = 1_000
SHOWN = 10
CONNECTIONS = 8


def resolve(feed, wanted, known=(), upgrade=False):
    """
    The packages to install, without those that are `known` (names and versions) and can stay. `wanted` has names and
    ranges. Raises `Failed`.
    """
    return _Resolution(feed, wanted, known, upgrade).run()


class _Resolution:
    def __init__(self, feed, wanted, known, upgrade):
        self.feed = feed
        self.wanted = wanted
        self.known = {name.lower(): (name, version) for name, version in known}
        self.upgraded = {name.lower() for name, _ in wanted} if upgrade else set()
        self.chosen = {}

    def run(self):
        with concurrent.futures.ThreadPoolExecutor(CONNECTIONS) as pool:
            for _ in range(ROUNDS):
                demands = self._demands()
                if len(demands) > MAX_PACKAGES + len(self.known):
                    raise Failed("The packages require more than %d others: %s." % (MAX_PACKAGES, self._asked()))
                # Asked for in parallel, and answered from the feed's memory after.
                unknown = [name for name in demands if name not in self.known and name not in self.chosen]
                list(pool.map(self.feed.versions, unknown))
                chosen = {name: self._choice(name, ranges) for name, ranges in demands.items()}
                if chosen == self.chosen:
                    return self._added()
                self.chosen = chosen
                list(pool.map(lambda item: self._requires(*item), chosen.items()))
        raise Failed("No versions that meet all requirements were found in %d rounds: %s." % (ROUNDS, self._asked()))

    def _asked(self):
        return ", ".join(name for name, _ in self.wanted)

    def _demands(self):
        """Name in lower case -> the ranges that are to be met, each with who asks."""
        demands = collections.OrderedDict()
        for name, _ in self.known.values():
            demands.setdefault(name.lower(), [])
        for name, wanted in self.wanted:
            demands.setdefault(name.lower(), []).append((wanted, name, "asked for"))
        waiting = collections.deque(demands)
        while waiting:
            by = waiting.popleft()
            if by not in self.chosen:
                continue
            for name, wanted in self._requires(by, self.chosen[by]):
                if name.lower() not in demands:
                    waiting.append(name.lower())
                text = "required by %s %s" % (by, self.chosen[by])
                demands.setdefault(name.lower(), []).append((wanted, name, text))
        return demands

    def _requires(self, name, version):
        if self.known.get(name, ("", None))[1] != version:
            return self.feed.package(name, version).requires
        try:
            return self.feed.package(name, version).requires
        except Failed:
            # It may come from another feed, and is there already.
            return []

    def _choice(self, name, demands):
        ranges = [wanted for wanted, _, _ in demands]
        _, before = self.known.get(name, ("", None))
        if before and name not in self.upgraded and all(wanted.accepts(before) for wanted in ranges):
            return before
        spelled = demands[0][1]
        versions = self.feed.versions(name)
        if not versions:
            asked = "" if demands[0][2] == "asked for" else ", which is %s" % demands[0][2]
            raise Failed("Unable to find package %s%s. The index %s has no package of that name." % (spelled, asked, self.feed))
        has_labels = any(wanted.labels for wanted in ranges)
        usable = [version for version in versions if has_labels or not version.label]
        usable = [version for version in usable if all(wanted.accepts(version) for wanted in ranges)]
        if not usable:
            asked = " and ".join("%s (%s)" % (wanted, by) for wanted, _, by in demands)
            has = ", ".join(map(str, versions[-SHOWN:]))
            raise Failed("Unable to find a version of %s that meets %s. The index has %s%s." % (spelled, asked, "… " if len(versions) > SHOWN else "", has))
        is_latest = name in self.upgraded or any(wanted.floats for wanted in ranges) or not any(wanted.text for wanted in ranges)
        return usable[-1] if is_latest else usable[0]

    def _added(self):
        added = {name: version for name, version in self.chosen.items() if self.known.get(name, ("", None))[1] != version}
        return [self.feed.package(name, version) for name, version in sorted(added.items())]
