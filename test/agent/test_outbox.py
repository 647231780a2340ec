import fcntl
import os

from support import AgentTest

from hothouse_agent import frames, outbox, transfer


def encoded(kind, channel, payload=b""):
    return frames.HEADER.pack(kind, channel, len(payload)) + payload


class OutboxTest(AgentTest):
    mover = transfer.Splicer

    def setUp(self):
        if not transfer._can_splice():
            self.mover = transfer.Copier
        self.reader, fd = self.pipe(blocking=False)
        self.outbox = outbox.Outbox(fd, self.mover())
        for end in (self.outbox._pipe, self.outbox._pipe_end, self.outbox._scratch, self.outbox._scratch_end):
            self.addCleanup(self.close, end)
        for end in (self.outbox._plain, self.outbox._plain_end):
            self.addCleanup(end.close)
        self.output, self.child = self.pipe(blocking=False)

    def pass_on(self, most=1 << 20, prefix=b""):
        return self.outbox.pass_on(frames.STDOUT, 4, prefix, self.output, most)

    def received(self):
        data = b""
        while not self.outbox.is_empty:
            self.outbox.flush()
            try:
                data += os.read(self.reader, 1 << 20)
            except BlockingIOError:
                pass
        try:
            return data + os.read(self.reader, 1 << 20)
        except BlockingIOError:
            return data

    def test_sends_frames_and_output_in_order_when_it_is_flushed(self):
        os.write(self.child, b"out")
        self.outbox.frame(frames.ROOM, 1)
        self.assertEqual(self.pass_on(), 3)
        self.outbox.message(frames.READY, 0, {"a": 1})
        with self.assertRaises(BlockingIOError):
            os.read(self.reader, 1)
        self.outbox.flush()
        expected = encoded(frames.ROOM, 1) + encoded(frames.STDOUT, 4, b"out") + encoded(frames.READY, 0, b'{"a": 1}')
        self.assertEqual(os.read(self.reader, 1000), expected)
        self.assertTrue(self.outbox.is_empty)

    def test_passes_on_as_many_bytes_as_it_may_after_their_prefix(self):
        os.write(self.child, b"abcdef")
        self.assertEqual(self.pass_on(4, b"prefix"), 4)
        self.assertEqual(self.received(), encoded(frames.STDOUT, 4, b"prefixabcd"))
        self.assertEqual(os.read(self.output, 100), b"ef")

    def test_tells_a_pipe_without_bytes_from_its_end(self):
        self.assertIsNone(self.pass_on())
        os.close(self.child)
        self.assertEqual(self.pass_on(), 0)
        self.assertEqual(self.received(), b"")

    def test_passes_on_packets_as_plain_bytes(self):
        fcntl.fcntl(self.child, fcntl.F_SETFL, os.O_DIRECT)
        for _ in range(3):
            os.write(self.child, b"packet")
        counts = [self.pass_on()]
        while sum(counts) < 18:
            counts.append(self.pass_on())
        expected = b"".join(encoded(frames.STDOUT, 4, b"packet" * (count // 6)) for count in counts)
        self.outbox.flush()
        data = b""
        while len(data) < len(expected):
            # Less room than a packet needs: its rest would be lost.
            data += os.read(self.reader, 4)
        self.assertEqual(data, expected)

    def test_has_no_room_for_output_while_nobody_reads_and_sends_all_of_it_later(self):
        sent = 0
        while self.outbox.has_room:
            sent += os.write(self.child, b"x" * 60_000)
            self.pass_on()
        self.outbox.flush()
        self.assertFalse(self.outbox.is_empty)
        data = self.received()
        self.assertEqual(data.count(b"x"), sent)
        self.assertTrue(self.outbox.has_room)

    def test_has_room_for_pieces_that_begin_anywhere_in_a_page(self):
        if self.mover is transfer.Copier:
            self.skipTest("bytes that are copied keep no pieces")
        reader, writer = transfer.socket_pair()
        self.addCleanup(reader.close)
        self.addCleanup(writer.close)
        fcntl.fcntl(self.child, transfer._F_SETPIPE_SZ, 1 << 20)
        sent = 0
        while self.outbox.has_room:
            # Pieces from sockets may be larger than a page.
            for _ in range(3):
                writer.send(b"x" * 20_000)
                left = 20_000 - len(reader.recv(7))
                sent += left
                while left:
                    left -= os.splice(reader.fileno(), self.child, left)
            while self.outbox.has_room and self.pass_on():
                pass
        data = self.received()
        while self.pass_on():
            data += self.received()
        self.assertEqual(data.count(b"x"), sent)

    def test_takes_its_own_frames_without_limit_and_keeps_their_order(self):
        messages = [b"%06d" % number * 500 for number in range(1000)]
        for message in messages:
            self.outbox.frame(frames.REPLY, 0, message)
        self.assertEqual(self.received(), b"".join(encoded(frames.REPLY, 0, message) for message in messages))

    def test_raises_when_the_other_end_is_closed(self):
        os.close(self.reader)
        self.outbox.frame(frames.ROOM, 1)
        with self.assertRaisesRegex(frames.Closed, "stdout: Broken pipe"):
            self.outbox.flush()


class CopyingOutboxTest(OutboxTest):
    mover = transfer.Copier
