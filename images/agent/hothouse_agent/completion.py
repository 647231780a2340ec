"""Completions for an editor, from IPython, or from rlcompleter where that has none."""

from . import shell

_MAX_MATCHES = 500
# Longer ones are of no use in an editor.
_MAX_MATCH = 1_000


def _units(text):
    """Length in UTF-16 code units, as editors count."""
    return len(text.encode("utf-16-le", "surrogatepass")) // 2


def _from_rlcompleter(code, cursor, namespace):
    import re
    import rlcompleter

    word = re.search(r"[\w.]*$", code[:cursor]).group()
    # It would propose a tab.
    if not word:
        return cursor, cursor, []
    completer = rlcompleter.Completer(namespace)
    matches = []
    while len(matches) < _MAX_MATCHES:
        match = completer.complete(word, len(matches))
        if match is None:
            break
        matches.append(match)
    return cursor - len(word), cursor, [match.rstrip("(") for match in matches]


def no_matches(request):
    """The payload of a completions event without matches."""
    return {"start": request["cursor"], "end": request["cursor"], "matches": []}


def complete(request, namespace):
    """The payload of a completions event. Raises what properties and `__dir__` of user code raise."""
    code = request["code"]
    cursor = len(code.encode("utf-16-le", "surrogatepass")[: 2 * request["cursor"]].decode("utf-16-le", "ignore"))
    # Also where IPython finds nothing: it asks Jedi alone, which may fail without a word.
    start, end, matches = shell.complete(code, cursor) or _from_rlcompleter(code, cursor, namespace)
    return {
        "start": _units(code[:start]),
        "end": _units(code[:end]),
        "matches": [match for match in dict.fromkeys(matches) if len(match) <= _MAX_MATCH][:_MAX_MATCHES],
    }
