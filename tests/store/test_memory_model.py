"""The memory store against a plain dict, in random sequences of operations."""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from sidecar.store.memory_store import MemoryKey, MemoryStore
from sidecar.store.records import MemoryRecord, VersionRecord

IDS = st.sampled_from(["a", "b", "b:", "c"])
NAMES = st.sampled_from(["one", "two", "three"])
AGENTS = st.sampled_from([None, "", "x"])
STATUSES = st.sampled_from(["active", "archived", "suspect"])


class Broken(Exception):
    """Raised inside a transaction to have it rolled back."""


class StoreAgainstDict(RuleBasedStateMachine):
    def __init__(self) -> None:
        super().__init__()
        self.directory = Path(tempfile.mkdtemp())
        self.store = MemoryStore.open(self.directory)
        self.records: dict[str, MemoryRecord] = {}
        self.names: dict[MemoryKey, str] = {}
        self.versions: dict[str, list[VersionRecord]] = {}
        self.log: list[str] = []
        self.clock = 0

    def key(self, record: MemoryRecord) -> MemoryKey:
        return MemoryKey(record.scope, record.type, record.agent, record.name)

    def free(self, id: str) -> None:
        if id in self.records and self.names.get(self.key(self.records[id])) == id:
            del self.names[self.key(self.records[id])]

    @rule(id=IDS, name=NAMES, agent=AGENTS, status=STATUSES, fail=st.booleans())
    def put(self, id: str, name: str, agent: str | None, status: str, fail: bool) -> None:
        self.clock += 1
        record = MemoryRecord(
            id=id,
            scope="project",
            type="project",
            name=name,
            agent=agent,
            status=status,
            content=f"text {self.clock}",
            source="agent",
            created_at=1,
            updated_at=self.clock,
            version=max((each.version for each in self.versions.get(id, [])), default=0) + 1,
        )
        try:
            with self.store.transaction() as change:
                change.put(record, "updated", self.clock)
                assert change.get(id) == change.find(self.key(record)) == record
                if fail:
                    raise Broken
        except Broken:
            return
        self.free(id)
        self.records[id] = record
        self.names[self.key(record)] = id
        made = VersionRecord(version=record.version, change="updated", at=self.clock, memory=record)
        self.versions.setdefault(id, []).append(made)
        self.log.append(id)

    @precondition(lambda self: self.records)
    @rule(data=st.data(), name=NAMES)
    def rename(self, data: st.DataObject, name: str) -> None:
        record = self.records[data.draw(st.sampled_from(sorted(self.records)))]
        self.put(record.id, name, record.agent, record.status, False)

    @rule(id=IDS, purge=st.booleans())
    def delete(self, id: str, purge: bool) -> None:
        self.clock += 1
        with self.store.transaction() as change:
            change.delete(id, self.clock, purge)
        known = id in self.records
        self.free(id)
        self.records.pop(id, None)
        if purge:
            if known or self.versions.get(id):
                self.log.append(id)
            self.versions.pop(id, None)
        elif known:
            version = self.versions[id][-1].version + 1
            self.versions[id].append(VersionRecord(version=version, change="deleted", at=self.clock))
            self.log.append(id)

    @rule()
    def reopen(self) -> None:
        self.store.close()
        self.store = MemoryStore.open(self.directory)
        assert self.store.repair_message is None

    @rule(since=st.integers(0, 30))
    def changes(self, since: int) -> None:
        found = self.store.changes(since)
        assert found.seq == len(self.log)
        expected = tuple(dict.fromkeys(self.log[since:])) if since <= len(self.log) else None
        assert found.ids == expected

    @invariant()
    def agrees(self) -> None:
        assert self.store.seq() == len(self.log)
        assert {record.id: record for record in self.store.all()} == self.records
        assert self.store.get_many(["a", "b", "b:", "c"]) == self.records
        for name in ("one", "two", "three"):
            for agent in (None, "", "x"):
                key = MemoryKey("project", "project", agent, name)
                owner = self.names.get(key)
                assert self.store.find(key) == (None if owner is None else self.records[owner])
        for id in ("a", "b", "b:", "c"):
            assert self.store.get(id) == self.records.get(id)
            assert self.store.history(id) == self.versions.get(id, [])[::-1]
        counted = sum(record.status != "archived" for record in self.records.values())
        assert sum(self.store.count().values()) == counted

    def teardown(self) -> None:
        self.store.close()
        shutil.rmtree(self.directory)


TestStoreAgainstDict = StoreAgainstDict.TestCase
TestStoreAgainstDict.settings = settings(
    max_examples=25, stateful_step_count=25, deadline=None, suppress_health_check=list(HealthCheck)
)
