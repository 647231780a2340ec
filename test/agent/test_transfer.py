import os

from support import AgentTest

from hothouse_agent import transfer


class MoverTest(AgentTest):
    mover = transfer.Splicer

    def setUp(self):
        if not transfer._can_splice():
            self.mover = transfer.Copier
        self.move = self.mover()
        self.source, self.source_end = self.pipe(blocking=False)
        self.target, self.target_end = self.pipe(blocking=False)
        os.set_blocking(self.target_end, False)

    def test_moves_at_most_the_count(self):
        os.write(self.source_end, b"abcdef")
        self.assertEqual(self.move.move(self.source, self.target_end, 4), 4)
        self.assertEqual((os.read(self.target, 10), os.read(self.source, 10)), (b"abcd", b"ef"))

    def test_tells_an_empty_source_from_its_end(self):
        self.assertIsNone(self.move.move(self.source, self.target_end, 4))
        os.close(self.source_end)
        self.assertEqual(self.move.move(self.source, self.target_end, 4), 0)

    def test_loses_nothing_when_the_target_is_full(self):
        data = os.urandom(200_000)
        written = moved = 0
        received = b""
        os.set_blocking(self.source_end, False)
        while len(received) < len(data):
            try:
                written += os.write(self.source_end, data[written : written + 30_000])
            except BlockingIOError:
                pass
            # Until it can move no more, and then only some of it is read.
            while True:
                count = self.move.move(self.source, self.target_end, 70_000)
                if not count:
                    break
                moved += count
            received += os.read(self.target, 5_000)
        self.assertEqual((received, moved), (data, len(data)))

    def test_raises_when_the_target_has_no_reader(self):
        os.write(self.source_end, b"x")
        os.close(self.target)
        with self.assertRaises(BrokenPipeError):
            self.move.move(self.source, self.target_end, 1)

    def test_leaves_what_finds_no_room_to_the_next_target(self):
        other, other_end = self.pipe(blocking=False)
        os.write(self.target_end, b"x" * (1 << 16))
        os.write(self.source_end, b"abcdef")
        self.assertIsNone(self.move.move(self.source, self.target_end, 6))
        self.assertEqual(self.move.move(self.source, other_end, 4), 4)
        os.close(self.target)
        with self.assertRaises(BrokenPipeError):
            self.move.move(self.source, self.target_end, 2)
        self.assertEqual(self.move.move(self.source, other_end, 2), 2)
        self.assertEqual(os.read(other, 100), b"abcdef")

class CopierTest(MoverTest):
    mover = transfer.Copier

    def test_forgets_what_it_has_read_from_a_source_that_is_closed(self):
        os.write(self.target_end, b"x" * (1 << 16))
        os.write(self.source_end, b"old")
        self.assertIsNone(self.move.move(self.source, self.target_end, 3))
        self.move.forget(self.source)
        os.read(self.target, 1 << 16)
        os.write(self.source_end, b"new")
        self.assertEqual(self.move.move(self.source, self.target_end, 3), 3)
        self.assertEqual(os.read(self.target, 100), b"new")

    def test_keeps_no_copy_that_a_fork_could_see_or_that_outlives_a_wipe(self):
        os.write(self.source_end, b"secret")
        self.move.move(self.source, self.target_end, 6)
        (buffer,) = self.move._free
        self.assertEqual(buffer[:6], b"secret")
        pid = os.fork()
        if pid == 0:
            # Reading memory that the fork does not have ends it.
            buffer[:6]
            os._exit(0)
        self.assertTrue(os.WIFSIGNALED(os.waitpid(pid, 0)[1]))
        self.move.wipe()
        self.assertEqual(bytes(buffer).strip(b"\0"), b"")


class WidePipeTest(AgentTest):
    def test_holds_as_many_pieces_as_it_says(self):
        reader, writer, pieces = transfer.wide_pipe(1 << 17)
        self.addCleanup(self.close, reader)
        self.addCleanup(self.close, writer)
        for _ in range(pieces):
            self.assertEqual(os.write(writer, bytes(4096)), 4096)
        with self.assertRaises(BlockingIOError):
            os.write(writer, b"x")


