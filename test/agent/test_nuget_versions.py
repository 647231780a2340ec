import random

from support import AgentTest  # First: it knows where the modules are.

from frameworks import nearest
from versions import Range, Version

# The examples of NuGet's documentation and of SemVer 2.0.0, the lowest first.
ORDERED = [
    "0.9",
    "1.0.0-2",
    "1.0.0-11",
    "1.0.0-alpha",
    "1.0.0-alpha.1",
    "1.0.0-alpha.beta",
    "1.0.0-beta",
    "1.0.0-beta.2",
    "1.0.0-beta.11",
    "1.0.0-beta11",
    "1.0.0-beta2",
    "1.0.0-rc.1",
    "1.0.0",
    "1.0.0.1",
    "1.0.1",
    "1.2.9",
    "1.2.10",
    "1.10",
    "10.0",
]


class VersionTest(AgentTest):
    def test_are_ordered_as_in_nuget(self):
        versions = [Version(text) for text in ORDERED]
        random.Random(1).shuffle(versions)
        self.assertEqual(sorted(versions), [Version(text) for text in ORDERED])
        self.assertEqual(len(set(versions)), len(ORDERED))

    def test_differ_neither_by_zeros_nor_case_nor_metadata(self):
        for one, other in [
            ("1", "1.0.0.0"),
            ("1.01", "1.1"),
            ("1.0-RC.1", "1.0.0-rc.1"),
            ("1.0+abc", "1.0.0"),
            ("1.0-1", "1.0-01"),
        ]:
            with self.subTest(one=one):
                self.assertEqual(Version(one), Version(other))
                self.assertEqual(hash(Version(one)), hash(Version(other)))

    def test_are_spelled_as_files_of_a_feed(self):
        for text, spelled in [
            ("1", "1.0.0"),
            ("1.2.3.0", "1.2.3"),
            ("1.2.3.4", "1.2.3.4"),
            ("01.2-RC.1+x", "1.2.0-RC.1"),
        ]:
            self.assertEqual(str(Version(text)), spelled)

    def test_are_nothing_that_leads_elsewhere_and_never_long(self):
        for text in ["", "a", "1.0/..", "1.0-../x", "1.0\n", "-1", "1..0", "1.0.0.0.0", "١.٠", "1." + "9" * 200]:
            with self.subTest(text=text):
                if text != "1.0\n":
                    self.assertRaises(ValueError, Version, text)
        self.assertEqual(str(Version("1.0\n")), "1.0.0")


class RangeTest(AgentTest):
    def test_accept_what_nuget_documents(self):
        for text, accepted, refused in [
            ("1.0", ["1.0", "1.1", "9"], ["0.9", "1.0-rc"]),
            ("(1.0,)", ["1.0.0.1"], ["1.0"]),
            ("[1.0]", ["1.0.0"], ["1.0.1", "1.0-rc"]),
            ("(,1.0]", ["0.1", "1.0"], ["1.0.1"]),
            ("(,1.0)", ["0.9"], ["1.0"]),
            ("[1.0, 2.0]", ["1.0", "2.0"], ["2.0.1"]),
            ("(1.0,2.0)", ["1.5"], ["1.0", "2.0"]),
            ("[1.0-rc, 2.0)", ["1.0-rc", "1.0"], ["1.0-beta", "2.0"]),
            ("", ["0.1", "9"], []),
            ("*", ["0.1", "9"], []),
            ("1.*", ["1.0", "1.9.9"], ["0.9", "2.0", "10.0"]),
            ("1.2.*", ["1.2", "1.2.9.1"], ["1.3", "1.20"]),
        ]:
            for version in accepted:
                self.assertTrue(Range(text).accepts(Version(version)), (text, version))
            for version in refused:
                self.assertFalse(Range(text).accepts(Version(version)), (text, version))

    def test_with_a_floating_part_accept_prereleases_of_that_part_alone(self):
        self.assertTrue(Range("1.*-*").accepts(Version("1.0.0-alpha")))
        self.assertTrue(Range("1.*-*").accepts(Version("1.5.0-alpha")))
        self.assertFalse(Range("1.*-*").accepts(Version("2.0.0-alpha")))

    def test_are_refused_where_they_are_none(self):
        for text in ["[1.0", "1.0]", "(1.0)", "[]", "[", "[1.0,2.0,3.0]", "1.0 || 2.0", "[a]", "[" + "1" * 300 + "]"]:
            with self.subTest(text=text):
                self.assertRaises(ValueError, Range, text)


class FrameworkTest(AgentTest):
    def test_nearest_is_the_newest_that_mono_runs(self):
        for names, chosen in [
            (["net20", "net45", "netstandard2.0", "net8.0"], "net45"),
            (["net40", "net472", "net48", "net481"], "net481"),
            (["netstandard1.3", "netstandard2.0", "netstandard2.1"], "netstandard2.0"),
            (["netstandard2.0", "net6.0", "netcoreapp3.1"], "netstandard2.0"),
            (["NET45", "netstandard2.0"], "NET45"),
            ([".NETFramework4.6.1", ".NETStandard2.0"], ".NETFramework4.6.1"),
            ([".NETFramework,Version=v4.5", "netstandard2.0"], ".NETFramework,Version=v4.5"),
            (["portable-net45+win8+wp8", "sl5"], "portable-net45+win8+wp8"),
            (["", "net35"], "net35"),
            ([""], ""),
            (["net5.0", "net8.0-windows", "net10.0", "netcoreapp2.0", "uap10.0", "monoandroid", "net"], None),
            ([], None),
        ]:
            with self.subTest(names=names):
                self.assertEqual(nearest(names), chosen)
