import json
import unittest

import support  # noqa: F401

from hothouse_agent import display


class Shown:
    def __init__(self, **methods):
        for name, value in methods.items():
            setattr(self, name, lambda value=value: value)

    def __repr__(self):
        return "Shown()"


class PublisherTest(unittest.TestCase):
    def setUp(self):
        self.events = []
        self.publisher = display.Publisher(lambda kind, **fields: self.events.append((kind, fields)), 1_000, 3)

    def bundles(self):
        return [fields["data"] for _, fields in self.events]

    def test_publishes_every_form_of_a_value(self):
        self.publisher.result(Shown(_repr_html_="<b>", _repr_png_=b"\x89PNG", _repr_latex_=("$x$", {})))
        expected = {"text/plain": "Shown()", "text/html": "<b>", "image/png": "iVBORw==", "text/latex": "$x$"}
        self.assertEqual(self.events, [("result", {"data": expected})])

    def test_prefers_a_mime_bundle_to_single_methods(self):
        value = Shown(_repr_html_="<b>")
        value._repr_mimebundle_ = lambda include, exclude: {"text/html": "<i>", "text/plain": "i"}
        self.publisher.result(value)
        self.assertEqual(self.bundles(), [{"text/html": "<i>", "text/plain": "i"}])

    def test_publishes_the_text_of_objects_whose_methods_fail_or_catch_everything(self):
        class CatchAll:
            def __getattr__(self, name):
                return lambda *_, **__: "<b>"

            def __repr__(self):
                return "CatchAll()"

        class Failing:
            def _repr_html_(self):
                raise RuntimeError

            def __repr__(self):
                return "Failing()"

        for value in (CatchAll(), Failing()):
            self.publisher.result(value)
        self.assertEqual(self.bundles(), [{"text/plain": "CatchAll()"}, {"text/plain": "Failing()"}])

    def displaying(self, *shown):
        def formatter(value):
            for data in shown:
                self.publisher.show(*data)
            return display.DISPLAYED

        self.publisher.add_formatter(formatter)

    def test_publishes_what_a_value_displays_once_as_the_result_with_its_type_as_text(self):
        self.displaying([{"application/x": "chart"}])
        self.publisher.result(Shown())
        data = {"text/plain": "<%s.Shown object>" % __name__, "application/x": "chart"}
        self.assertEqual(self.events, [("result", {"data": data})])

    def test_leaves_what_a_value_displays_in_several_parts_or_under_a_name_as_it_is(self):
        for shown in ([[{"text/a": "1"}], [{"text/a": "2"}]], [[{"text/a": "1"}, "name"]], []):
            self.setUp()
            self.displaying(*shown)
            self.publisher.result(Shown())
            self.assertEqual([(kind, fields["data"]) for kind, fields in self.events], [("display", one[0]) for one in shown])

    def test_publishes_what_a_value_displayed_before_it_failed(self):
        def formatter(value):
            self.publisher.show({"text/a": "1"})
            raise KeyboardInterrupt

        self.publisher.add_formatter(formatter)
        self.assertRaises(KeyboardInterrupt, self.publisher.result, Shown())
        self.publisher.show({"text/a": "2"})
        self.assertEqual(self.bundles(), [{"text/a": "1"}, {"text/a": "2"}])

    def test_turns_into_json_what_json_cannot_carry(self):
        self.publisher.show({"application/json": {1: float("nan"), "b": (1, {2})}})
        self.assertEqual(self.bundles(), [{"application/json": {"1": None, "b": [1, "{2}"]}}])
        json.dumps(self.bundles(), allow_nan=False)

    def test_drops_events_beyond_their_number_and_counts_them(self):
        for _ in range(5):
            self.publisher.show({"text/plain": "x"})
        self.publisher.clear()
        self.assertEqual((len(self.events), self.publisher.dropped), (3, 3))

    def test_drops_events_beyond_their_bytes_and_counts_them(self):
        for length in (900, 900, 10):
            self.publisher.show({"text/plain": "x" * length})
        self.assertEqual([len(data["text/plain"]) for data in self.bundles()], [900, 10])
        self.assertEqual(self.publisher.dropped, 1)

    def test_starts_its_counts_again_after_a_restart(self):
        for _ in range(5):
            self.publisher.show({"text/plain": "x"})
        self.publisher.restart()
        self.publisher.show({"text/plain": "y"})
        self.assertEqual((len(self.events), self.publisher.dropped), (4, 0))

    def test_updates_a_display_by_its_handle(self):
        handle = self.publisher.display("x", display_id=True)
        handle.update("y")
        self.assertEqual([kind for kind, _ in self.events], ["display", "update"])
        self.assertEqual({fields["id"] for _, fields in self.events}, {handle.display_id})
        self.assertIsNone(self.publisher.display("z"))
