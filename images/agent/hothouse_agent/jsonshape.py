"""The shape that an event may have at most; src/languages/python/eventShape.ts refuses what is beyond it."""

import re

MAX_DEPTH = 100
MAX_VALUES = 100_000
_PARTS = re.compile(r'"(?:[^"\\]|\\.)*"|[\[{]|[\]}]')
_STRINGS = re.compile(r'"(?:[^"\\]|\\.)*"')


def values(text):
    """How many values the JSON text has; some more than it has where that is quicker to tell."""
    count = _marks(text)
    # Commas and brackets within strings are none: a page of HTML has thousands.
    return count if count <= MAX_VALUES else _marks(_STRINGS.sub("", text))


def _marks(text):
    return 1 + text.count(",") + text.count("[") + text.count("{")


def fits(text):
    """Whether the JSON text can be an event."""
    return values(text) <= MAX_VALUES and not is_too_deep(text)


def is_too_deep(text):
    """Whether arrays and objects are nested deeper than an event may have them, with room for what is around."""
    room = MAX_DEPTH - 4
    if text.count("[") + text.count("{") <= room:
        return False
    depth = 0
    for part in _PARTS.finditer(text):
        first = text[part.start()]
        if first in "[{":
            depth += 1
            if depth > room:
                return True
        elif first in "]}":
            depth -= 1
    return False
