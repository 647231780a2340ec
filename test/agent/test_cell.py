import asyncio
import contextlib
import io
import os
import types
from unittest import mock

from support import AgentTest

from hothouse_agent import cell


class FakePublisher:
    def __init__(self):
        self.results = []
        self.cells = 0

    def result(self, value):
        self.results.append(value)

    def end_of_cell(self):
        self.cells += 1


class RunnerTest(AgentTest):
    def setUp(self):
        self.runner = cell.Runner(types.ModuleType("__main__"))
        self.publisher = FakePublisher()
        # Without IPython, which a machine may have.
        without_ipython = mock.patch.object(cell.shell, "transform", return_value=None)
        self.transform = without_ipython.start()
        self.addCleanup(without_ipython.stop)
        self.addCleanup(self.close_loop)

    def close_loop(self):
        if self.runner._loop is not None:
            self.runner._loop.close()

    def run_cell(self, *lines):
        return self.runner.run("\n".join(lines), "<cell 1>", self.publisher)

    def error_of(self, *lines):
        end = self.run_cell(*lines)
        self.assertEqual((end.status, end.exit_code), ("error", None))
        return end.error

    def test_shows_the_value_of_the_last_expression(self):
        end = self.run_cell("x = 5", "x + 1")
        self.assertEqual((end.status, end.exit_code, end.error), ("ok", None, None))
        self.assertEqual((self.publisher.results, self.publisher.cells), ([6], 1))
        self.assertEqual(self.runner.namespace["_"], 6)

    def test_shows_no_statement_no_none_and_nothing_before_a_semicolon(self):
        for code in ("x = 5", "None", "5;", "5; ", "", "# comment"):
            with self.subTest(code):
                self.assertEqual(self.run_cell(code).status, "ok")
        self.assertEqual(self.publisher.results, [])

    def test_keeps_variables_and_future_imports_for_the_next_cell(self):
        self.run_cell("from __future__ import annotations", "x = 5")
        self.run_cell("def f(a: no_such_name): return x", "f(0)")
        self.assertEqual(self.publisher.results, [5])

    def test_awaits_at_top_level(self):
        self.run_cell("import asyncio", "await asyncio.sleep(0)", "await asyncio.sleep(0, 5)")
        self.assertEqual(self.publisher.results, [5])

    def test_awaits_on_one_loop_in_every_cell(self):
        self.run_cell(
            "import asyncio",
            "async def start(): return asyncio.ensure_future(asyncio.sleep(0, 'done'))",
            "task = await start()",
        )
        self.run_cell("await task")
        self.assertEqual(self.publisher.results, ["done"])

    def test_cancels_what_it_awaits_when_it_is_interrupted(self):
        end = self.run_cell(
            "import asyncio, signal",
            "events = []",
            "async def wait():",
            "    asyncio.get_running_loop().call_soon(signal.raise_signal, signal.SIGINT)",
            "    try: await asyncio.sleep(60)",
            "    except asyncio.CancelledError: events.append('cancelled')",
            "await wait()",
        )
        self.assertEqual(end.status, "interrupted")
        self.assertEqual(self.runner.namespace["events"], ["cancelled"])
        self.run_cell("await asyncio.sleep(0, 5)")
        self.assertEqual(self.publisher.results, [5])

    def test_awaits_after_an_interrupt_that_stopped_the_loop_itself(self):
        self.run_cell("import asyncio", "await asyncio.sleep(0)")
        first = self.runner._loop
        self.addCleanup(first.close)
        create_task = mock.Mock(side_effect=lambda coroutine: coroutine.close())

        def interrupt(_):
            # The mark that an interrupted stop leaves.
            asyncio._set_running_loop(first)
            raise KeyboardInterrupt

        with mock.patch.multiple(first, run_until_complete=interrupt, create_task=create_task):
            self.assertEqual(self.run_cell("await asyncio.sleep(0)").status, "interrupted")
        self.run_cell("await asyncio.sleep(0, 5)")
        self.assertEqual(self.publisher.results, [5])

    def test_describes_an_error_with_the_lines_of_the_cell(self):
        with mock.patch.object(cell, "_AGENT_FILES", os.path.dirname(cell.__file__)):
            error = self.error_of("def f():", "    raise ValueError('broken')", "f()")
        self.assertEqual((error["name"], error["message"]), ("ValueError", "broken"))
        self.assertIn('File "<cell 1>", line 2, in f\n    raise ValueError', error["traceback"])
        self.assertNotIn(cell.__file__, error["traceback"])

    def test_describes_a_syntax_error(self):
        error = self.error_of("x = = 5")
        self.assertEqual(error["name"], "SyntaxError")
        self.assertIn("x = = 5", error["traceback"])
        self.assertNotIn("During handling", error["traceback"])

    def test_describes_an_error_that_cannot_be_formatted(self):
        error = self.error_of("class E(Exception):", "    def __str__(self): raise RuntimeError", "raise E")
        self.assertEqual((error["name"], error["message"]), ("E", "<its message could not be made>"))

    def test_cuts_long_messages_and_tracebacks(self):
        error = self.error_of("raise ValueError('x' * 1_000_000)")
        self.assertEqual((len(error["message"]), len(error["traceback"])), (10_000, 100_000))

    def test_ends_interrupted_after_keyboard_interrupt(self):
        end = self.run_cell("raise KeyboardInterrupt")
        self.assertEqual((end.status, end.exit_code, end.error["name"]), ("interrupted", None, "KeyboardInterrupt"))

    def test_runs_magics_as_the_shell_translates_them(self):
        self.transform.return_value = "5 + 1"
        self.run_cell("%magic")
        self.assertEqual(self.publisher.results, [6])

    def test_asks_the_shell_only_about_code_that_is_not_python(self):
        self.run_cell("1")
        self.transform.assert_not_called()

    def test_exits_with_the_status_of_a_process(self):
        cases = {
            "exit()": ("ok", 0),
            "exit(0)": ("ok", 0),
            "exit(3)": ("error", 3),
            "exit(256 + 7)": ("error", 7),
            "exit(-1)": ("error", 255),
            "exit(1 << 70)": ("error", 255),
            "exit('sorry')": ("error", 1),
        }
        for code, expected in cases.items():
            with self.subTest(code), contextlib.redirect_stderr(io.StringIO()) as stderr:
                end = self.run_cell("from sys import exit", code, "never = 1")
                self.assertEqual((end.status, end.exit_code), expected)
                self.assertEqual(stderr.getvalue(), "sorry\n" if "sorry" in code else "")
        self.assertNotIn("never", self.runner.namespace)
