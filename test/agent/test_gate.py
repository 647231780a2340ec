import importlib
import sys

from support import AgentTest

from hothouse_agent import gate


class GateTest(AgentTest):
    def setUp(self):
        folder = self.folder()
        with open(folder + "/hothouse_planted.py", "w") as file:
            file.write("value = 1\n")
        sys.path.insert(0, folder)
        self.addCleanup(sys.path.remove, folder)
        self.addCleanup(sys.modules.pop, "hothouse_planted", None)
        gate.close()
        self.addCleanup(lambda: gate._gate in sys.meta_path and gate.remove())

    def import_planted(self):
        return importlib.import_module("hothouse_planted").value

    def test_refuses_imports(self):
        with self.assertRaisesRegex(ImportError, "the agent may not import now: hothouse_planted"):
            self.import_planted()

    def test_refuses_them_again_after_they_were_allowed_for_a_while(self):
        with gate.opened():
            self.assertEqual(self.import_planted(), 1)
        del sys.modules["hothouse_planted"]
        with self.assertRaises(ImportError):
            self.import_planted()

    def test_allows_all_imports_once_it_is_removed(self):
        gate.remove()
        self.assertEqual(self.import_planted(), 1)
