"""Export what is stored, page by page, as lines (`jsonl.py`)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Final, Literal, TypeVar

from sidecar.interchange import jsonl
from sidecar.interchange.jsonl import Header, Home
from sidecar.runtime.errors import InvalidField
from sidecar.store.candidates import CandidateRecord
from sidecar.store.knowledge_store import KnowledgeStore
from sidecar.store.memory_store import MemoryStore
from sidecar.store.records import Bundle, MemoryRecord, TombstoneRecord
from sidecar.store.reminders import ReminderRecord
from sidecar.store.vocabulary import SCOPES

Lines = tuple[list[list[bytes]], str | None]
"""The next lines of a stage, by record, and the last record's id; None at the end of the stage."""

R = TypeVar("R", ReminderRecord, CandidateRecord, TombstoneRecord)

MAX_PAGE_MEMORIES: Final = 500  # memories at which a page ends
PAGE_BYTES: Final = 4_000_000  # bytes at which a page ends


@dataclass(frozen=True, slots=True)
class ExportPage:
    """Some lines of an export."""

    lines: list[bytes]
    memories: int  # how many of the lines are memories
    cursor: str | None  # where to go on; None at the end


class Export:
    """One export: memories of a workspace and of the user, and the workspace's reminders, facets and candidates.

    Reminders and facets belong to the project scope; a candidate has a scope of its own. With `narrow`, only the
    memories that it accepts are exported, and nothing else.
    """

    def __init__(
        self,
        workspace_store: MemoryStore,
        user_store: MemoryStore,
        knowledge: KnowledgeStore | None,
        contents: Header,
        narrow: Callable[[MemoryRecord], bool] | None = None,
    ) -> None:
        self._narrow = narrow
        self._knowledge = knowledge
        self._stores: dict[Home, MemoryStore] = {"workspace": workspace_store, "user": user_store}
        self._contents = contents
        self._stages: list[Callable[[str], Lines]] = [
            *(partial(self._memories, home) for home in self._stores),
            *(partial(self._tombstones, home) for home in self._stores),
            self._reminders,
            self._facets,
            self._candidates,
        ]

    def page(self, cursor: str | None, step: Callable[[], None]) -> ExportPage:
        """Return the page at the cursor. `step` is called for each record and may raise. Raises InvalidField."""
        stage, count, last = _read_cursor(cursor, len(self._stages))
        lines = [jsonl.header_line(self._contents)] if cursor is None else []
        size = memories = 0
        while stage < len(self._stages) and memories < MAX_PAGE_MEMORIES and size < PAGE_BYTES:
            skip_stage = self._narrow is not None and stage >= len(self._stores)  # the first stages are of memories
            groups, reached = ([], None) if skip_stage else self._stages[stage](last)
            for record_lines in groups:
                step()
                memories += stage < len(self._stores) and bool(record_lines)
                lines += record_lines
                size += sum(map(len, record_lines))
            stage, last = (stage + 1, "") if reached is None else (stage, reached)
        count += len(lines)
        if stage == len(self._stages):
            return ExportPage([*lines, jsonl.end_line(count)], memories, None)
        return ExportPage(lines, memories, f"{stage}.{count}.{last}")

    def _reminders(self, last: str) -> Lines:
        reminders = self._stores["workspace"].reminders.all() if "project" in self._contents.scopes else []
        return _next_page("reminder", "workspace", last, reminders)

    def _facets(self, last: str) -> Lines:
        if self._knowledge is None or "project" not in self._contents.scopes:
            return [], None
        records = self._knowledge.list_facets(last, MAX_PAGE_MEMORIES)
        lines = [[jsonl.record_line("facets", "workspace", record)] for record in records if record.facets]
        return lines, records[-1].hash if records else None

    def _candidates(self, last: str) -> Lines:
        candidates = self._stores["workspace"].candidates.all()
        in_scope = [candidate for candidate in candidates if candidate.scope in self._contents.scopes]
        return _next_page("candidate", "workspace", last, in_scope)

    def _memories(self, home: Home, last: str) -> Lines:
        store = self._stores[home]
        ids = store.ids_after(last, 50, deleted=self._contents.deleted)
        groups = []
        for id in ids:
            bundle = store.bundle(id)
            if bundle is not None and self._is_included(bundle):
                links = [link for link in bundle.links if self._belongs_to(home, id, link.source, link.target)]
                memory_lines = jsonl.memory_lines(home, bundle, history=self._contents.history)
                groups.append([*memory_lines, *(jsonl.link_line(home, id, link) for link in links)])
        return groups, ids[-1] if ids else None

    def _tombstones(self, home: Home, last: str) -> Lines:
        scopes = ("personal", "project") if home == "workspace" else ("global",)
        exported = set(scopes) <= set(self._contents.scopes)
        tombstones = sorted(self._stores[home].tombstones(), key=lambda tombstone: tombstone.id) if exported else []
        return _next_page("tombstone", home, last, tombstones)

    def _is_included(self, bundle: Bundle) -> bool:
        memory = bundle.memory
        if memory is None and self._contents.deleted and self._contents.history:
            memory = next((version.memory for version in reversed(bundle.versions) if version.memory is not None), None)
        if memory is None or memory.scope not in self._contents.scopes:
            return False
        return self._narrow is None or self._narrow(memory)

    def _belongs_to(self, home: Home, id: str, source: str, target: str) -> bool:
        """Return whether a link is exported with this memory: as its source, or as the target of one elsewhere."""
        bundles = (store.bundle(target if id == source else source) for store in self._stores.values())
        if not any(bundle is not None and self._is_included(bundle) for bundle in bundles):
            return False
        return id == source or self._stores[home].bundle(source) is None


def _next_page(
    kind: Literal["tombstone", "reminder", "candidate"], home: Home, last: str, records: Sequence[R]
) -> Lines:
    """Return the lines of the records after the id `last`, up to a page. Records are sorted by id."""
    page = [record for record in records if record.id > last][:MAX_PAGE_MEMORIES]
    return [[jsonl.record_line(kind, home, record)] for record in page], page[-1].id if page else None


def scopes_of(wanted: Sequence[str] | None) -> tuple[str, ...]:
    return SCOPES if wanted is None else tuple(scope for scope in SCOPES if scope in wanted)


def _read_cursor(cursor: str | None, stages: int) -> tuple[int, int, str]:
    if cursor is None:
        return 0, 0, ""
    stage, _, rest = cursor.partition(".")
    count, dot, last = rest.partition(".")
    if not dot or not stage.isdecimal() or not count.isdecimal() or int(stage) >= stages:
        raise InvalidField(
            "This cursor does not belong to an export.", path="$.cursor", hint="Begin again without one."
        )
    return int(stage), int(count), last
