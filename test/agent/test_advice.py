import subprocess
import unittest

import support  # noqa: F401

from hothouse_agent import advice


class AdviceTest(unittest.TestCase):
    def package_in(self, error):
        line = advice.on(error)
        return line and line.partition("%pip install ")[2].partition("`")[0]

    def test_names_the_package_of_a_missing_module(self):
        self.assertEqual(self.package_in(ModuleNotFoundError(name="skimage.data")), "scikit-image")
        self.assertIsNone(self.package_in(ModuleNotFoundError(name="json.none")))

    def test_names_the_package_that_a_library_misses_in_its_own_words(self):
        wanted = "Missing optional dependency '%s'.  Use pip or conda to install it."
        for text, package in (
            (wanted % "pytables", "tables"),
            (wanted % "tabulate", "tabulate"),
            ("'numexpr' is not installed or an unsupported version.", "numexpr"),
        ):
            self.assertEqual(self.package_in(ImportError(text)), package)
        wrapped = ImportError("Graphs need a further library.")
        wrapped.__context__ = ModuleNotFoundError(name="networkx")
        self.assertEqual(self.package_in(wrapped), "networkx")

    def test_names_no_package_for_modules_of_many_packages(self):
        self.assertIn("google.colab", advice.on(ModuleNotFoundError(name="google")))

    def test_says_how_packages_are_installed_where_a_program_has_failed_to(self):
        for command in (["python3", "-m", "pip", "install", "six"], "pip3 install six", b"set -e\npip install six\n"):
            line = advice.on(subprocess.CalledProcessError(1, command))
            self.assertIn("`%pip install NAME`", line)
        self.assertIsNone(advice.on(subprocess.CalledProcessError(1, ["pip", "list"])))

    def test_has_none_for_other_failures_of_an_import(self):
        self.assertIsNone(advice.on(ImportError("cannot import name 'a' from 'json'")))
        self.assertIsNone(advice.on(ValueError("'numexpr' is not installed")))


if __name__ == "__main__":
    unittest.main()
