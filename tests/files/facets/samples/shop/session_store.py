"""Sessions of the shop, kept in memory and written to disk now and then."""

import json
import os
import threading
import time

IDLE_SECONDS = 1800
_FLUSH_EVERY = 30


class SessionStore:
    """All sessions of one process."""

    def __init__(self, path, clock=time.monotonic):
        self._path = path
        self._clock = clock
        self._sessions = {}
        self._dirty = set()
        self._lock = threading.RLock()
        self._flushed_at = clock()

    def get(self, session_id):
        with self._lock:
            session = self._sessions.get(session_id)
            if session is None or self._expired(session):
                return None
            session["seen"] = self._clock()
            return dict(session)

    def put(self, session_id, values):
        with self._lock:
            self._sessions[session_id] = {**values, "seen": self._clock()}
            self._dirty.add(session_id)
            if self._clock() - self._flushed_at > _FLUSH_EVERY:
                self.flush()

    def flush(self):
        with self._lock:
            if not self._dirty:
                return 0
            temporary = f"{self._path}.tmp"
            with open(temporary, "w") as out:
                json.dump(self._sessions, out)
            os.replace(temporary, self._path)
            written, self._dirty = len(self._dirty), set()
            self._flushed_at = self._clock()
            return written

    def drop_expired(self):
        gone = [key for key, session in self._sessions.items() if self._expired(session)]
        for key in gone:
            del self._sessions[key]
        return gone

    def _expired(self, session):
        return self._clock() - session["seen"] > IDLE_SECONDS
