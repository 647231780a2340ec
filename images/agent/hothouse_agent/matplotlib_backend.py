"""A backend for Matplotlib: draws with Agg, and shows figures as displays."""

from matplotlib.backends.backend_agg import FigureCanvasAgg as FigureCanvas  # noqa: F401

from . import pictures

show = pictures.show_open
