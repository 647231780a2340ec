import json
import os

from support import AgentTest

from hothouse_agent import child_io, frames, jsonshape

HELLO = {"outputBytes": 10, "eventBytes": 100, "events": 3}


class OutputPipeTest(AgentTest):
    def setUp(self):
        fd, self.writer = self.pipe(blocking=False)
        self.forwarded = []
        self.output = child_io.OutputPipe(fd, 5, self.forwarded.append)

    def test_forwards_up_to_its_limit_and_counts_the_rest(self):
        for text in (b"abc", b"defg", b"hi"):
            os.write(self.writer, text)
            self.assertTrue(self.output.pump())
        self.assertEqual((self.forwarded, self.output.total), ([b"abc", b"de"], 9))

    def test_forwards_up_to_its_limit_again_after_a_restart(self):
        os.write(self.writer, b"abcdefg")
        self.output.pump()
        self.output.restart()
        os.write(self.writer, b"xyz")
        self.output.pump()
        self.assertEqual((self.forwarded, self.output.total), ([b"abcde", b"xyz"], 3))

    def test_reports_the_end_of_the_stream_but_not_a_pause(self):
        self.assertTrue(self.output.pump())
        os.close(self.writer)
        self.assertFalse(self.output.pump())

    def test_reads_exactly_the_bytes_that_were_available(self):
        os.write(self.writer, b"abcde")
        self.output.read_available(2)
        self.assertEqual(self.forwarded, [b"ab"])

    def test_does_not_wait_for_bytes_that_user_code_has_taken(self):
        os.write(self.writer, b"a")
        self.output.read_available(3)
        self.assertEqual(self.forwarded, [b"a"])


class EventLinesTest(AgentTest):
    def setUp(self):
        fd, self.writer = self.pipe(blocking=False)
        self.forwarded = []
        self.order = []
        self.lines = child_io.EventLines(fd, 100, 3, self._before, self._forward)

    def _before(self):
        self.order.append("before")
        return lambda: self.order.append("after")

    def _forward(self, line):
        self.order.append("line")
        self.forwarded.append(line)

    def send(self, *lines):
        os.write(self.writer, b"".join(b"\n" + line + b"\n" for line in lines))
        self.assertTrue(self.lines.pump())

    def test_forwards_whole_lines_without_empty_ones(self):
        os.write(self.writer, b"\n{one")
        self.lines.pump()
        self.assertEqual(self.forwarded, [])
        os.write(self.writer, b"}\n\n{two}\n")
        self.lines.pump()
        self.assertEqual(self.forwarded, [b"{one}", b"{two}"])

    def test_has_output_read_around_its_own_read(self):
        self.send(b"one", b"two")
        self.assertEqual(self.order, ["before", "after", "line", "line"])

    def test_drops_lines_beyond_their_number_and_counts_them(self):
        self.send(b"1", b"2", b"3", b"4", b"5")
        self.assertEqual((self.forwarded, self.lines.dropped), ([b"1", b"2", b"3"], 2))

    def test_drops_lines_beyond_their_bytes_and_counts_them(self):
        self.send(b"x" * 90, b"y" * 20)
        self.assertEqual((self.forwarded, self.lines.dropped), ([b"x" * 90], 1))

    def test_forwards_a_few_lines_that_the_engine_waits_for_beyond_the_limits(self):
        done = json.dumps({"type": "done", "token": "t"}).encode()
        self.send(b"1", b"2", b"3", *[done] * 12)
        self.assertEqual((self.forwarded.count(done), self.lines.dropped), (8, 4))

    def test_starts_its_counts_again_after_a_restart(self):
        self.send(b"1", b"2", b"3", b"4")
        self.lines.restart()
        self.send(b"5")
        self.assertEqual((self.forwarded[-1], self.lines.dropped), (b"5", 0))

    def test_keeps_no_more_of_a_line_than_an_event_may_have(self):
        self.lines = child_io.EventLines(self.lines.fd, 1 << 30, 3, self._before, self._forward)
        chunk = bytes(1 << 15).replace(b"\0", b"x")
        for _ in range((jsonshape.MAX_BYTES >> 15) + 4):
            os.write(self.writer, chunk)
            self.lines.pump()
        self.assertLessEqual(len(self.lines._buffer), jsonshape.MAX_BYTES + 1)
        self.send(b"after")
        self.assertEqual((self.forwarded, self.lines.dropped), ([b"after"], 1))


