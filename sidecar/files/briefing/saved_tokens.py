"""A count of the tokens that briefings save agents: what the file would have cost minus what the briefing cost.

A briefing counts for a known session only, once per content, and while the session has not read the file. If the
session reads the file later, even a part or an earlier state of it, the count is taken back. A large file counts no
more than one read would have shown. Briefings that advise reading the file do not count, nor do those inside an
injected block, for which nobody asked.
"""

from __future__ import annotations

import logging
import threading
from dataclasses import dataclass, field
from typing import Final

from sidecar.runtime.errors import StoreUnavailable
from sidecar.runtime.recently_used import RecentlyUsed
from sidecar.store.knowledge_store import KnowledgeStore

log = logging.getLogger(__name__)

MAX_READ_TOKENS: Final = 25_000
"""The most tokens of a file that one read shows an agent (Claude Code's limit)."""

_MAX_SESSIONS: Final = 100
_MAX_PATHS: Final = 2_000


@dataclass
class _Session:
    read: set[str] = field(default_factory=set)
    briefed: dict[str, dict[str, int]] = field(default_factory=dict)  # path -> content -> tokens


class SavedTokens:
    """The count of one workspace, kept in its store. Thread-safe.

    A killed process loses what it counted since the last `save`: this is a statistic, not a memory.
    """

    def __init__(self, store: KnowledgeStore) -> None:
        self._store = store
        self._lock = threading.Lock()
        self._sessions: RecentlyUsed[str, _Session] = RecentlyUsed(_MAX_SESSIONS)
        self._unkept = 0

    def briefed(self, session_id: str, path: str, hash: str, file_tokens: int, tokens: int) -> None:
        saved = max(0, min(file_tokens, MAX_READ_TOKENS) - tokens)
        with self._lock:
            session = self._session(session_id)
            contents = session.briefed.get(path, {})
            if path in session.read or hash in contents or len(session.briefed) >= _MAX_PATHS:
                return
            session.briefed[path] = {**contents, hash: saved}
            self._unkept += saved

    def read(self, session_id: str, path: str) -> None:
        with self._lock:
            session = self._session(session_id)
            self._unkept -= sum(session.briefed.pop(path, {}).values())
            if len(session.read) < _MAX_PATHS:
                session.read.add(path)

    def end(self, session_id: str) -> None:
        """End a session; its count is then final."""
        with self._lock:
            self._sessions.pop(session_id, None)
        self.save()

    def total(self) -> int:
        """Return the tokens saved in all sessions of the workspace; without a readable store, in this process."""
        with self._lock:
            unkept = self._unkept
        try:
            return max(0, self._store.saved_tokens() + unkept)
        except StoreUnavailable as error:
            log.info("Saved tokens cannot be read: %s", error.message)
            return max(0, unkept)

    def save(self) -> None:
        """Add the count to the store. If that fails, the next call tries again."""
        with self._lock:
            unkept, self._unkept = self._unkept, 0
        if not unkept:
            return
        try:
            self._store.add_saved_tokens(unkept)
        except StoreUnavailable as error:
            log.info("Saved tokens were not stored: %s", error.message)
            with self._lock:
                self._unkept += unkept

    def _session(self, id: str) -> _Session:
        session: _Session = self._sessions.get(id) or _Session()
        self._sessions[id] = session
        return session
