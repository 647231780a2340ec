import fcntl
import os
from unittest import mock

from support import AgentTest

from hothouse_agent import channel, frames, transfer

LIMITS = {"outputBytes": 10, "eventBytes": 100, "events": 3}


class FakeOutbox:
    """Keeps the frames, and reads output like the real one."""

    def __init__(self):
        self.sent = []
        self.room = 1000

    @property
    def has_room(self):
        return len(self.sent) < self.room

    def pass_on(self, kind, number, prefix, source, most):
        try:
            data = os.read(source, most)
        except BlockingIOError:
            return None
        if data:
            self.sent.append((kind, number, prefix + data))
        return len(data)

    def frame(self, kind, number, payload=b""):
        self.sent.append((kind, number, payload))

    def message(self, kind, number, value):
        self.sent.append((kind, number, value))


class ChannelTest(AgentTest):
    best = staticmethod(transfer.best)

    def setUp(self):
        self.outbox = FakeOutbox()
        self.ports = channel.Ports(self.best(), self.outbox)
        self.addCleanup(self.close, self.ports.null)
        self.blocked = []
        self.channel = self.make("stdout", "stderr", "events", "answers")

    def make(self, *names):
        self.ends, fds = {}, {}
        for name in names:
            fds[name], self.ends[name] = self.pipe(blocking=False)
        self.input, fds["input"] = self.pipe(blocking=False)
        os.set_blocking(fds["input"], False)
        made = channel.Channel(self.ports, LIMITS, fds, lambda _, is_blocked: self.blocked.append(is_blocked))
        made.number = 4
        return made

    def write(self, name, data):
        os.write(self.ends[name], data)

    def source(self, data):
        reader, writer = self.pipe(blocking=False)
        os.write(writer, data)
        return reader


class OutputTest(ChannelTest):
    def test_passes_on_up_to_the_limit_and_counts_the_rest(self):
        stdout = self.channel.stdout
        for text in (b"abcdef", b"ghijkl", b"mn"):
            self.write("stdout", text)
            while stdout.pump(self.ports, 4):
                pass
        passed = b"".join(data for _, _, data in self.outbox.sent)
        self.assertEqual((passed, stdout.total), (b"abcdefghij", 14))

    def test_passes_on_up_to_the_limit_again_after_a_restart(self):
        for text in (b"abcdefghijkl", b"xyz"):
            self.write("stdout", text)
            while self.channel.stdout.pump(self.ports, 4):
                pass
            self.channel.restart()
        passed = b"".join(data for _, _, data in self.outbox.sent)
        self.assertEqual(passed, b"abcdefghijxyz")

    def test_reports_the_end_of_a_stream_but_not_a_pause(self):
        self.assertTrue(self.channel.pump(self.channel.stdout))
        os.close(self.ends["stdout"])
        self.assertFalse(self.channel.pump(self.channel.stdout))

    def test_passes_on_output_before_events_and_events_before_answers(self):
        self.write("stdout", b"out")
        self.write("stderr", b"error")
        self.write("events", b"\n{event}\n")
        self.write("answers", b"\n{done}\n")
        self.channel.pump(self.channel.streams()[3])
        counts = frames.COUNTS.pack(3, 5)
        expected = [
            (frames.STDOUT, 4, b"out"),
            (frames.STDERR, 4, b"error"),
            (frames.EVENT, 4, counts + b"\n{event}\n"),
            (frames.ANSWER, 4, counts + b"\n{done}\n"),
        ]
        self.assertEqual(self.outbox.sent, expected)

    def test_keeps_an_event_back_while_there_is_no_room_for_the_output_before_it(self):
        self.outbox.room = 1
        self.write("stdout", b"out")
        self.write("stderr", b"error")
        self.write("events", b"\n{event}\n")
        events = self.channel.streams()[2]
        self.assertTrue(self.channel.pump(events))
        self.assertEqual([kind for kind, _, _ in self.outbox.sent], [frames.STDOUT])
        self.outbox.room = 1000
        self.channel.pump(events)
        self.assertEqual([kind for kind, _, _ in self.outbox.sent], [frames.STDOUT, frames.STDERR, frames.EVENT])

    def test_drops_events_beyond_their_bytes_and_still_passes_on_answers(self):
        limit = 2 * LIMITS["eventBytes"] + (1 << 20)
        events, answers = self.channel.streams()[2:]
        for _ in range((limit >> 15) + 10):
            self.write("events", b"x" * (1 << 15))
            self.channel.pump(events)
        passed = sum(len(data) - frames.COUNTS.size for _, _, data in self.outbox.sent)
        self.assertEqual(passed, limit)
        self.write("answers", b"\n{done}\n")
        self.channel.pump(answers)
        self.assertEqual(self.outbox.sent[-1][0], frames.ANSWER)


