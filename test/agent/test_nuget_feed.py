import base64
import os
import time
from unittest import mock

from support import AgentTest  # First: it knows where the modules are.

import nugetfeed
from feed import Feed
from nugetfeed import answer, nuspec
from resolver import resolve
from versions import Range, Version
from package import Failed

ONE = Version("1.0.0")


def redirect(address, status=302):
    return lambda handler: answer(handler, b"", status=status, Location=address)


def bomb(levels=9):
    entities = "".join('<!ENTITY e%d "%s">' % (level + 1, "&e%d;" % level * 10) for level in range(levels))
    return ('<!DOCTYPE package [<!ENTITY e0 "laugh">%s]><package><metadata><id>A</id><version>1.0.0</version>'
            '<description>&e%d;</description></metadata></package>' % (entities, levels)).encode()  # fmt: skip


class FeedTest(AgentTest):
    def setUp(self):
        self.feed = nugetfeed.Feed(self)
        self.home = self.folder()
        self.cache = os.path.join(self.home, "cache")
        # Repeated attempts need no pause here.
        patch = mock.patch.object(time, "sleep")
        patch.start()
        self.addCleanup(patch.stop)

    def client(self, url=None, **options):
        return Feed(url or self.feed.url, self.cache, **options)

    def describe(self, text):
        self.feed.put_json("/flat/a/index.json", {"versions": ["1.0.0"]})
        self.feed.files["/flat/a/1.0.0/a.nuspec"] = text
        return self.client().package("A", ONE)

    def written(self):
        """Paths of all files in the folder around the cache."""
        return [os.path.relpath(os.path.join(parent, name), self.home) for parent, _, names in os.walk(self.home) for name in names]

    def test_lists_versions_in_their_order_and_none_of_an_unknown_package(self):
        for version in ["2.0.0", "1.0.0-rc", "1.0.0"]:
            self.feed.add("A", version)
        self.assertEqual([str(one) for one in self.client().versions("a")], ["1.0.0-rc", "1.0.0", "2.0.0"])
        self.assertEqual(self.client().versions("other"), [])

    def test_takes_a_resource_with_several_types(self):
        self.feed.put_json("/index.json", {"resources": [{"@id": "flat", "@type": ["X", "PackageBaseAddress/3.0.0"]}]})
        self.feed.add("A")
        self.assertEqual(self.client().versions("A"), [ONE])

    def test_says_in_a_sentence_that_an_answer_is_nothing_it_knows(self):
        for content in [b"", b"[" * 200_000, b"null", b"[]", b"\xff\xfe", b'{"resources": 1}', b'{"resources": [{"@id": 1, "@type": 1}]}',
                        b'{"resources": [{"@id": 1, "@type": "PackageBaseAddress/3.0.0"}]}']:  # fmt: skip
            self.feed.files["/index.json"] = content
            with self.subTest(content=content[:40]), self.assertRaisesRegex(Failed, "is no index of NuGet of version 3"):
                self.client().versions("A")
        self.feed.name_base("flat/")
        for content in [b"[" * 200_000, b'{"versions": 1}', b'{"versions": [1]}', b'{"versions": ["../x"]}', b'{"versions": [null]}',
                        b'{"versions": ["%s"]}' % (b"1" * 100_000)]:  # fmt: skip
            self.feed.files["/flat/a/index.json"] = content
            with self.subTest(content=content[:40]), self.assertRaisesRegex(Failed, "does not list the versions of a"):
                self.client().versions("A")

    def test_refuses_lists_and_descriptions_without_end(self):
        self.feed.put_json("/flat/a/index.json", {"versions": ["1.0.%d" % number for number in range(1_000_000)]})
        with self.assertRaisesRegex(Failed, "lists more than 50000 versions of a"):
            self.client().versions("A")
        self.feed.files["/flat/a/index.json"] = b" " * (17 << 20)
        with self.assertRaisesRegex(Failed, "sends a file of more than 16 MB"):
            self.client().versions("A")
        with self.assertRaisesRegex(Failed, "sends a file of more than 1 MB"):
            self.describe(b" " * (2 << 20))

    def test_refuses_descriptions_that_declare_entities_or_are_nothing_it_knows(self):
        external = b'<!DOCTYPE p [<!ENTITY x SYSTEM "file:///etc/passwd">]><package><metadata><id>&x;</id></metadata></package>'
        for text, message in [
            (bomb(), "it declares a document type"),
            (bomb(2), "it declares a document type"),
            (bomb(2).decode().encode("utf-16"), "it declares a document type"),
            (external, "it declares a document type"),
            (b"", "cannot be read"),
            (b"<package/>", "it has no metadata"),
            (b"<package><metadata/></package>", "has no 'id'"),
            (b"<package><metadata><id/><version>1</version></metadata></package>", "is not the name of a package"),
            (nuspec("A", ""), "is no version"),
            (nuspec("A", requires=[("B", "1.0 || 2.0")]), "is no version"),
            (b"<a>" * 300_000, "cannot be read"),
            (b'<?xml version="1.0" encoding="unknown"?><package/>', "cannot be read"),
        ]:
            with self.subTest(text=text[:60]), self.assertRaisesRegex(Failed, message):
                self.cache = self.folder()
                self.describe(text)

    def test_refuses_names_that_lead_elsewhere_and_asks_for_no_such_package(self):
        for name in ["../../evil", "/etc/evil", "..", "a/b", "a\\b", "-r", "http://host/a", "a b", "a?b", "", "x" * 101]:
            self.cache = os.path.join(self.folder(self.home), "cache")
            self.feed.add("A", requires=[(name, "1.0")])
            with self.subTest(name=name), self.assertRaisesRegex(Failed, "is not the name of a package"):
                resolve(self.client(), [("A", Range("1.0"))])
        self.assertEqual([path for path in self.written() if "evil" in path], [])

    def test_writes_only_below_its_cache_whatever_packages_require(self):
        # The feed would describe, and send, a package in the cache of another feed.
        name = "../0123456789abcdef/b"
        self.feed.add("A", requires=[(name, "1.0.0")])
        self.feed.put_json("/flat/%s/index.json" % name, {"versions": ["1.0.0"]})
        self.feed.files["/flat/%s/1.0.0/%s.nuspec" % (name, name)] = nuspec("b")
        try:
            resolve(self.client(), [("A", Range("1.0"))])
        except Failed:
            pass
        self.assertEqual([path for path in self.written() if "0123456789abcdef" in path], [])

    def test_refuses_the_description_of_another_package(self):
        for other in [nuspec("B"), nuspec("A", "2.0.0")]:
            with self.assertRaisesRegex(Failed, r"describes A 1\.0\.0 as "):
                self.cache = self.folder()
                self.describe(other)

    def test_gives_its_password_to_its_own_host_alone(self):
        other = nugetfeed.Feed(self)
        other.add("B")
        self.feed.add("A")
        self.feed.files["/flat/b/index.json"] = redirect("http://%s/flat/b/index.json" % other.host)
        client = self.client("http://me:pa%2Fss@" + self.feed.url[len("http://") :])
        self.assertEqual(client.versions("A") + client.versions("B"), [ONE, ONE])
        login = "Basic " + base64.b64encode(b"me:pa/ss").decode()
        self.assertEqual({header for _, header in self.feed.asked}, {login})
        self.assertEqual(other.asked, [("/flat/b/index.json", None)])

    def test_follows_redirections_to_http_alone_and_not_without_end(self):
        self.feed.files["/flat/a/index.json"] = redirect("/moved")
        self.feed.put_json("/moved", {"versions": ["1.0.0"]})
        self.assertEqual(self.client().versions("A"), [ONE])
        for address, message in [
            ("file:///etc/passwd", "not http or https"),
            ("ftp://127.0.0.1/x", "not http or https"),
            ("data:text/plain,x", "not http or https"),
            ("http://[x/", "cannot be read"),
            ("http://127.0.0.1:x/", "cannot be read"),
            ("/flat/a/index.json", "redirects more than 5 times"),
        ]:
            self.feed.files["/flat/a/index.json"] = redirect(address)
            with self.subTest(address=address), self.assertRaisesRegex(Failed, message):
                self.client().versions("A")

    def test_reads_no_other_address_that_its_index_names(self):
        for address in ["file:///etc/", "ftp://127.0.0.1/", "http://a b/", "http://[x/", "http://h\r\nX: y/"]:
            self.feed.name_base(address)
            with self.subTest(address=address), self.assertRaisesRegex(Failed, "address|index of NuGet"):
                self.client().versions("A")

    def test_asks_again_after_a_broken_answer_and_keeps_no_half_file(self):
        self.feed.add("A")
        whole = b"x" * 100_000
        for broken in [
            lambda handler: answer(handler, whole[:50_000], len(whole)),
            lambda handler: handler.wfile.write(b"nonsense\r\n\r\n"),
            lambda handler: handler.send_error(503),
            lambda handler: None,
        ]:
            self.cache = self.folder()
            answers = [broken, broken, lambda handler: answer(handler, whole)]
            self.feed.files["/flat/a/1.0.0/a.1.0.0.nupkg"] = lambda handler: answers.pop(0)(handler)
            with open(self.client().archive("A", ONE), "rb") as file:
                self.assertEqual(file.read(), whole)

    def test_says_what_is_wrong_with_an_answer_that_stays_broken(self):
        self.feed.add("A")
        for broken, message in [
            (lambda handler: answer(handler, b"x", 100), "cannot be reached: the connection ended 99 bytes before the end"),
            (lambda handler: handler.wfile.write(b"nonsense\r\n\r\n"), "cannot be reached"),
            (lambda handler: handler.send_error(503), "answers with status 503"),
            (lambda handler: handler.send_error(401), "answers with status 401"),
        ]:
            self.feed.files["/flat/a/1.0.0/a.1.0.0.nupkg"] = broken
            with self.assertRaisesRegex(Failed, message):
                self.client().archive("A", ONE)
            self.assertEqual([path for path in self.written() if "tmp" in path or "nupkg" in path], [])

    def test_goes_through_the_proxies_of_the_variables(self):
        proxy = nugetfeed.Feed(self)
        index = "http://feed.invalid/index.json"
        proxy.files[index] = self.feed.files["/index.json"]
        proxy.put_json("http://feed.invalid/flat/a/index.json", {"versions": ["1.0.0"]})
        with mock.patch.dict(os.environ, {"http_proxy": "http://" + proxy.host, "no_proxy": "other.invalid"}):
            self.assertEqual(self.client(index).versions("A"), [ONE])
