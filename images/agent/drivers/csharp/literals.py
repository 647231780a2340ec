"""JSON values as code of C#."""

import re

_NAME = re.compile(r"[^\W\d]\w*\Z")


def assignments(state):
    """Code that declares these variables."""
    return " ".join(map(_declaration, state, state.values()))


def _declaration(name, value):
    if not _NAME.match(name):
        message = "%s is not the name of a variable in C#." % _text(name)
        return "throw new System.ArgumentException(%s);" % _text(message)
    # A variable without a type could have no value of another one.
    return "%s @%s = %s;" % ("object" if value is None else "var", name, _literal(value))


def _literal(value):
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return _text(value)
    if isinstance(value, int):
        return _integer(value)
    if isinstance(value, float):
        return repr(value) + "d"
    if isinstance(value, dict):
        items = "".join("{ %s, %s }, " % (_text(key), _literal(item)) for key, item in value.items())
        return "new System.Collections.Generic.Dictionary<string, object> { %s}" % items
    return "new %s[] { %s }" % (_item_type(value), ", ".join(map(_literal, value)))


def _integer(value):
    if -(2**31) < value < 2**31:
        return str(value)
    return "%dL" % value if -(2**63) < value < 2**63 else "%d.0" % value


def _item_type(items):
    """What all items of a list are."""
    kinds = {type(item) for item in items}
    if kinds == {bool}:
        return "bool"
    if kinds == {str}:
        return "string"
    if kinds == {int} and all(-(2**31) < item < 2**31 for item in items):
        return "int"
    if kinds and kinds <= {int, float}:
        return "double"
    return "object"


def _text(text):
    units = text.encode("utf-16-le", "surrogatepass")
    codes = (int.from_bytes(units[at : at + 2], "little") for at in range(0, len(units), 2))
    return '"%s"' % "".join(chr(code) if _is_plain(code) else "\\u%04x" % code for code in codes)


def _is_plain(code):
    return 32 <= code < 127 and chr(code) not in '"\\'