class InputTest(ChannelTest):
    def test_moves_everything_at_once_where_there_is_room(self):
        done = []
        self.channel.input.take(self.source(b"abc"), 3, lambda: done.append(True))
        self.assertEqual((os.read(self.input, 10), done), (b"abc", [True]))

    def test_keeps_what_does_not_fit_and_moves_on_when_there_is_room(self):
        data, done = os.urandom(60_000), []
        self.channel.input.take(self.source(data), len(data))
        more = os.urandom(50_000)
        self.channel.input.take(self.source(more), len(more), lambda: done.append(True))
        self.channel.input.close()
        self.assertEqual((self.blocked[-1], done), (True, []))
        received = b""
        while not done:
            received += os.read(self.input, 1 << 16)
            self.channel.input.on_room()
        self.assertFalse(self.blocked[-1])
        received += os.read(self.input, 1 << 17)
        self.assertEqual((received, os.read(self.input, 1)), (data + more, b""))

    def test_confirms_each_piece_that_waited(self):
        done = []
        for number in range(3):
            self.channel.input.take(self.source(bytes(40_000)), 40_000, lambda number=number: done.append(number))
        self.channel.input.take(self.source(bytes(40_000)), 40_000)
        self.assertEqual(done, [0])
        received = 0
        while received < 160_000:
            received += len(os.read(self.input, 1 << 16))
            self.channel.input.on_room()
        self.assertEqual(done, [0, 1, 2])

    def test_holds_two_frames_for_a_child_that_reads_nothing(self):
        os.write(self.channel.input.fd, bytes(1 << 16))
        data = [os.urandom(1 << 16), os.urandom(1 << 16)]
        for piece in data:
            self.channel.input.take(self.source(piece), len(piece))
        received = b""
        while len(received) < 3 << 16:
            received += os.read(self.input, 1 << 16)
            self.channel.input.on_room()
        self.assertEqual(received[1 << 16 :], b"".join(data))

    def test_drops_what_waits_for_a_child_that_closes_its_end(self):
        done, source = [], self.source(bytes(60_000))
        self.channel.input.take(self.source(bytes(30_000)), 30_000)
        self.channel.input.take(source, 60_000, lambda: done.append(True))
        os.close(self.input)
        self.channel.input.on_room()
        self.assertEqual(done, [True])
        with self.assertRaises(BlockingIOError):
            os.read(source, 1)

    def test_ignores_a_child_that_has_closed_its_end(self):
        os.close(self.input)
        done, source = [], self.source(b"abc")
        self.channel.input.take(source, 3, lambda: done.append(True))
        self.assertEqual(done, [True])
        with self.assertRaises(BlockingIOError):
            os.read(source, 1)

    def test_drops_what_waits_when_it_is_abandoned(self):
        for _ in range(2):
            self.channel.input.take(self.source(bytes(60_000)), 60_000)
        self.channel.input.abandon()
        self.assertFalse(self.blocked[-1])
        os.read(self.input, 1 << 17)
        self.assertEqual(os.read(self.input, 1), b"")


class CopyingInputTest(InputTest):
    best = transfer.Copier


def _narrow_pipe(_):
    """What a pipe has where user code has all the pages for pipes."""
    reader, writer = os.pipe2(os.O_NONBLOCK)
    return reader, writer, fcntl.fcntl(writer, transfer._F_SETPIPE_SZ, 8192) // 4096


@mock.patch("hothouse_agent.transfer.wide_pipe", _narrow_pipe)
class NarrowInputTest(InputTest):
    pass


@mock.patch("hothouse_agent.transfer.wide_pipe", _narrow_pipe)
class NarrowCopyingInputTest(CopyingInputTest):
    pass


class EndTest(ChannelTest):
    REPORT = {"code": 3, "signal": None, "peakMemoryBytes": 9, "oomKills": 0}

    def test_sends_what_is_left_before_the_exit(self):
        self.write("stdout", b"x" * 15)
        self.write("events", b"\n{event}\n")
        self.channel.end(self.REPORT)
        self.assertTrue(self.channel.finish())
        kinds = [kind for kind, _, _ in self.outbox.sent]
        self.assertEqual(kinds, [frames.STDOUT, frames.EVENT, frames.EXIT])
        report = {**self.REPORT, "failure": None, "stdoutBytes": 15, "stderrBytes": 0}
        self.assertEqual(self.outbox.sent[-1][2], report)

    def test_waits_for_room_and_closes_its_pipes_then(self):
        self.outbox.room = 1
        self.write("stdout", b"out")
        self.write("stderr", b"error")
        self.channel.end(self.REPORT)
        self.assertFalse(self.channel.finish())
        self.outbox.room = 1000
        self.assertTrue(self.channel.finish())
        for stream in self.channel.streams():
            with self.assertRaises(OSError):
                os.fstat(stream.fd)

    def test_reports_why_a_program_could_not_start(self):
        made = self.make("stdout", "stderr", "failure")
        self.write("failure", b"cat: No such file")
        made.end({"code": 127})
        made.finish()
        self.assertEqual(self.outbox.sent[-1][2]["failure"], "cat: No such file")
