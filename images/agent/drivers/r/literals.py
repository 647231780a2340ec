"""JSON values as code of R."""


def assignments(state):
    """Code that makes these variables global ones."""
    return "list2env(%s, globalenv())" % _literal(state) if state else ""


def _literal(value):
    if value is None:
        return "NULL"
    if isinstance(value, bool):
        return "TRUE" if value else "FALSE"
    if isinstance(value, str):
        return _text(value)
    if isinstance(value, (int, float)):
        return repr(value)
    if isinstance(value, dict):
        return "stats::setNames(list(%s), c(%s))" % (_all(value.values()), ", ".join(map(_text, value)))
    # What a vector can hold is one.
    kinds = {bool if isinstance(item, bool) else str if isinstance(item, str) else float for item in value}
    is_plain = len(kinds) == 1 and not any(item is None or isinstance(item, (list, dict)) for item in value)
    return "%s(%s)" % ("c" if is_plain else "list", _all(value))


def _all(values):
    return ", ".join(map(_literal, values))


def _text(text):
    # R's texts have no NUL, and lines may end in them.
    quoted = text.replace("\0", "").replace("\\", "\\\\").replace('"', '\\"')
    return '"%s"' % quoted.encode("utf-8", "replace").decode()
