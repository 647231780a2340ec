"""The media type of a file, from its first bytes and its extension; nothing that user code can write is consulted."""

import os

_BINARY = "application/octet-stream"
_TEXT = "text/plain"
# Bytes that are looked at.
_FIRST = 512

# These decide, whatever the file is called.
_BEGINNINGS = (
    (b"\x89PNG\r\n\x1a\n", "image/png"),
    (b"\xff\xd8\xff", "image/jpeg"),
    (b"GIF8", "image/gif"),
    (b"%PDF-", "application/pdf"),
    (b"\x1f\x8b", "application/gzip"),
    (b"PAR1", "application/vnd.apache.parquet"),
    (b"SQLite format 3\0", "application/vnd.sqlite3"),
    (b"\x89HDF\r\n\x1a\n", "application/x-hdf5"),
    (b"ARROW1", "application/vnd.apache.arrow.file"),
    (b"\x7fELF", "application/x-executable"),
)
# Formats that are archives or containers of another name.
_BINARY_EXTENSIONS = {
    b"zip": "application/zip",
    b"whl": "application/zip",
    b"npz": "application/zip",
    b"docx": "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
    b"xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    b"pptx": "application/vnd.openxmlformats-officedocument.presentationml.presentation",
    b"tar": "application/x-tar",
    b"bz2": "application/x-bzip2",
    b"xz": "application/x-xz",
    b"zst": "application/zstd",
    b"npy": "application/x-npy",
    b"pkl": "application/x-python-pickle",
    b"pickle": "application/x-python-pickle",
    b"webp": "image/webp",
    b"tif": "image/tiff",
    b"tiff": "image/tiff",
    b"bmp": "image/bmp",
    b"ico": "image/vnd.microsoft.icon",
    b"mp3": "audio/mpeg",
    b"wav": "audio/x-wav",
    b"ogg": "audio/ogg",
    b"flac": "audio/flac",
    b"mp4": "video/mp4",
    b"webm": "video/webm",
    b"ttf": "font/ttf",
    b"woff2": "font/woff2",
    b"wasm": "application/wasm",
}
_TEXT_EXTENSIONS = {
    b"csv": "text/csv",
    b"tsv": "text/tab-separated-values",
    b"md": "text/markdown",
    b"html": "text/html",
    b"htm": "text/html",
    b"css": "text/css",
    b"js": "text/javascript",
    b"mjs": "text/javascript",
    b"xml": "text/xml",
    b"svg": "image/svg+xml",
    b"py": "text/x-python",
    b"tex": "application/x-tex",
    b"json": "application/json",
    b"geojson": "application/geo+json",
    b"ipynb": "application/x-ipynb+json",
    b"jsonl": "application/jsonl",
    b"yaml": "application/yaml",
    b"yml": "application/yaml",
    b"toml": "application/toml",
    b"sh": "application/x-sh",
}
# Control characters that no text has.
_CONTROL = bytes(set(range(32)) - set(b"\b\t\n\f\r\x1b"))


def of_file(name, fd):
    """The type of an open file; of what is not a file, that of its name."""
    try:
        first = os.pread(fd, _FIRST, 0)
    except OSError:
        first = b""
    return of(name, first)


def of(name, first):
    """The type by the bytes that a file begins with, then by its extension: text stays text, binary stays binary."""
    for beginning, media_type in _BEGINNINGS:
        if first.startswith(beginning):
            return media_type
    extension = name.rpartition(b".")[2].lower() if b"." in name else b""
    if _is_text(first):
        return _TEXT_EXTENSIONS.get(extension, _TEXT if first else _BINARY_EXTENSIONS.get(extension, _TEXT))
    return _BINARY_EXTENSIONS.get(extension, _BINARY)


def _is_text(first):
    if first.translate(None, _CONTROL) != first:
        return False
    try:
        first.decode("utf-8")
    except UnicodeDecodeError as error:
        # The last character may be cut.
        return len(first) == _FIRST and error.start > _FIRST - 4 and error.reason == "unexpected end of data"
    return True
