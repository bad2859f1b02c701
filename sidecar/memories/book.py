"""Everything that can be done with memories, over one workspace's store and the user's."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from sidecar.errors import InvalidField
from sidecar.memories import forgetting, lifecycle, recording
from sidecar.memories.catalogue import Catalogue
from sidecar.memories.drafts import ANY_AGENT, Briefing, Draft, Filters, InjectRequest
from sidecar.memories.inject import Injector
from sidecar.memories.maintenance.upkeep import Upkeep
from sidecar.memories.promoting import Promotion, promote
from sidecar.memories.results import Found, Injection, Page, Recorded, Similar, Updated
from sidecar.memories.searching import Searcher, fetch
from sidecar.memories.weights import Weights
from sidecar.store.memory_store import MemoryStore, Use
from sidecar.store.records import MemoryRecord, VersionRecord

SIMILAR_FLOOR = 0.6
SIMILAR_MOST = 5


class MemoryBook:
    """Records, finds and injects memories. Safe for use by any number of threads.

    Scope `global` lives in the `user` store, `personal` and `project` in the `workspace` store. `clock` gives epoch
    milliseconds, `new_id` a time-ordered id for a time. Every method may raise StoreUnavailable.
    """

    def __init__(
        self,
        workspace: MemoryStore,
        user: MemoryStore,
        clock: Callable[[], int],
        new_id: Callable[[int], str],
    ) -> None:
        self._workspace = workspace
        self._user = user
        self._clock = clock
        self._new_id = new_id
        self._catalogue = Catalogue((workspace, user))
        weights = Weights(self._catalogue)
        self._searcher = Searcher(self._catalogue, weights)
        self._injector = Injector(self._catalogue, weights, workspace)
        self.upkeep = Upkeep(self._catalogue, workspace, user)

    def warm(self) -> None:
        """Load what the first request would have to wait for."""
        with self._catalogue.current():
            pass
        self.save()

    def save(self) -> None:
        """Keep what makes the next start quick, if enough has changed. Called in the background and at the end."""
        self._catalogue.save()

    def counts(self) -> dict[str, int]:
        """Memories that are not archived, by scope; every scope is named."""
        workspace, user = self._workspace.count(), self._user.count()
        return {
            "personal": workspace.get("personal", 0),
            "project": workspace.get("project", 0),
            "global": user.get("global", 0),
        }

    def record(self, draft: Draft) -> Recorded:
        """Store one memory; see `recording.merge` for what happens when its key exists. Raises InvalidField."""
        now = self._clock()
        prepared, redactions = recording.prepare(draft, now, self._new_id)
        home = self._user if prepared.scope == "global" else self._workspace
        self._lift_elsewhere(prepared, home)
        status, record = recording.store(prepared, home, now)
        use = Use() if status == "created" else _use(home, record.id)
        similar = self._similar(record, prepared.content, now)
        return Recorded(status, record, similar, redactions, use.times, use.last)

    def learn(self, draft: Draft) -> Recorded | None:
        """`record` for what nobody asked to be recorded, such as a lesson or an import: None when it was forgotten.

        Forgotten is what was deleted, edited away, or archived by a person or agent, unless the draft adds something to
        an archived memory; see `forgetting.refused`. Raises InvalidField.
        """
        now = self._clock()
        prepared, redactions = recording.prepare(draft, now, self._new_id)
        home = self._user if prepared.scope == "global" else self._workspace
        known = forgetting.print_of(prepared)
        if any(forgetting.matching(each.tombstones(), known) for each in self._catalogue.stores):
            return None
        if self._put_away(prepared, now):
            return None
        stored = recording.store_learned(prepared, home, now)
        if stored is None:
            return None
        status, record = stored
        use = Use() if status == "created" else _use(home, record.id)
        similar = self._similar(record, prepared.content, now)
        return Recorded(status, record, similar, redactions, use.times, use.last)

    def search(self, query: str, filters: Filters, limit: int = 10, cursor: str | None = None) -> Page[Found]:
        """Memories that match, best first. Raises InvalidField for a cursor of another query."""
        return self._searcher.search(query, filters, _positive(limit), cursor, self._clock())

    def list(self, filters: Filters, limit: int = 50, cursor: str | None = None) -> Page[Found]:
        """Memories that pass the filters, newest update first. Raises InvalidField like `search`."""
        return self._searcher.list(filters, _positive(limit), cursor, self._clock())

    def inject(self, request: InjectRequest, briefings: Sequence[Briefing] = ()) -> Injection:
        """The block to put in front of an agent. Raises InvalidField."""
        return self._injector.inject(request, briefings, self._clock())

    def get(self, id: str) -> Found:
        """One memory, whatever its status. Raises MemoryNotFound."""
        home = self._home(id)
        record = home.get(id)
        if record is None:
            raise lifecycle.not_found(id, home.history(id))
        use = _use(home, id)
        return Found(record, use.times, accessed_at=use.last)

    def update(self, id: str, changes: Mapping[str, object], expected_version: int | None = None) -> Updated:
        """Change some fields, by the names of `MemoryRecord`. Raises MemoryNotFound, VersionConflict, InvalidField."""
        now = self._clock()
        checked, redactions = lifecycle.change_fields(changes, now)
        home = self._home(id)
        updated = self._updated(home, *lifecycle.update(home, id, checked, expected_version, now))
        return replace(updated, redactions=redactions)

    def archive(self, id: str) -> Updated:
        """Hide a memory. Raises MemoryNotFound."""
        home = self._home(id)
        return self._updated(home, *lifecycle.archive(home, id, self._clock()))

    def restore(self, id: str) -> Updated:
        """Bring an archived memory back. Raises MemoryNotFound."""
        home = self._home(id)
        return self._updated(home, *lifecycle.restore(home, id, self._clock()))

    def resolve(self, id: str) -> Updated:
        """Say that a blocker blocks no more. Raises MemoryNotFound, InvalidField."""
        home = self._home(id)
        return self._updated(home, *lifecycle.resolve(home, id, self._clock()))

    def reopen(self, id: str) -> Updated:
        """Say that a resolved blocker blocks again. Raises MemoryNotFound, InvalidField."""
        home = self._home(id)
        return self._updated(home, *lifecycle.reopen(home, id, self._clock()))

    def promote(self, id: str, scope: str | None = None) -> Promotion:
        """Give a memory a wider scope, the next one when `scope` is None. Raises MemoryNotFound, InvalidField."""
        return promote(self._workspace, self._user, id, scope, self._clock(), self._new_id)

    def delete(self, id: str, purge: bool = False) -> bool:
        """Forget a memory; whether `undo` can bring it back. Raises MemoryNotFound."""
        return lifecycle.delete(self._home(id), id, purge, self._clock())

    def history(self, id: str) -> Sequence[VersionRecord]:
        """Its versions, newest first, of a deleted one too. Raises MemoryNotFound."""
        versions = self._home(id).history(id)
        if not versions:
            raise lifecycle.not_found(id, versions)
        return versions

    def undo(self, id: str) -> Updated:
        """Take back the last change still in force, a deletion too. Raises MemoryNotFound, InvalidField."""
        home = self._home(id)
        return self._updated(home, lifecycle.undo(home, id, self._clock()), True)

    def _home(self, id: str) -> MemoryStore:
        """The store that holds the memory or its history; the workspace's when neither does."""
        for home in (self._workspace, self._user):
            if home.get(id) is not None:
                return home
        return self._user if self._user.history(id) else self._workspace

    def _lift_elsewhere(self, record: MemoryRecord, home: MemoryStore) -> None:
        """Forget in the other stores that this was deleted; `recording.store` does so in its own."""
        known = forgetting.print_of(record)
        for other in self._catalogue.stores:
            if other is not home and forgetting.matching(other.tombstones(), known):
                with other.transaction() as transaction:
                    recording.lift(transaction, record)

    def _put_away(self, record: MemoryRecord, now: int) -> bool:
        """Whether a memory of another name that was archived on purpose says the same."""
        with self._catalogue.current() as catalogue:
            hidden = catalogue.select(Filters(agent=ANY_AGENT, status=("archived",)), now)
            near = catalogue.index.similarity(record.content, SIMILAR_MOST, hidden.ids.__contains__)
            records = fetch(catalogue, [id for id, _ in near])
        return any(
            forgetting.put_away(kept) and forgetting.near_equal(kept.content, record.content)
            for kept in records.values()
            if kept.scope == record.scope and kept.agent == record.agent
        )

    def _similar(self, record: MemoryRecord, text: str, now: int) -> tuple[Similar, ...]:
        """Memories of the same scope that the same readers see and that say nearly the same."""
        with self._catalogue.current() as catalogue:
            visible = catalogue.select(Filters(scopes=(record.scope,), agent=record.agent), now)
            near = catalogue.index.similarity(
                text, SIMILAR_MOST, lambda id: id in visible.ids and id != record.id
            )
            found = [(id, score) for id, score in near if score >= SIMILAR_FLOOR]
            home = self._user if record.scope == "global" else self._workspace
            records = home.get_many([id for id, _ in found])
        return tuple(Similar(id, records[id].name, round(score, 4)) for id, score in found if id in records)

    def _updated(self, home: MemoryStore, record: MemoryRecord, changed: bool) -> Updated:
        use = _use(home, record.id)
        return Updated(record, changed=changed, accesses=use.times, accessed_at=use.last)


def _use(home: MemoryStore, id: str) -> Use:
    return home.uses([id]).get(id, Use())


def _positive(limit: int) -> int:
    if limit < 1:
        raise InvalidField("A page holds at least one memory.", path="$.limit")
    return limit
