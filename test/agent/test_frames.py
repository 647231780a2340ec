import os
import time

from support import AgentTest

from hothouse_agent import frames


def encoded(kind, channel, payload=b""):
    return frames.HEADER.pack(kind, channel, len(payload)) + payload


class ReaderTest(AgentTest):
    def setUp(self):
        fd, self.writer = self.pipe()
        self.reader = frames.Reader(fd)
        self.fd = fd

    def read_frame(self):
        frame = None
        while frame is None:
            frame = self.reader.read()
        return frame

    def test_returns_type_channel_and_payload(self):
        os.write(self.writer, encoded(frames.RUN, 7, b"code"))
        self.assertEqual(self.read_frame(), (frames.RUN, 7, b"code"))

    def test_returns_a_frame_without_payload(self):
        os.write(self.writer, encoded(frames.RESET, 0))
        self.assertEqual(self.read_frame(), (frames.RESET, 0, b""))

    def test_returns_none_until_the_frame_is_complete(self):
        frame = encoded(frames.INPUT, 1, b"xyz")
        for index in range(len(frame) - 1):
            os.write(self.writer, frame[index : index + 1])
            self.assertIsNone(self.reader.read())
        os.write(self.writer, frame[-1:])
        self.assertEqual(self.reader.read(), (frames.INPUT, 1, b"xyz"))

    def test_leaves_what_follows_the_frame_in_the_pipe(self):
        os.write(self.writer, encoded(frames.RESET, 0) + b"for the next relay")
        self.read_frame()
        self.assertEqual(os.read(self.fd, 100), b"for the next relay")

    def test_raises_at_the_end_of_the_stream(self):
        os.close(self.writer)
        with self.assertRaisesRegex(frames.Closed, "stdin has ended"):
            self.reader.read()

    def test_raises_before_it_reads_a_payload_that_is_too_large(self):
        os.write(self.writer, frames.HEADER.pack(frames.RUN, 1, frames.MAX_PAYLOAD + 1))
        with self.assertRaisesRegex(frames.Closed, "too large"):
            self.read_frame()


class WriterTest(AgentTest):
    def test_writes_frames_in_order_when_it_is_flushed(self):
        reader, fd = self.pipe(blocking=False)
        writer = frames.Writer(fd, 10)
        writer.frame(frames.STDOUT, 1, b"one")
        writer.message(frames.READY, 0, {"a": 1})
        with self.assertRaises(BlockingIOError):
            os.read(reader, 1)
        writer.flush()
        expected = encoded(frames.STDOUT, 1, b"one") + encoded(frames.READY, 0, b'{"a": 1}')
        self.assertEqual(os.read(reader, 1000), expected)

    def test_writes_more_than_the_pipe_holds(self):
        reader, fd = self.pipe()
        writer = frames.Writer(fd, 10)
        data = os.urandom(1 << 20)
        received = bytearray()

        def read():
            while len(received) < len(data):
                received.extend(os.read(reader, 1 << 16))

        thread = self.thread(read)
        writer.raw(data)
        writer.flush()
        thread.join(10)
        self.assertEqual(bytes(received), data)

    def test_raises_when_the_other_end_is_closed(self):
        reader, fd = self.pipe()
        writer = frames.Writer(fd, 10)
        os.close(reader)
        writer.frame(frames.STDOUT, 1, b"x")
        with self.assertRaisesRegex(frames.Closed, "stdout: Broken pipe"):
            writer.flush()

    def test_raises_when_nothing_is_read_for_the_timeout(self):
        _, fd = self.pipe()
        writer = frames.Writer(fd, 0.05)
        started = time.monotonic()
        with self.assertRaisesRegex(frames.Closed, "stdout is not read"):
            writer.raw(bytes(1 << 20))
        self.assertGreaterEqual(time.monotonic() - started, 0.05)
