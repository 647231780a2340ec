"""Widgets of ipywidgets as text: there is no window with the scripts that make them interactive."""

from . import hooks

_NOTE = "Widgets are shown as text, as there is no window for interactive ones."
_noted = False


def install(publisher):
    hooks.on_import("ipywidgets.widgets.widget", _show_text)
    hooks.on_import("ipywidgets.widgets.widget_string", _show_html)
    hooks.on_import("ipywidgets.widgets.widget_output", lambda module: _keep_outputs(module.Output, publisher))


def _show_text(module):
    original = module.Widget._repr_mimebundle_

    def as_text(self, **options):
        global _noted
        data = original(self, **options) or {}
        # A notebook that keeps the name of this process's widget could never show it.
        if data.pop("application/vnd.jupyter.widget-view+json", None) is not None and not _noted:
            _noted = True
            print(_NOTE)
        return data

    module.Widget._repr_mimebundle_ = as_text


def _show_html(module):
    module.HTML._repr_mimebundle_ = lambda self, **_: {"text/html": self.value, "text/plain": repr(self)}


def _keep_outputs(output, publisher):
    """What clears the part of the page that a widget has does not clear the cell, where its output is."""
    enter, leave = output.__enter__, output.__exit__

    def __enter__(self):
        publisher.widgets += 1
        return enter(self)

    def __exit__(self, *error):
        publisher.widgets -= 1
        return leave(self, *error)

    output.__enter__, output.__exit__ = __enter__, __exit__
