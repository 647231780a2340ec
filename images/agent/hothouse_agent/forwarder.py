"""
Forwards connections from a port of this sandbox to the socket of its proxy, which programs cannot name as a proxy. It
decides nothing: the proxy does, and code may connect to its socket itself.
"""

import contextlib
import os
import selectors
import socket
import time

from . import kernel

_FOLDER = "/run/hothouse/"
_ADDRESS = ("127.0.0.1", 3128)
_BUFFER = 1 << 16
# Connections at the same time; the proxy has a limit too.
_MAX_CONNECTIONS = 64
# How long the proxy may take to start. Seconds.
_PATIENCE = 30


def start():
    """Forks the process that forwards. Connections wait until the proxy is there; the proxy ends with the process."""
    server = socket.create_server(_ADDRESS, backlog=_MAX_CONNECTIONS)
    if os.fork() == 0:
        try:
            kernel.set_dumpable(False)
            _close_all_but(server.fileno())
            life = _connect("life")
            _Forwarder(server, life).serve()
        finally:
            os._exit(0)
    server.close()


def _close_all_but(kept):
    os.closerange(0, kept)
    os.closerange(kept + 1, 1024)


def _connect(name):
    """Waits for the socket, as long as the proxy may take."""
    late = time.monotonic() + _PATIENCE
    while True:
        try:
            return _to_socket(name)
        except OSError:
            if time.monotonic() > late:
                raise
            time.sleep(0.02)


def _to_socket(name):
    link = socket.socket(socket.AF_UNIX)
    try:
        link.connect(_FOLDER + name)
    except OSError:
        link.close()
        raise
    return link


class _Forwarder:
    def __init__(self, server, life):
        self._server, self._life = server, life
        self._selector = selectors.DefaultSelector()
        self._pairs = 0
        self._selector.register(life, selectors.EVENT_READ, None)
        self._listen()

    def _listen(self):
        self._selector.register(self._server, selectors.EVENT_READ, None)

    def serve(self):
        """Until the proxy has ended."""
        while True:
            for key, events in self._selector.select():
                if key.fileobj is self._life:
                    return
                if key.fileobj is self._server:
                    self._accept()
                elif key.data.is_open:
                    key.data.on_ready(events)

    def _accept(self):
        client, _ = self._server.accept()
        try:
            proxy = _to_socket("proxy")
        except OSError:
            client.close()
            return
        self._pairs += 1
        if self._pairs == _MAX_CONNECTIONS:
            self._selector.unregister(self._server)
        pair = [_Side(self._selector, client, self._on_closed), _Side(self._selector, proxy, lambda: None)]
        pair[0].other, pair[1].other = pair[1], pair[0]
        for side in pair:
            side.link.setblocking(False)
            side.update()

    def _on_closed(self):
        if self._pairs == _MAX_CONNECTIONS:
            self._listen()
        self._pairs -= 1


class _Side:
    """One end of a forwarded connection, and what was read from it and the other end has not taken."""

    def __init__(self, selector, link, on_closed):
        self.link = link
        self.other = None
        self.is_open = True
        self._selector, self._on_closed = selector, on_closed
        self._pending = b""
        self._has_ended = self._is_shut = False
        self._watched = 0

    def update(self):
        """Watches for what it can do now."""
        read = selectors.EVENT_READ if not self._pending and not self._has_ended else 0
        write = selectors.EVENT_WRITE if self.other._pending else 0
        if read | write == self._watched:
            return
        if not self._watched:
            self._selector.register(self.link, read | write, self)
        elif read | write:
            self._selector.modify(self.link, read | write, self)
        else:
            self._selector.unregister(self.link)
        self._watched = read | write

    def on_ready(self, events):
        try:
            if events & selectors.EVENT_READ and not self._pending and not self._has_ended:
                self._pending = self.link.recv(_BUFFER)
                self._has_ended = not self._pending
            if events & selectors.EVENT_WRITE and self.other._pending:
                self.other._pending = self.other._pending[self.link.send(self.other._pending) :]
            for side in (self, self.other):
                side._pass_end()
        except BlockingIOError:
            return
        except OSError:
            self._close()
            return
        if self._is_shut and self.other._is_shut:
            self._close()
            return
        self.update()
        self.other.update()

    def _pass_end(self):
        if self._has_ended and not self._pending and not self._is_shut:
            self._is_shut = True
            with contextlib.suppress(OSError):
                self.other.link.shutdown(socket.SHUT_WR)

    def _close(self):
        for side in (self, self.other):
            if side._watched:
                side._selector.unregister(side.link)
                side._watched = 0
            side.is_open = False
            side.link.close()
            side._on_closed()
