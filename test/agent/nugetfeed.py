"""A feed of NuGet on this machine that answers as a test says, and archives with any names."""

import http.server
import json
import threading
import zipfile

NAMESPACE = "http://schemas.microsoft.com/packaging/2013/05/nuspec.xsd"


def nuspec(name, version="1.0.0", requires=()):
    listed = "".join('<dependency id="%s" version="%s"/>' % pair for pair in requires)
    fields = "<id>%s</id><version>%s</version><dependencies>%s</dependencies>" % (name, version, listed)
    return ('<package xmlns="%s"><metadata>%s</metadata></package>' % (NAMESPACE, fields)).encode()


def archive(path, entries):
    """Writes a zip file with these names and contents, as they are."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as target:
        for name, content in entries:
            entry = name if isinstance(name, zipfile.ZipInfo) else zipfile.ZipInfo(name, (2020, 1, 1, 0, 0, 0))
            target.writestr(entry, content, zipfile.ZIP_DEFLATED)
    return path


class Feed:
    """
    `files` has bytes by path, or functions that get the handler of a request. `asked` has paths and what the requests had as
    `Authorization`.
    """

    def __init__(self, test):
        self.files = {}
        self.asked = []
        feed = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                feed.asked.append((self.path, self.headers.get("Authorization")))
                content = feed.files.get(self.path)
                if callable(content):
                    content(self)
                elif content is None:
                    self.send_error(404)
                else:
                    answer(self, content)

            def log_message(self, *_):
                pass

        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        server.daemon_threads = True
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        test.addCleanup(server.server_close)
        test.addCleanup(thread.join)
        test.addCleanup(server.shutdown)
        self.host = "127.0.0.1:%d" % server.server_port
        self.url = "http://%s/index.json" % self.host
        self.name_base("flat/")

    def name_base(self, address):
        self.put_json("/index.json", {"resources": [{"@id": address, "@type": "PackageBaseAddress/3.0.0"}]})

    def put_json(self, path, value):
        self.files[path] = json.dumps(value).encode()

    def add(self, name, version="1.0.0", requires=()):
        """A version in the list, and its description."""
        path = "/flat/%s/index.json" % name.lower()
        versions = json.loads(self.files.get(path, b'{"versions": []}'))["versions"]
        self.put_json(path, {"versions": [*versions, version]})
        self.files["/flat/%s/%s/%s.nuspec" % (name.lower(), version, name.lower())] = nuspec(name, version, requires)


def answer(handler, content, length=None, status=200, **headers):
    """Sends `content`, maybe with a wrong length."""
    handler.send_response(status)
    for name, value in headers.items():
        handler.send_header(name, value)
    handler.send_header("Content-Length", str(len(content) if length is None else length))
    handler.end_headers()
    handler.wfile.write(content)
