"""Mime bundles of objects, and the events that carry them."""

import base64
import json
import math

from . import jsonshape, shell

_METHODS = (
    ("text/html", "_repr_html_"),
    ("text/markdown", "_repr_markdown_"),
    ("image/svg+xml", "_repr_svg_"),
    ("image/png", "_repr_png_"),
    ("image/jpeg", "_repr_jpeg_"),
    ("text/latex", "_repr_latex_"),
    ("application/json", "_repr_json_"),
    ("application/javascript", "_repr_javascript_"),
)
_MAX_TEXT = 1 << 20
# In place of a mime bundle: the value has displayed itself.
DISPLAYED = object()


# IPython writes these as Python does.
_SCALARS = (int, float, complex, bool, str, bytes)
# It breaks what is longer into lines, also a list of them.
_MAX_LINE = 70


def _looks_the_same_everywhere(value):
    """Whether the value's text is the same with and without IPython."""
    kind = type(value)
    if kind in _SCALARS:
        return True
    parts = value if kind in (list, tuple) else [*value, *value.values()] if kind is dict else None
    if parts is None or len(parts) > _MAX_LINE or any(type(part) not in _SCALARS for part in parts):
        return False
    return len(repr(value)) <= _MAX_LINE


def _plain(value):
    text = repr(value)
    return text if len(text) <= _MAX_TEXT else text[:_MAX_TEXT] + "…"


def _type_of(value):
    kind = type(value)
    return "<%s.%s object>" % (kind.__module__, kind.__qualname__)


def _called(value, method):
    # Classes have these methods unbound; objects with a catch-all __getattr__ seem to have every method.
    if isinstance(value, type) or getattr(value, "_hothouse_no_such_method_", None) is not None:
        return None
    function = getattr(value, method, None)
    if not callable(function):
        return None
    try:
        shown = function()
    except Exception:
        return None
    return shown[0] if isinstance(shown, tuple) else shown


def _to_json(content):
    if isinstance(content, (bytes, bytearray)):
        return base64.b64encode(content).decode()
    return content


def _clean(value, depth=0):
    """`value` as JSON can carry it, cut where it is nested too deep."""
    if isinstance(value, (str, int, type(None))):
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if depth < jsonshape.MAX_DEPTH and isinstance(value, dict):
        return {str(key): _clean(inner, depth + 1) for key, inner in value.items()}
    if depth < jsonshape.MAX_DEPTH and isinstance(value, (list, tuple)):
        return [_clean(inner, depth + 1) for inner in value]
    return _plain(value)


class Publisher:
    """Turns what user code displays into events, at most `max_events` and `max_bytes` for a run; counts the rest."""

    def __init__(self, emit, max_bytes, max_events):
        self._emit = emit
        self._max_bytes = max_bytes
        self._max_events = max_events
        self._formatters = [self._by_methods]
        self._end_hooks = []
        # What a value displays while it is asked for its forms; None at all other times.
        self._held = None
        # Of those whose outputs are being written.
        self.widgets = 0
        self.restart()

    def limit(self, max_bytes, max_events):
        self._max_bytes = max_bytes
        self._max_events = max_events

    def restart(self):
        self._sent = 0
        self._count = 0
        self.dropped = 0

    def add_formatter(self, formatter, general=False):
        """
        `formatter(value)` returns a mime bundle, DISPLAYED or None; general ones are called after those for a single type.
        """
        self._formatters.insert(len(self._formatters) - 1 if general else 0, formatter)

    def at_end_of_cell(self, hook):
        self._end_hooks.append(hook)

    def end_of_cell(self):
        for hook in self._end_hooks:
            hook()

    def bundle(self, value):
        """The mime bundle of a value, or DISPLAYED."""
        if not _looks_the_same_everywhere(value):
            shell.load()
        for formatter in self._formatters:
            found = formatter(value)
            if found:
                break
        if found is DISPLAYED:
            return DISPLAYED
        data = {mime: _to_json(content) for mime, content in found.items() if content is not None}
        if "text/plain" not in data:
            data["text/plain"] = _plain(value)
        return data

    def _by_methods(self, value):
        data = {}
        many = _called_bundle(value)
        if many is not None:
            data.update(many)
        for mime, method in _METHODS:
            if mime not in data:
                content = _called(value, method)
                if content is not None:
                    data[mime] = content
        data.setdefault("text/plain", _plain(value))
        return data

    def _publish(self, kind, data, **fields):
        self._count += 1
        try:
            text = json.dumps(data, allow_nan=False)
        except (TypeError, ValueError):
            # JSON has no NaN, which charts leave out, and no objects, which become text.
            data = _clean(data)
            text = json.dumps(data)
        if self._sent + len(text) > self._max_bytes or self._count > self._max_events or not jsonshape.fits(text):
            self.dropped += 1
            return
        self._sent += len(text)
        self._emit(kind, data=data, **fields)

    def result(self, value):
        """Publishes the value of a cell. One that displays itself once is the result too, with its type as text."""
        self._held = held = []
        try:
            data = self.bundle(value)
        except BaseException:
            self._release()
            raise
        if data is DISPLAYED and [(kind, fields["id"]) for kind, _, fields in held] == [("display", None)]:
            self._held = None
            data = {"text/plain": _type_of(value), **held[0][1]}
        else:
            self._release()
        if data is not DISPLAYED:
            self._publish("result", data)

    def show(self, data, identifier=None, update=False):
        """Publishes a ready mime bundle."""
        kind, data = "update" if update else "display", {m: _to_json(c) for m, c in data.items()}
        if self._held is None:
            self._publish(kind, data, id=identifier)
        else:
            self._held.append((kind, data, {"id": identifier}))

    def _release(self):
        held, self._held = self._held or [], None
        for kind, data, fields in held:
            self._publish(kind, data, **fields)

    def show_result(self, data):
        """Publishes a ready mime bundle as the value of the cell."""
        self._publish("result", {m: _to_json(c) for m, c in data.items()})

    def clear(self, wait=False):
        if self.widgets:
            return
        self._release()
        self._count += 1
        if self._count <= self._max_events:
            self._emit("clear", wait=bool(wait))
        else:
            self.dropped += 1

    def display(self, *values, raw=False, display_id=None, update=False, **_):
        """Displays each value in every form it has, as the function of IPython does."""
        identifier = _new_id() if display_id is True else display_id
        for value in values:
            data = value if raw else self.bundle(value)
            if data is not DISPLAYED:
                self.show(data, identifier, update)
        return _Handle(self, identifier) if identifier is not None else None


def _called_bundle(value):
    if isinstance(value, type) or getattr(value, "_hothouse_no_such_method_", None) is not None:
        return None
    function = getattr(value, "_repr_mimebundle_", None)
    if not callable(function):
        return None
    try:
        found = function(include=None, exclude=None)
    except Exception:
        return None
    found = found[0] if isinstance(found, tuple) else found
    return found if isinstance(found, dict) else None


def _new_id():
    import uuid

    return uuid.uuid4().hex


class _Handle:
    """A display that can be updated."""

    def __init__(self, publisher, identifier):
        self._publisher = publisher
        self.display_id = identifier

    def display(self, value, **options):
        self._publisher.display(value, display_id=self.display_id, **options)

    def update(self, value, **options):
        self._publisher.display(value, display_id=self.display_id, update=True, **options)

    def __repr__(self):
        return "<DisplayHandle display_id=%s>" % self.display_id
