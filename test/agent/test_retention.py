import os

from support import AgentTest

from hothouse_agent import frames, outbox, retention, transfer

WIDTH = retention._WIDTH


class RetentionTest(AgentTest):
    mover = transfer.Splicer

    def setUp(self):
        if not transfer._can_splice():
            self.mover = transfer.Copier
        self.reader, fd = self.pipe(blocking=False)
        mover = self.mover()
        self.before = outbox.Outbox(fd, mover)
        for end in (self.before._pipe, self.before._pipe_end, self.before._scratch, self.before._scratch_end):
            self.addCleanup(self.close, end)
        for end in (self.before._plain, self.before._plain_end):
            self.addCleanup(end.close)
        self.kept = retention.Retention(self.before, mover)
        self.addCleanup(self.close, self.kept._file)
        self.output, self.child = self.pipe(blocking=False)

    def pass_on(self, data=b"", most=1 << 20, prefix=b""):
        if data:
            os.write(self.child, data)
        return self.kept.pass_on(frames.STDOUT, 4, prefix, self.output, most)

    def received(self):
        data = b""
        while True:
            self.kept.flush()
            try:
                data += os.read(self.reader, 1 << 20)
            except BlockingIOError:
                return data

    def fill(self):
        sent = b""
        while self.kept.has_room:
            piece = bytes([len(sent) // 60_000 % 251]) * 60_000
            self.pass_on(piece)
            sent += piece
        return sent

    def test_sends_what_the_outbox_before_it_has_first(self):
        self.before.frame(frames.ROOM, 1)
        self.kept.frame(frames.RETAINING, 0)
        self.assertEqual(self.pass_on(b"abcdef", 4, b"prefix"), 4)
        expected = [(frames.ROOM, 1, b""), (frames.RETAINING, 0, b""), (frames.STDOUT, 4, b"prefixabcd")]
        self.assertEqual(self.received(), b"".join(frames.frame(*one) for one in expected))
        self.assertTrue(self.kept.is_empty)

    def test_tells_a_pipe_without_bytes_from_its_end(self):
        self.assertIsNone(self.pass_on())
        os.close(self.child)
        self.assertEqual(self.pass_on(), 0)
        self.assertEqual(self.received(), b"")

    def test_sends_everything_again_that_was_not_acknowledged(self):
        self.pass_on(b"one")
        first = self.kept.written
        self.pass_on(b"two")
        self.assertEqual(len(self.received()), self.kept.written)
        self.kept.acknowledge(first)
        self.kept.greet(b"hello")
        self.assertEqual(self.received(), b"hello")
        self.pass_on(b"three")
        self.assertEqual(self.received(), b"")
        self.assertTrue(self.kept.is_empty)
        self.kept.resume(first)
        expected = [frames.frame(frames.STDOUT, 4, data) for data in (b"two", b"three")]
        self.assertEqual(self.received(), b"".join(expected))

    def test_completes_the_stream_of_the_earlier_engine_before_the_greeting(self):
        sent = self.fill()
        self.kept.flush()
        self.kept.greet(b"hello")
        data = self.received()
        self.assertTrue(data.endswith(b"hello"))
        self.assertEqual(len(data), self.kept.written + 5)
        self.kept.resume(0)
        self.assertEqual(self.received(), data[:-5])
        self.assertGreater(len(sent), 7 << 20)

    def test_has_no_room_until_something_is_acknowledged_and_goes_around_the_end_of_its_file(self):
        content = self.fill()
        data = self.received()
        self.assertFalse(self.kept.has_room)
        for _ in range(3):
            self.kept.acknowledge(self.kept.written - 1_000)
            content += self.fill()
            data += self.received()
        self.kept.acknowledge(self.kept.written)
        payloads = b""
        while data:
            _, _, size = frames.HEADER.unpack_from(data)
            payloads += data[frames.HEADER.size : frames.HEADER.size + size]
            data = data[frames.HEADER.size + size :]
        self.assertTrue(payloads == content)

    def test_takes_frames_of_the_agent_without_limit_and_keeps_their_order(self):
        self.fill()
        messages = [frames.frame(frames.REPLY, 0, b"%06d" % number * 500) for number in range(1000)]
        for message in messages:
            self.kept.raw(message)
        data = self.received()
        while not self.kept.is_empty or self.kept._late:
            self.kept.acknowledge(self.kept._sent)
            data += self.received()
        self.assertTrue(data.endswith(b"".join(messages)))
        self.kept.acknowledge(self.kept._sent)
        self.assertTrue(self.kept.has_room)

    def test_uses_the_same_memory_again_once_everything_is_acknowledged(self):
        for _ in range(1000):
            self.pass_on(b"x" * 60_000)
            self.received()
            self.kept.acknowledge(self.kept.written)
        self.assertLess(os.fstat(self.kept._file).st_blocks * 512, 1 << 20)

    def test_refuses_counts_that_cannot_be(self):
        self.pass_on(b"one")
        with self.assertRaisesRegex(frames.Closed, "more than was sent"):
            self.kept.acknowledge(1)
        self.received()
        self.kept.acknowledge(self.kept.written)
        for count in (self.kept.written - 1, self.kept.written + 1):
            with self.assertRaisesRegex(frames.Closed, "cannot be resumed"):
                self.kept.resume(count)

    def test_raises_when_the_other_end_is_closed(self):
        os.close(self.reader)
        self.kept.frame(frames.ROOM, 1)
        with self.assertRaisesRegex(frames.Closed, "stdout: Broken pipe"):
            self.kept.flush()


class CopyingRetentionTest(RetentionTest):
    mover = transfer.Copier
