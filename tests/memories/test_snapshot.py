"""The snapshot of the index that a store keeps: quick starts, and never an answer that differs for it."""

from __future__ import annotations

import logging
import random
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from sidecar.memories.book import MemoryBook
from sidecar.memories.drafts import Draft, Filters, InjectRequest
from sidecar.memories.index import followed_store, memory_index
from sidecar.memories.index.catalogue import Catalogue
from sidecar.store.lexical import LexicalIndex
from tests.memories.conftest import BookRig

WORDS = "cache retry socket parser token branch deploy schema index worker queue signal".split()


@pytest.fixture(autouse=True)
def always_worth_saving(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(followed_store, "SAVED_AFTER_DOCUMENTS", 1)


@pytest.fixture
def analysed(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Ids of the documents whose text was analysed."""
    found: list[str] = []
    add = LexicalIndex.add

    def noted(self: LexicalIndex, id: str, fields: Any) -> bool:
        needed = add(self, id, fields)
        if needed:
            found.append(id)
        return needed

    monkeypatch.setattr(LexicalIndex, "add", noted)
    return found


def fill(rig: BookRig, count: int = 30, seed: int = 1) -> None:
    chance = random.Random(seed)
    for number in range(count):
        text = " ".join(chance.choices(WORDS, k=8))
        rig.record(f"{text} {number}", name=f"n{seed} {number}", scope=chance.choice(["project", "global"]))


def answers(book: MemoryBook) -> list[object]:
    asked = ["retry cache", "deploy the worker queue", "nothing alike", " ".join(WORDS)]
    injected = [book.injector.inject(InjectRequest(prompt=prompt)) for prompt in asked]
    return [*injected, *(book.searcher.search(query, Filters(), 20) for query in asked)]


def snapshots(rig: BookRig) -> list[Path]:
    return sorted(rig.folder.rglob("index.derived"))


def test_the_next_start_analyses_nothing_and_answers_the_same(rig: BookRig, analysed: list[str]) -> None:
    fill(rig)
    wanted = answers(rig.book)
    rig.book.catalogue.save()
    assert len(snapshots(rig)) == 2
    analysed.clear()
    assert answers(rig.reopen()) == wanted
    assert analysed == []


def test_store_closed_meanwhile_gives_no_warning(rig: BookRig, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO)
    fill(rig)
    answers(rig.book)
    rig.workspace.close()
    rig.user.close()
    rig.book.catalogue.save()
    assert {record.levelname for record in caplog.records if "snapshot of the index" in record.message} == {"INFO"}


def test_loaded_rows_are_kept_though_a_request_comes_first(rig: BookRig, monkeypatch: pytest.MonkeyPatch) -> None:
    fill(rig)
    book, held = rig.reopen(), threading.Event()
    save = Catalogue.save

    def ask(over: threading.Event) -> None:
        with book.catalogue.current():
            held.set()
            over.wait(0.5)

    def save_after_a_request(self: Catalogue, *, between_requests: bool) -> None:
        asking = threading.Thread(target=ask, args=(threading.Event(),))
        asking.start()
        assert held.wait(30)
        save(self, between_requests=between_requests)
        asking.join()

    monkeypatch.setattr(Catalogue, "save", save_after_a_request)
    book.catalogue.load()
    assert len(snapshots(rig)) == 2


def test_only_changed_rows_are_analysed(rig: BookRig, analysed: list[str]) -> None:
    fill(rig)
    rig.book.catalogue.save()
    kept = rig.book.searcher.list(Filters(), 40).items
    changed = rig.book.editing.update(kept[0].record.id, {"content": "platypus"}).record.id
    rig.book.editing.delete(kept[1].record.id)
    rig.book.editing.archive(kept[2].record.id)
    new = rig.record("platypus again", name="new").record.id
    wanted = [*answers(rig.book), rig.book.searcher.search("platypus", Filters())]
    analysed.clear()
    book = rig.reopen()
    assert [*answers(book), book.searcher.search("platypus", Filters())] == wanted
    assert sorted(analysed) == sorted([changed, new])


@pytest.mark.parametrize("seed", range(8))
def test_any_history_answers_the_same_with_and_without_snapshots(rig: BookRig, seed: int) -> None:
    chance = random.Random(seed)
    fill(rig, 10, seed)
    for step in range(40):
        ids = [found.record.id for found in rig.book.searcher.list(Filters(), 60).items]
        match chance.randrange(7):
            case 0 | 1:
                fill(rig, 2, 100 * seed + step)
            case 2 if ids:
                rig.book.editing.update(chance.choice(ids), {"content": " ".join(chance.choices(WORDS, k=5))})
            case 3 if ids:
                rig.book.editing.delete(chance.choice(ids), purge=chance.random() < 0.5)
            case 4 if ids:
                rig.book.editing.archive(chance.choice(ids))
            case 5:
                rig.book.catalogue.save()
            case 6:
                rig.book = rig.reopen()
        rig.clock.forward(ms=chance.randrange(3_000_000))
    wanted = answers(rig.book)
    assert answers(rig.reopen()) == wanted
    for place in snapshots(rig):
        place.unlink()
    assert answers(rig.reopen()) == wanted


def test_a_foreign_or_damaged_snapshot_changes_nothing(rig: BookRig, new_rig: Callable[[], BookRig]) -> None:
    fill(rig)
    wanted = answers(rig.book)
    rig.book.catalogue.save()
    other = new_rig()
    fill(other, 30, 2)
    other.book.catalogue.save()
    for mine, foreign in zip(snapshots(rig), snapshots(other), strict=True):
        mine.write_bytes(foreign.read_bytes())
    assert answers(rig.reopen()) == wanted
    for value in (b"nonsense", LexicalIndex().dump()[:-1], b"\xc1"):
        for home in (rig.workspace, rig.user):
            assert home.derived.put("index", value, home.derived.purge_state())
        assert answers(rig.reopen()) == wanted


def test_a_snapshot_of_other_weights_is_analysed_again(
    rig: BookRig, analysed: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    fill(rig, 5)
    rig.book.catalogue.save()
    analysed.clear()
    monkeypatch.setattr(memory_index, "NAME_WEIGHT", 3.0)
    rig.reopen().catalogue.load()
    assert len(analysed) == 5


def test_a_store_put_back_from_a_copy_is_not_taken_for_the_newer_one(rig: BookRig) -> None:
    """Replace the database file alone by an earlier one, which then reaches the same seq another way."""
    fill(rig, 3)
    id = rig.record("apple", name="fruit", scope="project").record.id
    rig.workspace.close()
    database = rig.folder / "workspace" / "memories" / "cache.db"
    earlier = database.read_bytes()
    book = rig.reopen()
    book.editing.update(id, {"content": "banana"})
    book.catalogue.save()
    for store in rig.opened:
        store.close()
    database.write_bytes(earlier)
    book = rig.reopen()
    book.editing.update(id, {"content": "cherry"})
    book = rig.reopen()
    assert [found.record.id for found in book.searcher.search("cherry", Filters()).items] == [id]
    assert book.searcher.search("banana", Filters()).items == ()


def test_a_salvaged_store_is_analysed_from_what_was_salvaged(rig: BookRig) -> None:
    fill(rig)
    rig.book.catalogue.save()
    rig.workspace.close()
    database = rig.folder / "workspace" / "memories" / "cache.db"
    data = bytearray(database.read_bytes())
    at = data.index(b"parser")
    data[at : at + 6] = b"xxxxxx"
    database.write_bytes(data)
    book = rig.reopen()
    with_snapshot = answers(book)
    assert rig.opened[0].repair_message is not None
    book.catalogue.save()
    found = answers(rig.reopen())
    for place in snapshots(rig):
        place.unlink()
    assert found == with_snapshot == answers(rig.reopen())


@pytest.mark.parametrize("deleted_before", [False, True])
@pytest.mark.parametrize("scope", ["project", "global"])
def test_a_purged_word_is_in_no_file(rig: BookRig, scope: str, deleted_before: bool) -> None:
    fill(rig)
    id = rig.record("platypus", name="animal", scope=scope).record.id
    rig.book.catalogue.save()
    if deleted_before:
        rig.book.editing.delete(id)
    other = rig.reopen()
    other.searcher.list(Filters())
    assert any(b"platypus" in place.read_bytes() for place in snapshots(rig))
    rig.book.editing.delete(id, purge=True)
    assert not any(b"platypus" in place.read_bytes() for place in snapshots(rig))
    for book in (rig.book, other):
        book.catalogue.save()
    rig.close()
    assert len(snapshots(rig)) == 2
    for place in rig.folder.rglob("*"):
        assert not place.is_file() or b"platypus" not in place.read_bytes(), place


def test_nothing_is_written_for_a_few_documents(rig: BookRig, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(followed_store, "SAVED_AFTER_DOCUMENTS", 20)
    for number in range(19):
        rig.record(f"line {number}", name=f"n{number}", scope="project")
    rig.book.catalogue.load()
    assert snapshots(rig) == []
    rig.record("line 20", name="n20", scope="project")
    rig.book.catalogue.save()
    (place,) = snapshots(rig)
    written = place.stat().st_mtime_ns
    for number in range(5):
        rig.record(f"later {number}", name=f"l{number}", scope="project")
    rig.book.catalogue.save()
    assert place.stat().st_mtime_ns == written
    place.unlink()
    rig.book.catalogue.save()
    assert snapshots(rig) == [place]


def test_saving_does_nothing_before_loading_or_when_the_store_is_closed(rig: BookRig) -> None:
    fill(rig, 3)
    rig.reopen().catalogue.save()
    assert snapshots(rig) == []
    rig.close()
    rig.book.catalogue.save()
    assert snapshots(rig) == []


def test_saving_while_others_record_keeps_what_was_known(rig: BookRig) -> None:
    fill(rig, 5)
    dump = LexicalIndex.dump

    def record_meanwhile(self: LexicalIndex, ids: Any = None) -> bytes:
        blob = dump(self, ids)
        rig.workspace.record_access(["x"], 1)
        rig.book.recorder.record(Draft(content="platypus", name=f"at {len(self)}"))
        return blob

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(LexicalIndex, "dump", record_meanwhile)
        rig.book.catalogue.save()
    assert (rig.folder / "workspace" / "memories" / "index.derived").exists()
    wanted = answers(rig.book)
    assert rig.book.searcher.search("platypus", Filters()).items
    assert answers(rig.reopen()) == wanted
    assert rig.reopen().searcher.search("platypus", Filters()).items


def test_no_snapshot_is_kept_that_a_purge_overtook(rig: BookRig) -> None:
    fill(rig, 5)
    secret = rig.record("ornithorhynchus").record
    dump = LexicalIndex.dump

    def purge_meanwhile(self: LexicalIndex, ids: Any = None) -> bytes:
        blob = dump(self, ids)
        if rig.workspace.get(secret.id) is not None:
            rig.book.editing.delete(secret.id, purge=True)
        return blob

    place = rig.folder / "workspace" / "memories" / "index.derived"
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(LexicalIndex, "dump", purge_meanwhile)
        rig.book.catalogue.save()
    assert not place.exists()
    rig.book.catalogue.save()
    assert place.exists()
    assert b"ornithorhynchus" not in place.read_bytes()
