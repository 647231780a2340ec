"""Matplotlib's view of us: Agg for drawing, displays for showing."""

from matplotlib.backends.backend_agg import FigureCanvasAgg as FigureCanvas  # noqa: F401

from . import pictures

show = pictures.show_open
