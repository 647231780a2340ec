"""The framing between engine and agent; src/protocol/frames.ts is the other end."""

import json
import struct

HEADER = struct.Struct(">BII")
COUNTS = struct.Struct(">QQ")
COUNT = struct.Struct(">Q")
# Of a frame that this process reads itself. `MAX_PAYLOAD_BYTES` of the protocol.
MAX_CONTROL_BYTES = 2 << 20
# Of a frame whose bytes are for a child, or from one. `MAX_CHUNK_BYTES` of the protocol.
MAX_CHUNK_BYTES = 1 << 16
# Ends a frame of the engine. A zero in its place, of the padding that an engine sends before a second hello, cancels it.
END = 1

PADDING = 0
HELLO, START, RUN, INPUT, CLOSE_INPUT, RESET, REQUEST, ACKNOWLEDGE, NOTE, RETAIN, RESUME = range(1, 12)
READY, STDOUT, STDERR, EVENT, EXIT, REPLY, ANSWER, ROOM, REPORT, RETAINING, TAKEN, DENIED = range(65, 77)


def encoded(value):
    """The payload of a message."""
    return json.dumps(value).encode()


def frame(kind, channel, payload=b""):
    """A frame of the agent."""
    return HEADER.pack(kind, channel, len(payload)) + payload


class Closed(Exception):
    """The engine has gone or broke the protocol; the text says how."""
