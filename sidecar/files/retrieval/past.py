"""The commits of a checkout: each is read once and kept in the file store, in step with HEAD.

As many commits again are kept from other branches, so that switching back reads nothing. Without a repository there are
no commits, and nothing else is affected.
"""

from __future__ import annotations

import logging
import threading
import zlib
from typing import Final, Literal

import msgspec

from sidecar.checkout.history import History
from sidecar.files.pace import STEADY, Deadline, DeadlineExceeded, Pace
from sidecar.files.retrieval.commit_index import CommitIndex, Past
from sidecar.files.without_secrets import without_secrets
from sidecar.runtime.errors import StoreUnavailable
from sidecar.store.file_store import FileStore

log = logging.getLogger(__name__)

NAME: Final = "history:1"  # name of the stored value, including the version of its layout
READ_AT_ONCE: Final = 100  # commits requested from git with one command, whose output is parsed in one go
INDEXED_AT_ONCE: Final = 10

REFRESH_SECONDS: Final = 1.0  # what a request spends on unread commits, besides the first few
PastState = Literal["off", "waiting", "ready", "unavailable"]
_Kept = list[tuple[str, int, str, tuple[str, ...]]]  # plain types: msgspec first reads a struct on one thread only


class PastCommits:
    """An index of the newest `limit` ancestors of HEAD.

    A `limit` of 0 drops the stored commits. `lock` guards the index, and its other readers also hold it.
    """

    def __init__(self, store: FileStore, history: History, limit: int, lock: threading.RLock) -> None:
        self.store = store
        self.history = history
        self._limit = limit
        self._lock = lock
        self.refreshing = threading.RLock()
        self._known: dict[str, Past] | None = None
        self._seen: tuple[object, ...] | None = None
        self.index = CommitIndex()
        self.state: PastState = "waiting" if limit else "off"

    def is_behind(self) -> bool:
        """Return whether HEAD may have moved since the last `refresh`."""
        if not self._limit:
            return False
        return self.state == "waiting" or self.history.state() != self._seen

    def refresh_briefly(self) -> None:
        """Refresh for a waiting request. After REFRESH_SECONDS, leave the rest to the next request."""
        pace = Deadline(REFRESH_SECONDS)
        if self.refreshing.acquire(timeout=REFRESH_SECONDS):
            try:
                self.refresh(pace)
            except DeadlineExceeded:
                log.info("A request was answered before all past commits were known.")
            finally:
                self.refreshing.release()

    def refresh(self, pace: Pace = STEADY) -> None:
        """Bring the index in step with HEAD."""
        with self.refreshing:
            if not self._limit:
                self._forget()
                return
            seen = self.history.state()
            if seen == self._seen and self.state != "waiting":
                return
            ids = self.history.ancestors(self._limit) if seen is not None else None
            if ids is None:
                self._mark_unavailable(seen)
                return
            self.state = "waiting"
            known = self._load()
            before = len(known)
            with self._lock:
                fresh = self.index.keep_only(ids)
            try:
                for start in range(0, len(fresh), READ_AT_ONCE):
                    some = fresh[start : start + READ_AT_ONCE]
                    if not self._read([id for id in some if id not in known], known):
                        self._mark_unavailable(seen)
                        return
                    self._index([known[id] for id in some if id in known], pace)
            finally:
                if len(known) > before:
                    self._save(ids, known)
            self._seen, self.state = seen, "ready"

    def _read(self, ids: list[str], known: dict[str, Past]) -> bool:
        read = self.history.commits(ids) if ids else []
        for commit in read or ():
            known[commit.id] = Past(*commit)._replace(message=without_secrets(commit.message))
        return read is not None

    def _index(self, commits: list[Past], pace: Pace) -> None:
        for start in range(0, len(commits), INDEXED_AT_ONCE):
            some = commits[start : start + INDEXED_AT_ONCE]
            pace.give_way()
            with self._lock:
                self.index.add(some)
            if len(some) == INDEXED_AT_ONCE:
                pace.rest()

    def _mark_unavailable(self, seen: tuple[object, ...] | None) -> None:
        with self._lock:
            self.index.keep_only(())
        self._seen, self.state = seen, "unavailable"
        log.info("The commits of this checkout cannot be read.")

    def _load(self) -> dict[str, Past]:
        if self._known is None:
            self._known = {}
            packed = self.store.get_blob(NAME)
            try:
                commits = msgspec.msgpack.decode(zlib.decompress(packed), type=_Kept) if packed else []
            except (zlib.error, msgspec.MsgspecError) as error:
                log.warning("Stored commits cannot be used and are read again: %s", error)
                commits = []
            self._known = {id: Past(id, at, message, files) for id, at, message, files in commits}
        return self._known

    def _save(self, ids: list[str], known: dict[str, Past]) -> None:
        wanted = frozenset(ids)
        others = [id for id in known if id not in wanted]
        for id in others[: max(0, len(others) - self._limit)]:
            del known[id]
        packed = zlib.compress(msgspec.msgpack.encode(list(known.values())), 3)
        try:
            self.store.put_blob(NAME, packed)
        except StoreUnavailable as error:
            log.info("Commits were not stored: %s", error.message)

    def _forget(self) -> None:
        try:
            if self.store.get_blob(NAME):
                self.store.put_blob(NAME, b"")
        except StoreUnavailable as error:
            log.info("Stored commits were not dropped: %s", error.message)
