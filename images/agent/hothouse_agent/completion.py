"""Completions for an editor, from IPython, or from rlcompleter where that has none."""

from . import shell

_MAX_MATCHES = 500
# Longer ones are of no use in an editor.
_MAX_MATCH = 1_000


def _units(text):
    """Length in UTF-16 code units, as editors count."""
    return len(text.encode("utf-16-le", "surrogatepass")) // 2


def _from_rlcompleter(code, cursor, namespace, names_only=False):
    import re
    import rlcompleter

    word = re.search(r"[\w.]*$", code[:cursor]).group()
    # For no word it would propose a tab.
    if not word or (names_only and "." in word):
        return cursor, cursor, []
    completer = rlcompleter.Completer(namespace)
    matches = []
    while len(matches) < _MAX_MATCHES:
        match = completer.complete(word, len(matches))
        if match is None:
            break
        matches.append(match)
    return cursor - len(word), cursor, [match.rstrip("(") for match in matches]


def _find(code, cursor, namespace):
    found = shell.complete(code, cursor)
    if found is None:
        return _from_rlcompleter(code, cursor, namespace)
    # IPython asks Jedi alone, which may fail without a word. Attributes may take long to list, and were listed already.
    return found if found[2] else _from_rlcompleter(code, cursor, namespace, names_only=True)


def no_matches(request):
    """The payload of a completions event without matches."""
    return {"start": request["cursor"], "end": request["cursor"], "matches": []}


def complete(request, namespace):
    """The payload of a completions event. Raises what properties and `__dir__` of user code raise."""
    code = request["code"]
    cursor = len(code.encode("utf-16-le", "surrogatepass")[: 2 * request["cursor"]].decode("utf-16-le", "ignore"))
    start, end, matches = _find(code, cursor, namespace)
    return {
        "start": _units(code[:start]),
        "end": _units(code[:end]),
        "matches": [match for match in dict.fromkeys(matches) if len(match) <= _MAX_MATCH][:_MAX_MATCHES],
    }
