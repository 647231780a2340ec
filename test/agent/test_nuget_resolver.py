from support import AgentTest  # First: it knows where the modules are.

from resolver import resolve
from versions import Range, Version
from package import Failed


class Described:
    def __init__(self, name, version, requires):
        self.name = name
        self.version = Version(version)
        self.requires = [(other, Range(versions)) for other, versions in requires]


class Memory:
    """A feed in memory: (name, version) -> pairs of a required name and its range."""

    def __init__(self, packages):
        self.packages = {(name.lower(), Version(version)): Described(name, version, requires)
                         for (name, version), requires in packages.items()}  # fmt: skip

    def __str__(self):
        return "feed"

    def versions(self, name):
        return sorted(version for known, version in self.packages if known == name.lower())

    def package(self, name, version):
        return self.packages[name.lower(), version]


class Endless:
    """Each package requires `width` others that no other one requires."""

    def __init__(self, width):
        self.width = width

    def versions(self, _):
        return [Version("1.0")]

    def package(self, name, _):
        return Described(name, "1.0", [("%s.%d" % (name, part), "") for part in range(self.width)])


VERSIONS = ["1.0.0", "1.1.0", "2.0.0", "3.0.0-beta"]


class ResolverTest(AgentTest):
    def resolved(self, packages, wanted, known=(), upgrade=False):
        wanted = [(name, Range(versions)) for name, versions in wanted]
        known = [(name, Version(version)) for name, version in known]
        feed = Memory(packages) if isinstance(packages, dict) else packages
        return ["%s %s" % (one.name, one.version) for one in resolve(feed, wanted, known, upgrade)]

    def test_takes_the_lowest_version_of_a_range_and_the_latest_of_no_range(self):
        packages = {("A", version): [] for version in VERSIONS}
        for versions, chosen in [
            ("", "2.0.0"),
            ("*", "2.0.0"),
            ("1.*", "1.1.0"),
            ("*-*", "3.0.0-beta"),
            ("1.0", "1.0.0"),
            ("1.0.1", "1.1.0"),
            ("(1.0,)", "1.1.0"),
            ("3.0-alpha", "3.0.0-beta"),
            ("[1.1, 2.0]", "1.1.0"),
        ]:
            with self.subTest(versions=versions):
                self.assertEqual(self.resolved(packages, [("a", versions)]), ["A " + chosen])

    def test_meets_the_ranges_of_all_that_require_a_package(self):
        packages = {("C", version): [] for version in VERSIONS}
        packages.update({("A", "1.0"): [("C", "1.0")], ("B", "1.0"): [("C", "(1.0, 2.0)")]})
        self.assertEqual(self.resolved(packages, [("A", ""), ("B", "")]), ["A 1.0.0", "B 1.0.0", "C 1.1.0"])

    def test_says_who_asks_for_ranges_that_contradict_each_other(self):
        packages = {("C", version): [] for version in VERSIONS}
        packages[("A", "1.0")] = [("C", "[1.0]")]
        with self.assertRaisesRegex(Failed, r"of C that meets 2\.0 \(asked for\) and \[1\.0\] \(required by a 1\.0\.0\)"):
            self.resolved(packages, [("A", ""), ("C", "2.0")])

    def test_installs_cycles_once(self):
        packages = {("A", "1.0"): [("B", "")], ("B", "1.0"): [("A", ""), ("B", "1.0")]}
        self.assertEqual(self.resolved(packages, [("A", "")]), ["A 1.0.0", "B 1.0.0"])

    def test_keeps_known_packages_that_are_in_range_and_replaces_others(self):
        packages = {("C", version): [] for version in VERSIONS}
        packages.update({("A", "1.0"): [("C", "1.0")], ("B", "1.0"): [("C", "2.0")]})
        self.assertEqual(self.resolved(packages, [("A", "")], [("C", "1.1.0")]), ["A 1.0.0"])
        self.assertEqual(self.resolved(packages, [("B", "")], [("C", "1.1.0")]), ["B 1.0.0", "C 2.0.0"])
        self.assertEqual(self.resolved(packages, [("C", "")], [("C", "1.1.0")]), [])
        self.assertEqual(self.resolved(packages, [("C", "")], [("C", "1.1.0")], upgrade=True), ["C 2.0.0"])

    def test_drops_what_only_a_version_required_that_is_not_chosen(self):
        packages = {("C", "1.0"): [("D", "")], ("C", "2.0"): [], ("D", "1.0"): []}
        packages.update({("A", "1.0"): [("C", "1.0")], ("B", "1.0"): [("E", "")], ("E", "1.0"): [("C", "2.0")]})
        self.assertEqual(
            self.resolved(packages, [("A", ""), ("B", "")]), ["A 1.0.0", "B 1.0.0", "C 2.0.0", "E 1.0.0"]
        )

    def test_ends_where_requirements_have_no_end(self):
        for width, message in [(1, "in 200 rounds: x"), (2, "more than 1000 others: x"), (5_000, "more than 1000 others")]:
            with self.subTest(width=width), self.assertRaisesRegex(Failed, message):
                self.resolved(Endless(width), [("x", "")])
