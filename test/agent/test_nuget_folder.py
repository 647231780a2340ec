import os
import struct
import zipfile

from support import AgentTest  # First: it knows where the modules are.

import nugetfeed
from feed import Feed
from folder import unpack
from nugetfeed import nuspec
from package import Failed


class Evil:
    def __str__(self):
        return "Evil 1.0.0"


class FolderTest(AgentTest):
    def setUp(self):
        self.home = self.folder()
        self.target = os.path.join(self.home, "target")

    def archive(self, *entries):
        return nugetfeed.archive(os.path.join(self.home, "evil.nupkg"), entries)

    def unpacked(self, *entries):
        unpack(Evil(), self.archive(*entries), self.target)
        return self.files()

    def files(self):
        """All files around the folder, but the archive."""
        paths = [os.path.join(parent, name) for parent, _, names in os.walk(self.home) for name in names]
        return sorted(os.path.relpath(path, self.target) for path in paths if not path.endswith(".nupkg"))

    def test_gets_the_assemblies_of_the_nearest_framework_and_the_libraries_of_the_platform(self):
        architecture = {"x86_64": "x64", "aarch64": "arm64"}.get(os.uname().machine, os.uname().machine)
        has = self.unpacked(
            ("lib/net45/A.dll", "x"),
            ("lib/net45/A.xml", "x"),
            ("lib/net45/de/A.resources.dll", "x"),
            ("lib/netstandard2.0/Other.dll", "x"),
            ("runtimes/linux-%s/native/liba.so" % architecture, "x"),
            ("runtimes/win-x64/native/a.dll", "x"),
            ("tools/install.ps1", "x"),
            ("build/A.targets", "x"),
        )
        self.assertEqual(has, ["lib/A.dll", "lib/de/A.resources.dll", "lib/liba.so"])

    def test_gets_nothing_of_an_archive_with_names_that_lead_elsewhere(self):
        outside = os.path.join(self.home, "evil")
        for name in [
            "lib/net45/../../../evil",
            "lib/net45/" + outside,
            "lib/net45//evil",
            "lib/net45/./evil",
            "lib/net45/..\\..\\evil",
            "runtimes/linux/native/../evil",
            "runtimes/unix/native/" + outside,
            "runtimes/linux/lib/net45/" + outside,
        ]:
            with self.subTest(name=name), self.assertRaisesRegex(Failed, "Evil 1.0.0 has a file with a name that leads elsewhere"):
                self.unpacked(("lib/net45/A.dll", "x"), (name, "evil"))
            self.assertEqual(self.files(), [])

    def test_gets_none_of_the_files_that_lie_elsewhere_in_the_archive(self):
        entries = [(name, "evil") for name in ["../evil", "/evil", "C:\\evil", "\\evil", "lib\\net45\\evil", "lib/../evil"]]
        self.assertEqual(self.unpacked(*entries, ("lib/net45/A.dll", "x")), ["lib/A.dll"])

    def test_gets_links_as_files(self):
        link = zipfile.ZipInfo("lib/net45/link", (2020, 1, 1, 0, 0, 0))
        link.external_attr = 0o120777 << 16
        self.assertEqual(self.unpacked((link, "/etc")), ["lib/link"])
        self.assertFalse(os.path.islink(os.path.join(self.target, "lib/link")))

    def test_refuses_archives_that_cannot_be_unpacked_with_a_sentence(self):
        long = "lib/net45/" + "/".join(["x" * 200] * 30)
        deep = "lib/net45/" + "/".join("x" * 30_000)
        for entries in [
            [(long, "x")],
            [(deep, "x")],
            [("lib/net45/a", "x"), ("lib/net45/a/b", "x")],
            [("lib/net45/a/b", "x"), ("lib/net45/a", "x")],
        ]:
            with self.subTest(entries=[name[:40] for name, _ in entries]), self.assertRaises(Failed):
                self.unpacked(*entries)

    def test_refuses_damaged_archives_with_a_sentence(self):
        path = self.archive(("lib/net45/A.dll", os.urandom(1000)))
        with open(path, "rb") as file:
            whole = file.read()
        central = whole.index(b"PK\x01\x02")

        def changed(offset, value):
            return whole[:offset] + struct.pack("<H", value) + whole[offset + 2 :]

        damaged = {
            "empty": b"",
            "no archive": b"x" * 1000,
            "cut": whole[:-30],
            "other bytes": changed(200, 0xFFFF),
            "encrypted": changed(central + 8, 1),
            "method": changed(central + 10, 99),
            "lzma": changed(central + 10, 14),
            "declared smaller": changed(central + 24, 10),
        }
        for kind, content in damaged.items():
            with open(path, "wb") as file:
                file.write(content)
            with self.subTest(kind=kind), self.assertRaisesRegex(Failed, r"Evil 1\.0\.0"):
                unpack(Evil(), path, self.target)

    def test_never_reads_more_of_an_entry_than_it_declares(self):
        path = self.archive(("lib/net45/A.dll", b"\0" * (100 << 20)))
        with open(path, "rb") as file:
            whole = bytearray(file.read())
        struct.pack_into("<L", whole, whole.index(b"PK\x01\x02") + 24, 10)
        with open(path, "wb") as file:
            file.write(whole)
        with self.assertRaises(Failed):
            unpack(Evil(), path, self.target)
        self.assertLessEqual(sum(os.path.getsize(os.path.join(self.target, name)) for name in self.files()), 10)

    def test_unpacks_thousands_of_folders(self):
        entries = [("lib/net45/%d/A.dll" % number, "") for number in range(5_000)]
        path = self.archive(*entries, ("lib/netstandard2.0/B.dll", "x"), *[("runtimes/win/%d" % number, "") for number in range(10)])
        unpack(Evil(), path, self.target)
        self.assertEqual(len(self.files()), 5_000)

    def test_says_what_is_wrong_with_an_archive_of_the_user(self):
        def read(*entries):
            return Feed("", self.home, archives=[self.archive(*entries)])

        read(("a.nuspec", nuspec("A")))
        for entries, message in [
            ([("lib/net45/A.dll", "x")], r"^evil\.nupkg is no package of NuGet"),
            ([("a.nuspec", nuspec("../a"))], "is not the name of a package"),
            ([("a.nuspec", b" " * (100 << 20))], "it has more than 1 MB"),
        ]:
            with self.subTest(message=message), self.assertRaisesRegex(Failed, message):
                read(*entries)
