import json
import unittest

import support  # noqa: F401

from hothouse_agent import jsonshape


class JsonShapeTest(unittest.TestCase):
    def test_counts_the_values_of_a_text(self):
        for value, least, most in (([1, 2, 3], 4, 4), ({"a": 1}, 3, 4), ("x", 1, 1)):
            with self.subTest(value):
                count = jsonshape.values(json.dumps(value))
                self.assertTrue(least <= count <= most, count)

    def test_counts_no_characters_of_strings_in_a_large_text(self):
        page = json.dumps({"text/html": ',"\\[{:' * jsonshape.MAX_VALUES})
        self.assertLess(jsonshape.values(page), 10)

    def test_refuses_too_many_values(self):
        self.assertTrue(jsonshape.fits(json.dumps([0] * (jsonshape.MAX_VALUES - 10))))
        self.assertFalse(jsonshape.fits(json.dumps([0] * (jsonshape.MAX_VALUES + 10))))

    def test_refuses_too_many_bytes(self):
        self.assertTrue(jsonshape.fits(json.dumps("x" * (jsonshape.MAX_BYTES - 5_000))))
        self.assertFalse(jsonshape.fits(json.dumps("x" * jsonshape.MAX_BYTES)))

    def test_refuses_what_is_nested_too_deep(self):
        room = jsonshape.MAX_DEPTH - 4
        self.assertFalse(jsonshape.is_too_deep("[" * room + "]" * room))
        self.assertTrue(jsonshape.is_too_deep("[" * (room + 1) + "]" * (room + 1)))

    def test_sees_no_depth_in_strings_and_in_siblings(self):
        self.assertFalse(jsonshape.is_too_deep(json.dumps(["[" * 1_000 + '\\"{'])))
        self.assertFalse(jsonshape.is_too_deep(json.dumps([[]] * 1_000)))

    def test_replaces_lone_surrogates_and_nothing_else(self):
        cases = {"\ud800": "\ufffd", "a\udc00b": "a\ufffdb", "\U0001f600": "\U0001f600", "\\ud800": "\\ud800"}
        for value, expected in cases.items():
            with self.subTest(ascii(value)):
                self.assertEqual(json.loads(jsonshape.well_formed(json.dumps(value))), expected)
