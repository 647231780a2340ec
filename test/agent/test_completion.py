import sys
import unittest
from unittest import mock

import support  # noqa: F401

from hothouse_agent import completion


class WithoutIPythonTest(unittest.TestCase):
    def setUp(self):
        # An import of it fails then, also where it is installed.
        hidden = mock.patch.dict(sys.modules, {"IPython": None})
        hidden.start()
        self.addCleanup(hidden.stop)

    def test_proposes_names_in_utf16_offsets(self):
        found = completion.complete({"code": '"😀"; alp', "cursor": 9}, {"alphabet": 1})
        self.assertEqual(found, {"start": 6, "end": 9, "matches": ["alphabet"]})

    def test_proposes_nothing_where_no_word_begins(self):
        found = completion.complete({"code": "x = ", "cursor": 4}, {"alphabet": 1})
        self.assertEqual(found, {"start": 4, "end": 4, "matches": []})
