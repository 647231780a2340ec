from unittest import mock

from support import AgentTest

from hothouse_agent import wipe, zygote


class FakeBaseline:
    def __init__(self):
        self.records = []

    def record(self, *temporary):
        self.records.append(temporary)


class PreloaderTest(AgentTest):
    def setUp(self):
        # The real import would change this process for the tests that follow.
        self.imported = []
        replacements = [
            mock.patch.object(zygote, "_import", side_effect=self.import_module),
            mock.patch.object(zygote.gc, "freeze"),
            mock.patch.object(zygote.kernel, "use_huge_pages"),
        ]
        for replacement in replacements:
            replacement.start()
            self.addCleanup(replacement.stop)
        self.path = self.folder()
        self.baseline = FakeBaseline()
        self.preloader = zygote.Preloader([wipe.Mount(self.path)], self.baseline)

    def import_module(self, name):
        self.imported.append(name)
        open(self.path + "/cache of " + name, "w").close()
        return name != "missing"

    def request(self, *modules):
        self.preloader.request = {"op": "preload", "id": 4, "modules": list(modules)}

    def test_imports_one_module_at_a_time(self):
        self.request("a", "missing", "b")
        steps = [(self.preloader.import_next(9), list(self.imported)) for _ in range(3)]
        expected = [(False, ["a"]), (False, ["a", "missing"]), (True, ["a", "missing", "b"])]
        self.assertEqual(steps, expected)

    def test_answers_which_modules_could_be_imported(self):
        self.request("a", "missing")
        while not self.preloader.import_next(9):
            pass
        answer = self.preloader.finish()
        self.assertEqual(answer, {"op": "preloaded", "id": 4, "loaded": ["a"], "failed": ["missing"]})
        self.assertIsNone(self.preloader.request)

    def test_imports_each_module_once(self):
        self.request("a")
        self.preloader.import_next(9)
        self.preloader.finish()
        self.request("a", "b")
        self.assertEqual(self.preloader.missing(), ["b"])

    def test_empties_the_mounts_and_records_the_baseline_after_each_module(self):
        self.request("a", "b")
        self.preloader.import_next(9)
        self.assertEqual(wipe.os.listdir(self.path), [])
        self.preloader.import_next(9)
        self.assertEqual(self.baseline.records, [(9,), (9,)])

    def test_is_complete_at_once_without_modules(self):
        self.request()
        self.assertFalse(self.preloader.has_preloaded)
        self.assertTrue(self.preloader.import_next(9))
        self.assertTrue(self.preloader.has_preloaded)