class FakeRelay:
    """Keeps what a child sends to the engine, and the descriptors that it watches."""

    hello = HELLO

    def __init__(self):
        self.sent = []
        self.watched = {}

    def send(self, kind, channel, data):
        self.sent.append((kind, channel, data))

    def message(self, kind, channel, value):
        self.sent.append((kind, channel, value))

    def watch(self, fd, events, handler):
        self.watched[fd] = handler

    def unwatch(self, fd):
        self.watched.pop(fd, None)


class InputPipeTest(AgentTest):
    def setUp(self):
        self.reader, fd = self.pipe()
        os.set_blocking(fd, False)
        self.fd = fd
        self.relay = FakeRelay()
        self.input = child_io.InputPipe(fd, self.relay.watch, self.relay.unwatch)

    def test_writes_the_rest_when_the_pipe_has_room_again(self):
        data = os.urandom(1 << 18)
        self.input.write(data)
        self.input.close()
        received = b""
        while self.fd in self.relay.watched:
            received += os.read(self.reader, 1 << 16)
            self.relay.watched[self.fd]()
        while True:
            chunk = os.read(self.reader, 1 << 16)
            if not chunk:
                break
            received += chunk
        self.assertEqual(received, data)

    def test_closes_at_once_when_nothing_is_queued(self):
        self.input.close()
        self.assertEqual(os.read(self.reader, 1), b"")

    def test_ignores_a_child_that_has_closed_its_end(self):
        os.close(self.reader)
        self.input.write(b"x")
        self.input.close()
        self.assertEqual(self.relay.watched, {})

    def test_drops_what_is_queued_when_it_is_abandoned(self):
        self.input.write(bytes(1 << 18))
        self.input.abandon()
        self.assertEqual(self.relay.watched, {})
        with self.assertRaises(OSError):
            os.fstat(self.fd)

    def test_ignores_everything_without_a_pipe(self):
        nothing = child_io.InputPipe(None, self.relay.watch, self.relay.unwatch)
        nothing.write(b"x")
        nothing.close()
        self.assertEqual(self.relay.watched, {})


class ChildTest(AgentTest):
    def setUp(self):
        self.relay = FakeRelay()
        self.ends = {}
        fds = {}
        for name in ("stdout", "stderr", "events"):
            fds[name], self.ends[name] = self.pipe(blocking=False)
        _, fds["input"] = self.pipe()
        self.child = child_io.Child(self.relay, 1, 4, fds)

    def write(self, name, data):
        os.write(self.ends[name], data)

    def test_sends_output_before_the_event_that_followed_it(self):
        self.write("stdout", b"out")
        self.write("stderr", b"error")
        self.write("events", b"\n{event}\n")
        self.child.events.pump()
        event = frames.COUNTS.pack(3, 5) + b"{event}"
        expected = [(frames.STDOUT, 4, b"out"), (frames.STDERR, 4, b"error"), (frames.EVENT, 4, event)]
        self.assertEqual(self.relay.sent, expected)

    def test_sends_nothing_while_no_run_uses_it(self):
        self.child.channel = None
        self.write("stdout", b"out")
        self.child.stdout.pump()
        self.assertEqual(self.relay.sent, [])

    def test_sends_what_is_left_before_it_reports_the_exit(self):
        self.write("stdout", b"x" * 15)
        self.write("events", b"\n{event}\n")
        self.child.exit({"op": "exit", "child": 1, "code": 3, "signal": None, "peakMemoryBytes": 9, "oomKills": 0})
        kinds = [kind for kind, _, _ in self.relay.sent]
        self.assertEqual(kinds, [frames.STDOUT, frames.EVENT, frames.EXIT])
        self.assertEqual(
            self.relay.sent[-1][2],
            {
                "code": 3,
                "signal": None,
                "peakMemoryBytes": 9,
                "oomKills": 0,
                "failure": None,
                "stdoutBytes": 15,
                "stderrBytes": 0,
                "eventsDropped": 0,
            },
        )

    def test_closes_its_pipes_at_the_exit(self):
        fds = [reader.fd for reader in self.child.readers()]
        self.child.exit({"code": 0})
        for fd in fds:
            with self.assertRaises(OSError):
                os.fstat(fd)

    def test_reports_why_a_program_could_not_start(self):
        fds = {"input": None}
        for name in ("stdout", "stderr", "failure"):
            fds[name], self.ends[name] = self.pipe(blocking=False)
        self.write("failure", b"cat: No such file")
        child_io.Child(self.relay, 2, 5, fds).exit({"code": 127})
        self.assertEqual(self.relay.sent[-1][2]["failure"], "cat: No such file")
