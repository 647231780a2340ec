import gc
import resource
import sys
import unittest
import weakref

from apart import apart

from hothouse_agent import sharing

_HAS_IMMORTALS = sys.version_info >= (3, 12) and "t" not in sys.abiflags


class Node:
    pass


def _use(objects):
    """Refers to each of them for a moment, as a call of a function does to the function."""
    for item in objects:
        len([item])


def _faults():
    return resource.getrusage(resource.RUSAGE_SELF).ru_minflt


class SharingTest(unittest.TestCase):
    @unittest.skipUnless(_HAS_IMMORTALS, "this Python counts all references")
    def test_a_fork_does_not_copy_what_it_only_uses(self):
        def faults_of_a_fork():
            # Half a megabyte of objects, with strings that the collector does not know.
            objects = [Node() for _ in range(4000)] + ["text %d" % number for number in range(4000)]
            before = apart(lambda: _faults_of(objects))
            sharing.freeze()
            return before, apart(lambda: _faults_of(objects))

        def _faults_of(objects):
            # What the function itself needs is copied by its first call.
            _use([None])
            start = _faults()
            _use(objects)
            return _faults() - start

        before, after = apart(faults_of_a_fork)
        self.assertGreater(before, 60)
        self.assertLess(after, 20)

    def test_what_is_made_later_is_freed(self):
        def is_freed():
            kept = Node()
            sharing.freeze()
            alone, pair = Node(), [Node(), Node()]
            pair[0].other, pair[1].other = pair[1], pair[0]
            pair[0].kept = kept
            watched = [weakref.ref(alone), weakref.ref(pair[0])]
            del alone, pair
            gc.collect()
            return [ref() is None for ref in watched]

        self.assertEqual(apart(is_freed), [True, True])

    def test_nothing_that_is_frozen_is_looked_at_again(self):
        def counts():
            sharing.freeze()
            return len(gc.get_objects()), gc.get_freeze_count() > 1000

        visible, is_frozen = apart(counts)
        self.assertLess(visible, 100)
        self.assertTrue(is_frozen)
