"""Progress bars of tqdm for notebooks as text: their widgets need a front end that is not there."""

from . import hooks


def install():
    hooks.on_import("tqdm.notebook", _use_text)


def _use_text(module):
    from tqdm import std

    module.tqdm = module.tqdm_notebook = std.tqdm
    module.trange = module.tnrange = std.trange
