"""What makes a sandbox one that another engine can resume: the session's secret, and what its frames leave to know."""

from _operator import _compare_digest

try:
    from _sha2 import sha256
except ImportError:
    # Python before 3.12.
    from hashlib import sha256

from . import frames, retention

# Of what the engine keeps here about one process.
_MAX_NOTE_BYTES = 1 << 16


class Keeper:
    """The session of a sandbox. `channels()` are those whose end has not been sent."""

    def __init__(self, outbox, mover, channels, retain):
        self.outbox = retention.Retention(outbox, mover)
        self.silence = retain["silenceMs"] / 1000
        # Only the hash: forks get a copy of this process's memory.
        self._secret_hash = bytes.fromhex(retain["secretHash"])
        self._channels = channels
        # Ended ones whose exit the engine may not have: (count after it, the protocol's `KeptChannel`).
        self._ended = []
        # How many engines have resumed it.
        self._engine = 0
        self.outbox.frame(frames.RETAINING, 0)

    def allows(self, secret):
        """Whether this is the session's secret."""
        return _compare_digest(sha256(secret.encode()).digest(), self._secret_hash)

    def on_run(self, target):
        target.run_at = self.outbox.written

    def on_note(self, target, payload):
        if len(payload) > _MAX_NOTE_BYTES:
            raise frames.Closed("a note is too large")
        target.note = payload.decode()

    def on_exit_sent(self, ended):
        self._ended.append((self.outbox.written, ended.kept()))

    def acknowledge(self, engine, payload):
        """The engine of that number has everything up to a count. An earlier engine's word counts no more."""
        if engine != self._engine:
            return
        self.outbox.acknowledge(*frames.COUNT.unpack(payload))
        while self._ended and self._ended[0][0] <= self.outbox.acknowledged:
            self._ended.pop(0)

    def greet(self, nonce, ready, last_number):
        """Another engine has shown the secret: the earlier one gets its last frame."""
        self._engine += 1
        session = {
            "engine": self._engine,
            "acknowledged": self.outbox.acknowledged,
            "channels": [one.kept() for one in self._channels()] + [kept for _, kept in self._ended],
            "lastNumber": last_number,
        }
        answer = frames.frame(frames.READY, 0, frames.encoded({**ready, "session": session}))
        self.outbox.greet(frames.frame(frames.TAKEN, 0) + nonce + answer)

    def resume(self, engine, payload):
        if engine == self._engine:
            self.outbox.resume(*frames.COUNT.unpack(payload))
