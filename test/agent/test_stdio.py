import os
import threading

from support import AgentTest

from hothouse_agent import stdio


class OutputSequencerTest(AgentTest):
    def setUp(self):
        self.out, out = self.pipe(blocking=False)
        self.error, error = self.pipe(blocking=False)
        self.events, events = self.pipe(blocking=False)
        self.answers, answers = self.pipe(blocking=False)
        self.sequencer = stdio.OutputSequencer(events, answers)
        self.stdout = stdio._Stream(out, self.sequencer)
        self.stderr = stdio._Stream(error, self.sequencer)

    def assert_empty(self, fd):
        with self.assertRaises(BlockingIOError):
            os.read(fd, 1)

    def test_writes_whole_lines_at_once(self):
        self.stdout.write("one\ntwo")
        self.assert_empty(self.out)
        self.stdout.write(" three\n")
        self.assertEqual(os.read(self.out, 100), b"one\ntwo three\n")

    def test_writes_what_print_ends_without_a_line_end(self):
        print("one", end="", file=self.stdout)
        self.assertEqual(os.read(self.out, 100), b"one")

    def test_escapes_what_utf_8_cannot_carry(self):
        self.stdout.write("\ud800\n")
        self.assertEqual(os.read(self.out, 100), b"\\ud800\n")

    def test_writes_to_a_stream_only_once_the_other_is_read(self):
        self.stdout.write("one\n")
        written = threading.Event()
        self.thread(lambda: (self.stderr.write("two\n"), written.set()))
        self.assertFalse(written.wait(0.1))
        self.assert_empty(self.error)
        self.assertEqual(os.read(self.out, 100), b"one\n")
        self.assertTrue(written.wait(10))
        self.assertEqual(os.read(self.error, 100), b"two\n")

    def test_writes_to_one_stream_without_waiting(self):
        for _ in range(3):
            self.stdout.write("x\n")
        self.assertEqual(os.read(self.out, 100), b"x\nx\nx\n")

    def test_writes_output_only_once_the_event_before_is_read(self):
        self.sequencer.emit(b"{}", False)
        written = threading.Event()
        self.thread(lambda: (self.stdout.write("one\n"), written.set()))
        self.assertFalse(written.wait(0.1))
        self.assertEqual(os.read(self.events, 100), b"\n{}\n")
        self.assertTrue(written.wait(10))

    def test_writes_an_event_at_once_after_output(self):
        self.stdout.write("one\n")
        self.sequencer.emit(b"{}", False)
        self.assertEqual(os.read(self.events, 100), b"\n{}\n")

    def test_writes_an_answer_at_once_after_an_event_and_an_event_only_once_the_answer_is_read(self):
        self.sequencer.emit(b"{}", False)
        self.sequencer.emit(b"[]", True)
        self.assertEqual(os.read(self.answers, 100), b"\n[]\n")
        self.sequencer.emit(b"{}", True)
        written = threading.Event()
        self.thread(lambda: (self.sequencer.emit(b"{1}", False), written.set()))
        self.assertFalse(written.wait(0.1))
        self.assertEqual(os.read(self.events, 100), b"\n{}\n")
        os.read(self.answers, 100)
        self.assertTrue(written.wait(10))
        self.assertEqual(os.read(self.events, 100), b"\n{1}\n")

    def test_keeps_no_order_with_a_stream_that_user_code_has_closed(self):
        self.stdout.write("one\n")
        os.close(self.stdout.fileno())
        self.stderr.write("two\n")
        self.assertEqual(os.read(self.error, 100), b"two\n")

    def test_emits_nothing_in_a_process_that_user_code_forked(self):
        pid = os.fork()
        if pid == 0:
            self.sequencer.emit(b"{}", False)
            os._exit(0)
        self.assertEqual(os.waitpid(pid, 0)[1], 0)
        self.assert_empty(self.events)
