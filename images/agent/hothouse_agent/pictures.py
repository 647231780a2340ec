"""Matplotlib's figures as displays: shown by plt.show(), as a value, and what is still open at the end of a cell."""

import io
import os
import sys

from . import hooks, shell, environment

_BACKEND = "module://hothouse_agent.matplotlib_backend"
_publisher = None


def prepare():
    """In the zygote: selects our backend once Matplotlib is imported."""
    pyplot = sys.modules.get("matplotlib.pyplot")
    if pyplot is not None and sys.modules.get("hothouse_agent.matplotlib_backend") is None:
        pyplot.switch_backend(_BACKEND)
        _make_folders(sys.modules["matplotlib"])


def _make_folders(matplotlib):
    """Matplotlib caches the path of its folder; a reset removes the folder, so each use creates it again."""
    folder = environment.run_variable("MPLCONFIGDIR")
    if folder is not None:
        matplotlib.get_configdir = matplotlib.get_cachedir = lambda: os.makedirs(folder, exist_ok=True) or folder


def install(publisher):
    global _publisher
    _publisher = publisher
    hooks.on_import("matplotlib", _choose_backend)
    publisher.add_formatter(_format)
    publisher.at_end_of_cell(show_open)


def _choose_backend(matplotlib):
    if "matplotlib.pyplot" not in sys.modules:
        # Not through the environment: a Python that user code starts could not import this backend.
        matplotlib.rcParams["backend"] = _BACKEND


def _saved(figure, form):
    buffer = io.BytesIO()
    figure.savefig(buffer, format=form, bbox_inches="tight")
    return buffer.getvalue()


def _bundle(figure):
    size = "<Figure size %dx%d with %d Axes>" % (*figure.bbox.size, len(figure.axes))
    if "svg" in shell.figure_formats():
        return {"image/svg+xml": _saved(figure, "svg").decode(), "text/plain": size}
    return {"image/png": _saved(figure, "png"), "text/plain": size}


def _format(value):
    module = sys.modules.get("matplotlib.figure")
    if module is None or not isinstance(value, module.Figure):
        return None
    data = _bundle(value)
    pyplot = sys.modules.get("matplotlib.pyplot")
    if pyplot is not None:
        # So that the end of the cell does not show it again.
        pyplot.close(value)
    return data


def show_open(*_, **__):
    """Shows every open figure and closes it."""
    pyplot = sys.modules.get("matplotlib.pyplot")
    if pyplot is None:
        return
    for number in pyplot.get_fignums():
        figure = pyplot.figure(number)
        if figure.axes or figure.texts or figure.images:
            _publisher.show(_bundle(figure))
        pyplot.close(figure)
