"""Starts the C# driver of the image, which images/csharp compiles."""

from hothouse_agent import relay

from .literals import assignments
from .program import with_call


def serve(requests, events, answers, limits, files):
    # It cannot be interrupted by a signal.
    relay.serve(["hothouse-csharp"], (requests, events, answers), limits, by_signal=False, assignments=assignments, once=with_call)
