"""The shape that an event may have at most; src/languages/python/events.ts refuses what is beyond it."""

import re

MAX_DEPTH = 100
MAX_VALUES = 100_000
# Of a whole event. A picture of 3.75 MB is 5 MB in base64.
MAX_BYTES = 6 << 20
# What is around the content of an event.
_ENVELOPE = 1 << 12
_BRACKETS = re.compile(r"[\[\]{}]")
_HALVES = re.compile(r"\\u[dD][89a-fA-F]")
_UNITS = re.compile(r"\\(?:u[dD][89abAB]\w\w\\u[dD][c-fC-F]\w\w|u\w{4}|.)")
_HALF = re.compile(r"\\u[dD][89a-fA-F]..$")


def values(text):
    """How many values the JSON text has; some more than it has where that is quicker to tell."""
    count = _marks(text)
    # Marks within strings are none: a page of HTML has thousands.
    return count if count <= MAX_VALUES else _marks(_without_strings(text))


def _marks(text):
    # A member of an object counts for three: reading a key takes so much longer.
    return 1 + text.count(",") + text.count("[") + text.count("{") + 2 * text.count(":")


def _without_strings(text):
    """The JSON text without its strings, or with them where it has more of them than an event may have values."""
    bare = text.replace("\\\\", "").replace('\\"', "")
    # By no regular expression: those keep a note of every character that they may have to go back to.
    return text if bare.count('"') > 2 * MAX_VALUES else "".join(bare.split('"')[::2])


def fits(text):
    """Whether the JSON text can be the content of an event."""
    return len(text) <= MAX_BYTES - _ENVELOPE and values(text) <= MAX_VALUES and not is_too_deep(text)


def is_too_deep(text):
    """Whether arrays and objects are nested deeper than an event may have them, with room for what is around."""
    room = MAX_DEPTH - 4
    if text.count("[") + text.count("{") <= room:
        return False
    depth = 0
    for bracket in _BRACKETS.findall(_without_strings(text)):
        depth += 1 if bracket in "[{" else -1
        if depth > room:
            return True
    return False


def well_formed(text):
    """The JSON text without halves of surrogate pairs, which no UTF-8 can carry: an event with one is refused."""
    if not _HALVES.search(text):
        return text
    return _UNITS.sub(lambda unit: "\\ufffd" if _HALF.match(unit.group()) else unit.group(), text)
