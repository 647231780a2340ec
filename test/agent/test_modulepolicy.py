from support import AgentTest

from hothouse_agent.modulepolicy import ImportRefused, Policy


class PolicyTest(AgentTest):
    def assert_refused(self, policy, name, module, *names):
        error = policy.refusal(module, names)
        self.assertIsInstance(error, ImportRefused)
        self.assertEqual(error.name, name)

    def test_allows_every_module_without_lists(self):
        self.assertIsNone(Policy([], []).refusal("os"))

    def test_blocks_modules_with_their_submodules_by_whole_names(self):
        policy = Policy([], ["os", "xml.etree"])
        for name in ("os", "os.path", "xml.etree", "xml.etree.ElementTree"):
            self.assert_refused(policy, name, name)
        for name in ("osmnx", "xml", "xml.etreelike", "pos.os"):
            self.assertIsNone(policy.refusal(name), name)

    def test_blocks_a_submodule_that_is_imported_by_its_name(self):
        policy = Policy([], ["os.path"])
        self.assert_refused(policy, "os.path", "os", "sep", "path")
        self.assertIsNone(policy.refusal("os", ["sep", "*"]))

    def test_allows_only_what_is_listed(self):
        policy = Policy(["math", "os.path"], [])
        for module, names in (("math", ["sqrt"]), ("os.path", ["join"]), ("os", ["path"])):
            self.assertIsNone(policy.refusal(module, names), module)
        self.assert_refused(policy, "os", "os")
        self.assert_refused(policy, "os", "os", "path", "sep")
        self.assert_refused(policy, "os", "os", "*")

    def test_names_the_list_and_lets_blocked_take_precedence(self):
        policy = Policy(["os"], ["os"])
        self.assertEqual(
            str(policy.refusal("os")), "The code may not import os: it is on the list python.blockedModules."
        )
        self.assertEqual(
            str(policy.refusal("re")), "The code may not import re: it is not on the list python.allowedModules."
        )
