from support import AgentTest

from hothouse_agent import mediatype


class MediaTypeTest(AgentTest):
    def test_is_what_the_first_bytes_and_the_extension_say(self):
        cases = [
            (b"a.png", b"\x89PNG\r\n\x1a\n", "image/png"),
            (b"a.txt", b"\x89PNG\r\n\x1a\n", "image/png"),
            (b"a.png", b"<script>", "text/plain"),
            (b"a.csv", b"x,y\n", "text/csv"),
            (b"a.csv", b"", "text/csv"),
            (b"a.csv", b"\0", "application/octet-stream"),
            (b"A.JSON", b"{}", "application/json"),
            (b"a.xlsx", b"PK\3\4", "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"),
            (b"a.zip", b"", "application/zip"),
            (b"a", b"text \xc3\xa4\x1b[1m", "text/plain"),
            (b"a", b"\xff", "application/octet-stream"),
            (b"csv", b"x", "text/plain"),
            (b"\xff.csv", b"x", "text/csv"),
        ]
        for name, first, expected in cases:
            with self.subTest(name=name, first=first):
                self.assertEqual(mediatype.of(name, first), expected)

    def test_takes_text_whose_last_character_is_cut_for_text(self):
        text = ("x" * 511 + "ä").encode()[:512]
        self.assertEqual(mediatype.of(b"a", text), "text/plain")
