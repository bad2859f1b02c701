"""A book over two real stores on disk, with a clock that the test moves."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from typing import TypedDict, Unpack

import pytest
from msgspec.structs import replace

from sidecar.memories.book import MemoryBook
from sidecar.memories.drafts import Briefing, Draft, Format, InjectRequest
from sidecar.memories.results import Injection, RecordedMemory
from sidecar.store.memory_store import MemoryStore
from sidecar.store.records import MemoryRecord
from tests.clock import Clock
from tests.memory_fields import DraftFields, StoredFields

START = 1_767_225_600_000  # 2026-01-01T00:00:00Z


class InjectFields(TypedDict, total=False):
    prompt: str | None
    files: tuple[str, ...]
    agent: str | None
    session_id: str | None
    budget_tokens: int
    format: Format
    exclude_shown: bool
    brief: bool


def ids_of(injection: Injection) -> list[str]:
    """Return the ids of the memories in a block, in their order."""
    return [item.id for item in injection.items if item.id is not None]


@dataclass
class BookRig:
    """A workspace and a user store, and a book over them. `reopen` makes a second book, as another process would."""

    folder: Path
    clock: Clock
    workspace: MemoryStore
    user: MemoryStore
    book: MemoryBook
    ids: Callable[[int], str]
    opened: list[MemoryStore] = field(default_factory=list)

    def record(self, content: str, **fields: Unpack[DraftFields]) -> RecordedMemory:
        return self.book.recorder.record(Draft(content=content, **fields))

    def inject(self, *briefings: Briefing, **fields: Unpack[InjectFields]) -> Injection:
        request = InjectRequest(**fields)
        self.book.injector.check(request)
        return self.book.injector.inject(request, briefings)

    def put(self, record: MemoryRecord, **changes: Unpack[StoredFields]) -> MemoryRecord:
        """Store a next version of a memory behind the book's back."""
        changed = replace(record, version=record.version + 1, **changes)
        with self.workspace.transaction() as transaction:
            transaction.put(changed, "updated", self.clock.now)
        return changed

    def record_one_of_each_section(self) -> None:
        self.record("Never push to main", name="push", category="directive")
        self.record("Check the error codes twice", name="codes", agent="reviewer")
        self.record("The parser lives in src/parse.py", name="parser", files=("src/parse.py",))
        self.record("Prefers short answers", name="short", type="user")
        self.record("Run pytest with -q", name="quiet", type="feedback")
        self.record("The wiki explains the release", name="wiki", type="reference")
        self.record("Waiting for the licence", name="licence", category="blocker")

    def reopen(self) -> MemoryBook:
        workspace = MemoryStore.open(self.folder / "workspace")
        user = MemoryStore.open(self.folder / "user")
        self.opened += [workspace, user]
        return MemoryBook(workspace, user, self.clock, self.ids)

    def close(self) -> None:
        for store in (self.workspace, self.user, *self.opened):
            store.close()


def build(folder: Path) -> BookRig:
    clock = Clock(START + 12 * 3_600_000)
    numbers = count(1)

    def new_id(now: int) -> str:
        return f"{now:012x}-{next(numbers):06d}"

    workspace = MemoryStore.open(folder / "workspace")
    user = MemoryStore.open(folder / "user")
    return BookRig(folder, clock, workspace, user, MemoryBook(workspace, user, clock, new_id), new_id)


@pytest.fixture
def rig(tmp_path: Path) -> Iterator[BookRig]:
    built = build(tmp_path)
    yield built
    built.close()


@pytest.fixture
def new_rig(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[[], BookRig]]:
    """Make any number of rigs, for property tests, which need a fresh one per example."""
    built: list[BookRig] = []

    def make() -> BookRig:
        built.append(build(tmp_path_factory.mktemp("rig")))
        return built[-1]

    yield make
    for rig in built:
        rig.close()
