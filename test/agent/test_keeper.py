import hashlib
import json
import os

from support import AgentTest

from hothouse_agent import channel, frames, keeper, transfer

SECRET = "5a" * 32


class Before:
    """An outbox that has sent everything."""

    is_empty = True

    def __init__(self, fd):
        os.set_blocking(fd, False)
        self.fd = fd

    def flush(self):
        pass


class KeeperTest(AgentTest):
    def setUp(self):
        self.reader, fd = self.pipe(blocking=False)
        self.channels = []
        retain = {"silenceMs": 1500, "secretHash": hashlib.sha256(SECRET.encode()).hexdigest()}
        self.keeper = keeper.Keeper(Before(fd), transfer.best(), lambda: self.channels, retain)
        self.addCleanup(self.close, self.keeper.outbox._file)

    def add_channel(self, number):
        fds = {"stdout": -1, "stderr": -1, "input": None}
        made = channel.Channel(channel.Ports(transfer.best(), self.keeper.outbox), {"outputBytes": 1}, fds, None)
        self.addCleanup(self.close, made._ports.null)
        made.number = number
        self.channels.append(made)
        return made

    def received(self):
        self.keeper.outbox.flush()
        try:
            return os.read(self.reader, 1 << 20)
        except BlockingIOError:
            return b""

    def greeting(self):
        """The session in the answer to an engine that has shown the secret."""
        self.keeper.greet(b"nonce", {"version": 3}, 7)
        data = self.received().partition(frames.frame(frames.TAKEN, 0) + b"nonce")[2]
        return json.loads(data[frames.HEADER.size :])["session"]

    def count(self, number):
        return frames.COUNT.pack(number)

    def test_allows_its_secret_only(self):
        self.assertTrue(self.keeper.allows(SECRET))
        for wrong in ("", "5b" * 32, SECRET[:-1], SECRET + "0", "é" * 64):
            self.assertFalse(self.keeper.allows(wrong))

    def test_begins_the_count_with_a_frame_of_its_own(self):
        self.assertEqual(self.received(), frames.frame(frames.RETAINING, 0))
        self.assertEqual(self.keeper.outbox.written, frames.HEADER.size)

    def test_describes_what_lives_and_what_has_ended_without_an_acknowledgement(self):
        living, ended = self.add_channel(1), self.add_channel(5)
        living.restart()
        living.input_bytes = 12
        self.keeper.on_run(living)
        self.keeper.on_note(living, b"a note")
        self.channels.remove(ended)
        self.keeper.on_exit_sent(ended)
        first = {"number": 1, "runs": 1, "inputBytes": 12, "runAt": 9, "note": "a note"}
        second = {"number": 5, "runs": 0, "inputBytes": 0, "runAt": 0, "note": None}
        self.received()
        expected = {"engine": 1, "acknowledged": 0, "channels": [first, second], "lastNumber": 7}
        self.assertEqual(self.greeting(), expected)
        self.keeper.acknowledge(1, self.count(9))
        self.assertEqual(self.greeting(), {"engine": 2, "acknowledged": 9, "channels": [first], "lastNumber": 7})

    def test_takes_no_acknowledgement_of_an_engine_that_another_one_has_followed(self):
        self.received()
        self.greeting()
        self.keeper.acknowledge(0, self.count(9))
        self.keeper.resume(0, self.count(9))
        self.assertEqual(self.keeper.outbox.acknowledged, 0)
        self.assertEqual(self.received(), b"")
        self.keeper.resume(1, self.count(0))
        self.assertEqual(self.received(), frames.frame(frames.RETAINING, 0))

    def test_refuses_a_note_that_is_too_large(self):
        with self.assertRaisesRegex(frames.Closed, "too large"):
            self.keeper.on_note(self.add_channel(1), b"x" * 65_537)
