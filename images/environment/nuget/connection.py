"""Reads files of a feed by HTTP: with the certificates and proxies of the machine, and no further than http and https lead."""

import base64
import http.client
import io
import ssl
import time
import urllib.error
import urllib.parse
import urllib.request

from package import Failed

ATTEMPTS = 3
TIMEOUT_S = 60
REDIRECTS = 5
_PORTS = {"http": 80, "https": 443}
_MOVED = (301, 302, 303, 307, 308)


class Missing(Exception):
    """The feed has no such file."""


class _Stay(urllib.request.HTTPRedirectHandler):
    """Each step of a redirection is looked at here."""

    def redirect_request(self, *_):
        return None


class Connection:
    """
    `index` is the address of a feed, maybe with a user name and a password, which no other host gets. The proxies are those of
    the environment's variables when it is made.
    """

    def __init__(self, index, certificates=None, trusted_hosts=()):
        parts = urllib.parse.urlsplit(index)
        self._shown = without_password(index)
        self._origin = _origin(parts)
        self._login = _login(parts)
        self._trusted = set(trusted_hosts)
        self._checked = _opener(ssl.create_default_context(cafile=certificates or None))
        self._unchecked = _opener(ssl._create_unverified_context())

    def read(self, address, limit):
        """The bytes of a file; at most `limit`. Raises `Missing` or `Failed`."""
        target = io.BytesIO()
        self.copy(address, target, limit)
        return target.getvalue()

    def copy(self, address, target, limit):
        """Writes a file of at most `limit` bytes to `target`. Raises `Missing` or `Failed`."""
        for attempt in range(ATTEMPTS):
            target.seek(0)
            target.truncate()
            try:
                with self._open(address) as answer:
                    return self._copy(answer, target, limit)
            except urllib.error.HTTPError as error:
                if error.code == 404:
                    raise Missing()
                if error.code < 500 or attempt + 1 == ATTEMPTS:
                    raise Failed("The index %s answers with status %d: %s." % (self._shown, error.code, error.reason))
            except (ValueError, http.client.InvalidURL):
                raise Failed("The index %s names files at an address that cannot be read." % self._shown)
            except (OSError, http.client.HTTPException) as error:
                reason = getattr(error, "reason", error)
                if isinstance(reason, ssl.SSLError) or attempt + 1 == ATTEMPTS:
                    raise Failed("The index %s cannot be reached%s: %s." % (self._shown, self._elsewhere(address), reason or "no answer"))
            time.sleep(attempt + 1)

    def _copy(self, answer, target, limit):
        size = 0
        for part in iter(lambda: answer.read(1 << 16), b""):
            size += len(part)
            if size > limit:
                raise Failed("The index %s sends a file of more than %d MB." % (self._shown, limit >> 20))
            target.write(part)
        if answer.length:
            raise ConnectionError("the connection ended %d bytes before the end of a file" % answer.length)

    def _open(self, address):
        for _ in range(REDIRECTS + 1):
            parts = urllib.parse.urlsplit(address)
            if parts.scheme not in _PORTS or not parts.hostname:
                raise Failed("The index %s names files at an address that is not http or https." % self._shown)
            own = {"Authorization": self._login} if self._login and _origin(parts) == self._origin else {}
            request = urllib.request.Request(without_password(address), headers={"User-Agent": "hothouse", **own})
            is_trusted = {request.host, parts.hostname} & self._trusted
            try:
                return (self._unchecked if is_trusted else self._checked).open(request, timeout=TIMEOUT_S)
            except urllib.error.HTTPError as error:
                if error.code not in _MOVED:
                    raise
                address = urllib.parse.urljoin(address, error.headers.get("Location") or "")
                if parts.scheme == "https" and urllib.parse.urlsplit(address).scheme == "http":
                    raise Failed("The index %s redirects from https to http." % self._shown)
        raise Failed("The index %s redirects more than %d times." % (self._shown, REDIRECTS))

    def _elsewhere(self, address):
        """The host of a file, where it is not the one of the index: an option or a firewall may have to name it."""
        parts = urllib.parse.urlsplit(address)
        return "" if _origin(parts) == self._origin else " at %s, where it has its files" % parts.hostname


def without_password(address):
    parts = urllib.parse.urlsplit(address)
    return parts._replace(netloc=parts.netloc.rpartition("@")[2]).geturl()


def _origin(parts):
    return parts.scheme, parts.hostname, parts.port or _PORTS.get(parts.scheme)


def _login(parts):
    if not parts.username:
        return None
    pair = "%s:%s" % (urllib.parse.unquote(parts.username), urllib.parse.unquote(parts.password or ""))
    return "Basic " + base64.b64encode(pair.encode()).decode()


def _opener(context):
    return urllib.request.build_opener(_Stay, urllib.request.HTTPSHandler(context=context))
