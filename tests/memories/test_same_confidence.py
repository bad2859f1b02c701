"""The same memories give the same probabilities and bytes, whatever their order and after a restart."""

from __future__ import annotations

import random
from collections.abc import Callable

import pytest

from sidecar.memories.book import MemoryBook
from sidecar.memories.drafts import Draft, Filters, InjectRequest
from sidecar.memories.index.meaning import FixedEmbedding
from sidecar.memories.results import Explanation
from sidecar.models.static_table import StaticTable
from sidecar.store.memory_store import MemoryStore
from sidecar.store.records import MemoryRecord
from tests.memories.conftest import BookRig

TEXTS = tuple(
    f"The {part} service of {city} {verb} its {thing} with make {part}-{thing}."
    for part, city in (("billing", "Rome"), ("ledger", "Oslo"), ("audit", "Lima"))
    for verb, thing in (("checks", "schema"), ("ships", "image"), ("rotates", "keys"), ("drains", "queue"))
)
PROMPTS = (
    "how is the image of the ledger service shipped?",
    "which vehicle do we take?",
    "rotate the keys in Lima",
    "run the tests",
    "yes",
)


@pytest.fixture(scope="module")
def table() -> StaticTable:
    return StaticTable.load()


def book_of(rig: BookRig, table: StaticTable | None) -> MemoryBook:
    return MemoryBook(rig.workspace, rig.user, rig.clock, rig.ids, embedding=FixedEmbedding(table))


def measured(book: MemoryBook, ids: list[str]) -> dict[tuple[str, str], Explanation]:
    return {(id, prompt): book.searcher.explain(id, prompt, None, None) for id in ids for prompt in PROMPTS}


def put(rig: BookRig, records: list[MemoryRecord]) -> None:
    for record in records:
        with rig.workspace.transaction() as transaction:
            transaction.put(record, "created", record.created_at)


def recorded(rig: BookRig) -> list[MemoryRecord]:
    found = []
    for text in TEXTS:
        found.append(rig.record(text).record)
        rig.clock.forward(days=1)
    return found


@pytest.mark.parametrize("by_meaning", [False, True])
def test_the_order_in_which_memories_came_does_not_matter(
    new_rig: Callable[[], BookRig], table: StaticTable, by_meaning: bool
) -> None:
    model = table if by_meaning else None
    first = new_rig()
    records = recorded(first)
    ids = [record.id for record in records]
    expected = measured(book_of(first, model), ids)
    assert len({one.probability for one in expected.values()}) > len(ids)
    requests = [InjectRequest(prompt=prompt) for prompt in PROMPTS]
    blocks = [book_of(first, model).injector.inject(request) for request in requests]
    for seed in range(3):
        other = new_rig()
        other.clock.now = first.clock.now
        shuffled = random.Random(seed).sample(records, len(records))
        book = book_of(other, model)
        book.injector.inject(requests[0])  # read while empty: each is taken in as it comes
        for record in shuffled:
            put(other, [record])
            if seed:
                book.searcher.search(PROMPTS[0], Filters())
        assert measured(book, ids) == expected
        assert [book.injector.inject(request) for request in requests] == blocks


@pytest.mark.parametrize("by_meaning", [False, True])
def test_deleted_memories_do_not_change_confidence(
    new_rig: Callable[[], BookRig], table: StaticTable, by_meaning: bool
) -> None:
    model = table if by_meaning else None
    rig = new_rig()
    book = book_of(rig, model)
    ids, gone = [], []
    for at, text in enumerate(TEXTS):
        ids.append(book.recorder.record(Draft(content=text)).record.id)
        rig.clock.forward(days=1)
        gone.append(
            book.recorder.record(Draft(content=f"Passing remark {at} on ships, queues and {at} keys")).record.id
        )
        rig.clock.forward(days=1)
    book.searcher.search(PROMPTS[0], Filters())
    for id in random.Random(1).sample(gone, len(gone)):
        book.editing.delete(id, purge=True)
        book.searcher.search(PROMPTS[0], Filters())
    fresh = book_of(rig, model)
    assert measured(book, ids) == measured(fresh, ids)
    for prompt in PROMPTS:
        assert book.injector.inject(InjectRequest(prompt=prompt)) == fresh.injector.inject(InjectRequest(prompt=prompt))


def test_a_restart_gives_a_session_the_same_blocks(new_rig: Callable[[], BookRig], table: StaticTable) -> None:
    rig = new_rig()
    recorded(rig)
    book = book_of(rig, table)
    for prompt in (PROMPTS[0], "yes, do it"):
        request = InjectRequest(prompt=prompt, session_id="s")
        first = book.injector.inject(request)
        assert first.text
        assert book_of(rig, table).injector.inject(request) == first
        workspace, user = (MemoryStore.open(rig.folder / name) for name in ("workspace", "user"))
        rig.opened += [workspace, user]
        again = MemoryBook(workspace, user, rig.clock, rig.ids, embedding=FixedEmbedding(table))
        assert again.injector.inject(request) == first
