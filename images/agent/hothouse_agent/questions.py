"""input() and getpass(): a person answers where the run has one to ask, and stdin otherwise."""

import builtins
import sys

from . import hooks

_NO_INPUT = "EOF when reading a line: stdin of this run is empty or used up. Only cells of a notebook can ask a person."


def install(ask):
    """`ask(prompt, is_secret)` returns the answer, or None where nothing can be asked; raises EOFError."""
    from_stdin = builtins.input

    def input(prompt="", /):
        """Asks for a line of text: in an input box of the editor, or from stdin where there is no editor."""
        return _answer(ask, str(prompt), False, lambda: from_stdin(prompt))

    builtins.input = input
    hooks.on_import("getpass", lambda module: _replace_getpass(module, ask, from_stdin))


def _replace_getpass(module, ask, from_stdin):
    def getpass(prompt="Password: ", stream=None, **_):
        """Asks for a password, without showing what is typed."""
        return _answer(ask, str(prompt), True, lambda: from_stdin(prompt))

    module.getpass = getpass


def _answer(ask, prompt, is_secret, read_stdin):
    answer = _asked(ask, prompt, is_secret)
    if answer is not None:
        return answer
    try:
        return read_stdin()
    except EOFError:
        raise EOFError(_NO_INPUT) from None


def _asked(ask, prompt, is_secret):
    """The output then reads as in a terminal: the prompt and what was typed."""
    answer = ask(prompt, is_secret)
    if answer is not None:
        sys.stdout.write("\n" if is_secret else answer + "\n")
        sys.stdout.flush()
    return answer
