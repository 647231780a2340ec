"""Plotly's charts as pages of their own: its renderers for notebooks need scripts of Jupyter, or a browser on this machine."""

import types

from . import hooks

# Images and plain JSON stay as they are.
_REPLACED = (
    "notebook notebook_connected jupyterlab nteract vscode kaggle azure colab cocalc databricks"
    " browser firefox chrome chromium iframe iframe_connected"
).split()
# Pixels: of a chart that names no height, and of what the page has around it.
_HEIGHT = 450
_MARGIN = 20
_MISSING = (
    "<script>window.Plotly || document.write('This chart needs plotly.js from cdn.plot.ly, which did not load.')</script>"
)


def install():
    hooks.on_import("plotly.io._renderers", _replace)
    hooks.on_import("plotly.basewidget", _show_widgets)


def _show_widgets(module):
    # Widgets need a window with scripts of Jupyter; as figures they are shown.
    for name in ("_ipython_display_", "_repr_html_", "_repr_mimebundle_"):
        setattr(module.BaseFigureWidget, name, getattr(module.BaseFigure, name))


def _replace(module):
    class PageRenderer(module.PlotlyRenderer):
        """The chart as JSON, for editors that draw it, and as a page that loads plotly.js, for all others."""

        def to_mimebundle(self, fig_dict):
            import html

            from plotly.io import to_html

            height = (fig_dict.get("layout") or {}).get("height") or _HEIGHT
            page = to_html(
                fig_dict,
                config=self.config or None,
                include_plotlyjs="cdn",
                default_height="%dpx" % height,
                validate=False,
            ).replace("<div ", _MISSING + "<div ", 1)
            frame = '<iframe srcdoc="%s" style="width: 100%%; height: %dpx; border: 0"></iframe>'
            return {**super().to_mimebundle(fig_dict), "text/html": frame % (html.escape(page), height + _MARGIN)}

    if module.nbformat is None:
        # show() displays nothing without it, and uses no more of it than its version.
        module.nbformat = types.SimpleNamespace(__version__="4.2.0")
    for name in _REPLACED:
        if name in module.renderers:
            module.renderers[name] = PageRenderer()
    # The default ones have been looked up by their names.
    module.renderers.default = module.renderers.default
