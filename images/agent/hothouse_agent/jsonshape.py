"""Limits on the size and shape of an event; src/languages/interpreter/events.ts refuses what exceeds them."""

import re

MAX_DEPTH = 100
MAX_VALUES = 100_000
# Of a whole event. A picture of 3.75 MB is 5 MB in base64.
MAX_BYTES = 6 << 20
# Reserved for everything but the content of an event.
_ENVELOPE = 1 << 12
_BRACKETS = re.compile(r"[\[\]{}]")
_SURROGATES = re.compile(r"\\u[dD][89a-fA-F]")
_ESCAPES = re.compile(r"\\(?:u[dD][89abAB]\w\w\\u[dD][c-fC-F]\w\w|u\w{4}|.)")
_LONE_SURROGATE = re.compile(r"\\u[dD][89a-fA-F]..$")


def values(text):
    """The number of values in the JSON text; an upper bound where that is faster."""
    count = _count(text)
    # Without the strings, because a page of HTML has thousands of these characters.
    return count if count <= MAX_VALUES else _count(_without_strings(text))


def _count(text):
    # A member of an object counts as three values: parsing a key takes as long.
    return 1 + text.count(",") + text.count("[") + text.count("{") + 2 * text.count(":")


def _without_strings(text):
    """The JSON text without its strings; with them where they are more than the values an event may have."""
    bare = text.replace("\\\\", "").replace('\\"', "")
    # Not a regular expression, which would store a position to return to for every character.
    return text if bare.count('"') > 2 * MAX_VALUES else "".join(bare.split('"')[::2])


def fits(text):
    """Whether the JSON text can be the content of an event."""
    return len(text) <= MAX_BYTES - _ENVELOPE and values(text) <= MAX_VALUES and not is_too_deep(text)


def is_too_deep(text):
    """Whether arrays and objects are nested too deep for an event, with room for the levels around the content."""
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
    """The JSON text with lone surrogates replaced: UTF-8 cannot carry them, and the engine refuses such events."""
    if not _SURROGATES.search(text):
        return text
    return _ESCAPES.sub(lambda unit: "\\ufffd" if _LONE_SURROGATE.match(unit.group()) else unit.group(), text)
