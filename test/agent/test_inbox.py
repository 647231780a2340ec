import os

from support import AgentTest

from hothouse_agent import frames, inbox, transfer


def encoded(kind, channel, payload=b"", end=b"\1"):
    return frames.HEADER.pack(kind, channel, len(payload)) + payload + end


class InboxTest(AgentTest):
    mover = transfer.Splicer

    def setUp(self):
        if not transfer._can_splice():
            self.mover = transfer.Copier
        fd, self.writer = self.pipe(blocking=False)
        self.inbox = inbox.Inbox(fd, self.mover())
        for end in (self.inbox.pipe, self.inbox._pipe_end):
            self.addCleanup(self.close, end)

    def write(self, *parts):
        os.write(self.writer, b"".join(parts))

    def test_returns_type_channel_and_payload_of_an_order(self):
        self.write(encoded(frames.START, 7, b"{}"))
        self.assertEqual(self.inbox.next(), (frames.START, 7, b"{}"))
        self.assertIsNone(self.inbox.next())

    def test_returns_several_frames_that_came_together(self):
        self.write(encoded(frames.RESET, 0), encoded(frames.REQUEST, 0, b"{}"), encoded(frames.CLOSE_INPUT, 3))
        found = [self.inbox.next() for _ in range(4)]
        self.assertEqual(found, [(frames.RESET, 0, b""), (frames.REQUEST, 0, b"{}"), (frames.CLOSE_INPUT, 3, b""), None])

    def test_leaves_the_bytes_for_a_child_in_its_pipe_and_returns_their_count(self):
        self.write(encoded(frames.RUN, 7, b"code"), encoded(frames.RESET, 0))
        self.assertEqual(self.inbox.next(), (frames.RUN, 7, 4))
        self.assertEqual(os.read(self.inbox.pipe, 100), b"code")
        self.assertEqual(self.inbox.next(), (frames.RESET, 0, b""))

    def test_returns_a_frame_only_when_its_end_has_come(self):
        for frame in (encoded(frames.INPUT, 1, b"xyz"), encoded(frames.REQUEST, 1, b"xyz")):
            for index in range(len(frame) - 1):
                self.write(frame[index : index + 1])
                self.assertIsNone(self.inbox.next())
            self.write(frame[-1:])
            self.assertEqual(self.inbox.next()[:2], (frame[0], 1))
        self.assertEqual(os.read(self.inbox.pipe, 100), b"xyz")

    def test_drops_a_frame_that_padding_completes_and_reads_on_after_the_padding(self):
        for begun in (b"", encoded(frames.INPUT, 1, b"abcdef")[:-4], encoded(frames.REQUEST, 1, b"abcdef")[:4]):
            self.write(begun, bytes(frames.MAX_CHUNK_BYTES // 2))
            self.assertIsNone(self.inbox.next())
            self.write(encoded(frames.HELLO, 0, b"{}"))
            self.assertEqual(self.inbox.next(), (frames.HELLO, 0, b"{}"))
            with self.assertRaises(BlockingIOError):
                os.read(self.inbox.pipe, 1)

    def test_discards_bytes_that_no_child_waits_for(self):
        self.write(encoded(frames.INPUT, 7, b"x" * 50_000))
        _, _, count = self.inbox.next()
        self.inbox.discard(count)
        with self.assertRaises(BlockingIOError):
            os.read(self.inbox.pipe, 1)

    def test_raises_at_the_end_of_the_stream(self):
        for begun in (b"", encoded(frames.RUN, 1, b"abc")[:-3]):
            with self.subTest(begun=begun):
                fd, writer = self.pipe(blocking=False)
                os.write(writer, begun)
                os.close(writer)
                with self.assertRaisesRegex(frames.Closed, "stdin has ended"):
                    inbox.Inbox(fd, self.mover()).next()

    def test_raises_before_it_reads_a_payload_that_is_too_large(self):
        for kind, limit in ((frames.RUN, frames.MAX_CHUNK_BYTES), (frames.START, frames.MAX_CONTROL_BYTES)):
            with self.subTest(kind=kind), self.assertRaisesRegex(frames.Closed, "too large"):
                fd, writer = self.pipe(blocking=False)
                os.write(writer, frames.HEADER.pack(kind, 1, limit + 1))
                inbox.Inbox(fd, self.mover()).next()

    def test_raises_when_a_frame_has_another_end(self):
        self.write(encoded(frames.RESET, 0, end=b"\2"))
        with self.assertRaisesRegex(frames.Closed, "no end"):
            self.inbox.next()


class CopyingInboxTest(InboxTest):
    mover = transfer.Copier
