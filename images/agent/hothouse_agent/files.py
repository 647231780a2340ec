"""Puts files where a run finds them. User code may run meanwhile and change any name at any moment."""

import base64
import os

_ROOTS = ("workspace", "tmp")
# `MAX_PUT_BYTES` of the protocol.
_MAX_BYTES = (1 << 20) + (1 << 16)
_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_NEW_FILE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
_TEMPORARY = ".hothouse-put"


def put(path, content):
    """Writes `content` (base64) to `path`. Returns None, or a sentence that says why it could not."""
    empty, *parts = path.split("/")
    if empty or len(parts) < 2 or parts[0] not in _ROOTS or any(part in ("", ".", "..") for part in parts):
        return "%s: files can be put below /workspace and /tmp only" % path
    data = base64.b64decode(content)
    if len(data) > _MAX_BYTES:
        return "%s: %d bytes are more than the %d that are accepted" % (path, len(data), _MAX_BYTES)
    try:
        folder = _open_folder(parts[:-1])
    except OSError as error:
        return "%s: %s" % (path, error.strerror)
    try:
        _replace(folder, parts[-1], data)
    except OSError as error:
        return "%s: %s" % (path, error.strerror)
    finally:
        os.close(folder)
    return None


def _open_folder(parts):
    """Opens one folder after the other, each relative to the one before, so that no link can lead elsewhere."""
    folder = os.open("/", _FOLDER)
    for part in parts:
        try:
            child = os.open(part, _FOLDER, dir_fd=folder)
        finally:
            os.close(folder)
        folder = child
    return folder


def _replace(folder, name, data):
    # A new file takes over the name: what has it now may be a link, or a pipe without a reader.
    try:
        os.unlink(_TEMPORARY, dir_fd=folder)
    except FileNotFoundError:
        pass
    fd = os.open(_TEMPORARY, _NEW_FILE, 0o644, dir_fd=folder)
    try:
        with os.fdopen(fd, "wb") as file:
            file.write(data)
        os.rename(_TEMPORARY, name, src_dir_fd=folder, dst_dir_fd=folder)
    except OSError:
        os.unlink(_TEMPORARY, dir_fd=folder)
        raise
