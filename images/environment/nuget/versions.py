"""Versions of packages and ranges of them, as NuGet's documentation of package versioning describes."""

import functools
import re

# NuGet's own limit is 64.
_MAX_LENGTH = 128
_VERSION = re.compile(r"([0-9]+)(?:\.([0-9]+))?(?:\.([0-9]+))?(?:\.([0-9]+))?(?:-([0-9A-Za-z.-]+))?(?:\+[0-9A-Za-z.-]+)?")
_FLOATING = re.compile(r"((?:[0-9]+\.){0,3})\*(-\*)?")


@functools.total_ordering
class Version:
    """A version; those that differ in build metadata or in zeros at their end are equal."""

    def __init__(self, text):
        match = _VERSION.fullmatch(text.strip()) if len(text) <= _MAX_LENGTH else None
        if not match:
            raise ValueError("%s is no version" % text[:_MAX_LENGTH])
        self.numbers = tuple(int(part or 0) for part in match.groups()[:4])
        self.label = match[5] or ""
        parts = self.label.lower().split(".") if self.label else []
        # A number comes before a word, and a version with a label before the one without.
        order = tuple((0, int(part), "") if part.isdigit() else (1, 0, part) for part in parts)
        self._key = self.numbers, not parts, order

    def __str__(self):
        """The normal form, which names files of a feed."""
        numbers = self.numbers if self.numbers[3] else self.numbers[:3]
        return ".".join(map(str, numbers)) + ("-" + self.label if self.label else "")

    def __eq__(self, other):
        return isinstance(other, Version) and self._key == other._key

    def __lt__(self, other):
        return self._key < other._key

    def __hash__(self):
        return hash(self._key)


class Range:
    """`1.0` (at least), `[1.0]`, `[1.0, 2.0)`, `(, 2.0]`, `1.*`, `*` or `*-*`; empty: every version."""

    def __init__(self, text):
        if len(text) > 2 * _MAX_LENGTH:
            raise ValueError("%s is no range of versions" % text[:_MAX_LENGTH])
        self.text = text.strip()
        self.start = ()
        self.low = self.high = None
        self.has_low = self.has_high = True
        self.floats = False
        self.labels = "-" in self.text
        floating = _FLOATING.fullmatch(self.text)
        if floating:
            self._float(floating[1])
        elif self.text[:1] in ("[", "("):
            self._bound()
        elif self.text:
            self.low = Version(self.text)

    def _float(self, prefix):
        self.floats = True
        self.start = tuple(int(part) for part in prefix.split(".") if part)

    def _bound(self):
        low, comma, high = self.text[1:-1].partition(",")
        if self.text[-1] not in ("]", ")"):
            raise ValueError("%s is no range of versions" % self.text)
        self.has_low, self.has_high = self.text[0] == "[", self.text[-1] == "]"
        self.low = Version(low) if low.strip() else None
        self.high = Version(high) if high.strip() else None
        if not comma:
            if not (self.has_low and self.has_high and self.low):
                raise ValueError("%s is no range of versions" % self.text)
            self.high = self.low

    def __str__(self):
        return self.text or "*"

    def accepts(self, version):
        if version.numbers[: len(self.start)] != self.start:
            return False
        if self.low and (version < self.low or version == self.low and not self.has_low):
            return False
        return not self.high or version < self.high or version == self.high and self.has_high
