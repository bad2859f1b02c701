"""Share facts about files by content hash: a machine that reads a file gets what other machines learned about it.

An arriving fact is judged like a new one, against the local file. No fact with a secret is sent.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Collection
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from msgspec.structs import replace

from sidecar.files.facets.admission_result import Refused
from sidecar.files.facets.carry_over import normalised
from sidecar.runtime.digests import blake2b
from sidecar.runtime.errors import SidecarError
from sidecar.runtime.event import Event
from sidecar.team.team_answers import FACT_KIND, TeamAnswers
from sidecar.text.secrets import redact

if TYPE_CHECKING:
    from sidecar.files.facets.book import FacetBook
    from sidecar.runtime.priority import Priority
    from sidecar.store.knowledge_store import KnowledgeStore
    from sidecar.store.records import FacetsRecord

log = logging.getLogger(__name__)

# Seconds between two synchronisations about a content of which nothing new was learned meanwhile.
FACETS_SYNC_SECONDS: Final = 600.0
_SOURCE_PREFIX: Final = "team:"
# Any more wait until their files are read again.
_MAX_WAITING_CONTENTS: Final = 1_000
# Above this, the times of all synchronisations are forgotten.
_MAX_SYNC_TIMES: Final = 4_096


@dataclass(eq=False)
class TeamFacets:
    """Synchronises the facts of one checkout in the background. Thread-safe."""

    _answers: TeamAnswers
    _book: FacetBook
    _store: KnowledgeStore
    _priority: Priority
    arrived: Event[[str]] = field(init=False, default_factory=Event)
    """Announced with the path of a file about which others' facts were stored or dropped."""
    _lock: threading.Lock = field(init=False, default_factory=threading.Lock)
    _waiting: dict[str, str] = field(init=False, default_factory=dict)
    _synced_at: dict[str, float] = field(init=False, default_factory=dict)
    _thread: threading.Thread | None = field(init=False, default=None)
    _closed: bool = field(init=False, default=False)

    def sync(self, path: str, hash: str | None = None, *, learned: bool = False) -> None:
        """Synchronise the facts about a content soon; within `FACETS_SYNC_SECONDS` again only if some were `learned`.

        Without a hash, the content is what the file has now.
        """
        hash = hash or self._book.current_hash(path)
        if hash is None:
            return
        with self._lock:
            last = self._synced_at.get(hash)
            if not learned and last is not None and time.monotonic() - last < FACETS_SYNC_SECONDS:
                return
            if self._closed or len(self._waiting) >= _MAX_WAITING_CONTENTS:
                return
            if len(self._synced_at) >= _MAX_SYNC_TIMES:
                self._synced_at.clear()
            self._synced_at[hash] = time.monotonic()
            self._waiting[hash] = path
            if self._thread is None:
                self._thread = threading.Thread(target=self._run, name="team-facts", daemon=True)
                self._thread.start()

    def close(self) -> None:
        """Stop. What waits is synchronised when the files are read again. Idempotent."""
        with self._lock:
            self._closed = True
            self._waiting.clear()

    def _run(self) -> None:
        while True:
            with self._lock:
                if not self._waiting:
                    self._thread = None
                    return
                hash = next(iter(self._waiting))
                path = self._waiting.pop(hash)
            try:
                self._sync_now(path, hash)
            except SidecarError as error:
                log.info("Facts about a file are not shared now: %s", error.message)
            except Exception:
                log.exception("Sharing facts about a file failed.")

    def _sync_now(self, path: str, hash: str) -> None:
        facts = self._answers.facts(hash)
        with self._priority.turn():
            purged = {recipe for recipe, text, _ in facts if not text}
            new = self._drop(hash, purged) if purged else False
            for _, text, author in facts:
                if text and not isinstance(self._book.store(path, hash, text, _SOURCE_PREFIX + author, None), Refused):
                    new = True
        known = {recipe for recipe, _, _ in facts}
        record = self._store.facets([hash]).get(hash)
        for fact in record.facets if record is not None else ():
            recipe = recipe_of_facet(fact.text)
            if recipe not in known and not fact.source.startswith(_SOURCE_PREFIX) and not redact(fact.text)[1]:
                self._answers.put(hash, recipe, FACT_KIND, fact.text)
        if new:
            self.arrived.announce(path)

    def _drop(self, hash: str, purged: Collection[str]) -> bool:
        """Drop the purged facts about a content; return whether there were any."""

        def without_purged(record: FacetsRecord) -> FacetsRecord:
            return replace(
                record, facets=tuple(facet for facet in record.facets if recipe_of_facet(facet.text) not in purged)
            )

        before = self._store.facets([hash]).get(hash)
        return before is not None and self._store.update_facets(hash, without_purged) != before


def recipe_of_facet(text: str) -> str:
    """Return what identifies a fact about a content, no matter who wrote it."""
    return blake2b(f"fact\0{normalised(text)}".encode("utf-8", "replace"), digest_size=16).hexdigest()
