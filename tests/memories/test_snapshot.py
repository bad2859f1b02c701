"""The snapshot of the index that a store keeps: quick starts, and never an answer that differs for it."""

from __future__ import annotations

import logging
import random
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from sidecar.memories import catalogue, catalogue_snapshot, indexed_text
from sidecar.memories.book import MemoryBook
from sidecar.memories.catalogue import Catalogue
from sidecar.memories.drafts import Draft, Filters, InjectRequest
from sidecar.store.lexical import LexicalIndex
from sidecar.store.memory_store import MemoryStore
from tests.memories.conftest import BookFixture

WORDS = "cache retry socket parser token branch deploy schema index worker queue signal".split()


@pytest.fixture(autouse=True)
def always_worth_saving(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(catalogue, "_BEHIND", 1)


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


def fill(house: BookFixture, count: int = 30, seed: int = 1) -> None:
    chance = random.Random(seed)
    for number in range(count):
        text = " ".join(chance.choices(WORDS, k=8))
        house.record(f"{text} {number}", name=f"n{seed} {number}", scope=chance.choice(["project", "global"]))


def answers(book: MemoryBook) -> list[object]:
    asked = ["retry cache", "deploy the worker queue", "nothing alike", " ".join(WORDS)]
    injected = [book.inject(InjectRequest(prompt=prompt)) for prompt in asked]
    return [*injected, *(book.search(query, Filters(), 20) for query in asked)]


def snapshots(house: BookFixture) -> list[Path]:
    return sorted(house.folder.rglob("index.derived"))


def test_the_next_start_analyses_nothing_and_answers_the_same(house: BookFixture, analysed: list[str]) -> None:
    fill(house)
    wanted = answers(house.book)
    house.book.save()
    assert len(snapshots(house)) == 2
    analysed.clear()
    assert answers(house.reopen()) == wanted
    assert analysed == []


def test_store_closed_meanwhile_gives_no_warning(house: BookFixture, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO)
    fill(house)
    answers(house.book)
    house.workspace.close()
    house.user.close()
    house.book.save()
    assert {record.levelname for record in caplog.records if "No snapshot" in record.message} == {"INFO"}


def test_loaded_rows_are_kept_though_a_request_comes_first(house: BookFixture, monkeypatch: pytest.MonkeyPatch) -> None:
    fill(house)
    book, held = house.reopen(), threading.Event()
    save = catalogue.Catalogue.save

    def ask(over: threading.Event) -> None:
        with book._catalogue.current():
            held.set()
            over.wait(0.5)

    def save_after_a_request(self: catalogue.Catalogue, *patience: float) -> None:
        asking = threading.Thread(target=ask, args=(threading.Event(),))
        asking.start()
        assert held.wait(30)
        save(self, *patience)
        asking.join()

    monkeypatch.setattr(catalogue.Catalogue, "save", save_after_a_request)
    book.warm()
    assert len(snapshots(house)) == 2


def test_only_changed_rows_are_analysed(house: BookFixture, analysed: list[str]) -> None:
    fill(house)
    house.book.save()
    kept = house.book.list(Filters(), 40).items
    changed = house.book.update(kept[0].record.id, {"content": "platypus"}).record.id
    house.book.delete(kept[1].record.id)
    house.book.archive(kept[2].record.id)
    new = house.record("platypus again", name="new").record.id
    wanted = [*answers(house.book), house.book.search("platypus", Filters())]
    analysed.clear()
    book = house.reopen()
    assert [*answers(book), book.search("platypus", Filters())] == wanted
    assert sorted(analysed) == sorted([changed, new])


@pytest.mark.parametrize("seed", range(8))
def test_any_history_answers_the_same_with_and_without_snapshots(house: BookFixture, seed: int) -> None:
    chance = random.Random(seed)
    fill(house, 10, seed)
    for step in range(40):
        ids = [found.record.id for found in house.book.list(Filters(), 60).items]
        match chance.randrange(7):
            case 0 | 1:
                fill(house, 2, 100 * seed + step)
            case 2 if ids:
                house.book.update(chance.choice(ids), {"content": " ".join(chance.choices(WORDS, k=5))})
            case 3 if ids:
                house.book.delete(chance.choice(ids), purge=chance.random() < 0.5)
            case 4 if ids:
                house.book.archive(chance.choice(ids))
            case 5:
                house.book.save()
            case 6:
                house.book = house.reopen()
        house.clock.forward(ms=chance.randrange(3_000_000))
    wanted = answers(house.book)
    assert answers(house.reopen()) == wanted
    for place in snapshots(house):
        place.unlink()
    assert answers(house.reopen()) == wanted


def test_a_foreign_or_damaged_snapshot_changes_nothing(
    house: BookFixture, new_house: Callable[[], BookFixture]
) -> None:
    fill(house)
    wanted = answers(house.book)
    house.book.save()
    other = new_house()
    fill(other, 30, 2)
    other.book.save()
    for mine, foreign in zip(snapshots(house), snapshots(other), strict=True):
        mine.write_bytes(foreign.read_bytes())
    assert answers(house.reopen()) == wanted
    for value in (b"nonsense", LexicalIndex().dump()[:-1], b"\xc1"):
        for home in (house.workspace, house.user):
            assert home.put_derived("index", value, home.seq())
        assert answers(house.reopen()) == wanted


def test_a_snapshot_of_other_weights_is_analysed_again(
    house: BookFixture, analysed: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    fill(house, 5)
    house.book.save()
    analysed.clear()
    monkeypatch.setattr(indexed_text, "NAME_WEIGHT", 3.0)
    house.reopen().warm()
    assert len(analysed) == 5


def test_a_store_put_back_from_a_copy_is_not_taken_for_the_newer_one(house: BookFixture) -> None:
    """Replace the database file alone by an earlier one, which then reaches the same seq another way."""
    fill(house, 3)
    id = house.record("apple", name="fruit", scope="project").record.id
    house.workspace.close()
    database = house.folder / "workspace" / "memories" / "cache.db"
    earlier = database.read_bytes()
    book = house.reopen()
    book.update(id, {"content": "banana"})
    book.save()
    for store in house.opened:
        store.close()
    database.write_bytes(earlier)
    book = house.reopen()
    book.update(id, {"content": "cherry"})
    book = house.reopen()
    assert [found.record.id for found in book.search("cherry", Filters()).items] == [id]
    assert book.search("banana", Filters()).items == ()


def test_a_salvaged_store_is_analysed_from_what_was_salvaged(house: BookFixture) -> None:
    fill(house)
    house.book.save()
    house.workspace.close()
    database = house.folder / "workspace" / "memories" / "cache.db"
    data = bytearray(database.read_bytes())
    at = data.index(b"parser")
    data[at : at + 6] = b"xxxxxx"
    database.write_bytes(data)
    book = house.reopen()
    with_snapshot = answers(book)
    assert house.opened[0].notice is not None
    book.save()
    found = answers(house.reopen())
    for place in snapshots(house):
        place.unlink()
    assert found == with_snapshot == answers(house.reopen())


@pytest.mark.parametrize("deleted_before", [False, True])
@pytest.mark.parametrize("scope", ["project", "global"])
def test_a_purged_word_is_in_no_file(house: BookFixture, scope: str, deleted_before: bool) -> None:
    fill(house)
    id = house.record("platypus", name="animal", scope=scope).record.id
    house.book.save()
    if deleted_before:
        house.book.delete(id)
    other = house.reopen()
    other.list(Filters())
    assert any(b"platypus" in place.read_bytes() for place in snapshots(house))
    house.book.delete(id, purge=True)
    assert not any(b"platypus" in place.read_bytes() for place in snapshots(house))
    for book in (house.book, other):
        book.save()
    house.close()
    assert len(snapshots(house)) == 2
    for place in house.folder.rglob("*"):
        assert not place.is_file() or b"platypus" not in place.read_bytes(), place


def test_nothing_is_written_for_a_few_documents(house: BookFixture, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(catalogue, "_BEHIND", 20)
    for number in range(19):
        house.record(f"line {number}", name=f"n{number}", scope="project")
    house.book.warm()
    assert snapshots(house) == []
    house.record("line 20", name="n20", scope="project")
    house.book.save()
    (place,) = snapshots(house)
    written = place.stat().st_mtime_ns
    for number in range(5):
        house.record(f"later {number}", name=f"l{number}", scope="project")
    house.book.save()
    assert place.stat().st_mtime_ns == written
    place.unlink()
    house.book.save()
    assert snapshots(house) == [place]


def test_saving_does_nothing_before_loading_or_when_the_store_is_closed(house: BookFixture) -> None:
    fill(house, 3)
    house.reopen().save()
    assert snapshots(house) == []
    house.close()
    house.book.save()
    assert snapshots(house) == []


def test_saving_while_others_record_keeps_only_what_is_right(house: BookFixture) -> None:
    fill(house, 5)
    dump = LexicalIndex.dump

    def record_meanwhile(self: LexicalIndex, ids: Any = None) -> bytes:
        blob = dump(self, ids)
        house.workspace.record_access(["x"], 1)
        house.book.record(Draft(content="platypus", name=f"at {len(self)}"))
        return blob

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(LexicalIndex, "dump", record_meanwhile)
        house.book.save()
    assert not (house.folder / "workspace" / "memories" / "index.derived").exists()
    house.book.save()
    assert (house.folder / "workspace" / "memories" / "index.derived").exists()


def test_a_snapshot_that_a_write_overtook_is_not_made_again_at_once_but_at_the_end(
    house: BookFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Under constant writes, each attempt would be in vain and take as long as hundreds of them."""
    made: list[int] = []
    make = catalogue_snapshot.make
    monkeypatch.setattr(catalogue, "_REST", 1e9)

    def overtaken(of: Catalogue, home: MemoryStore, seq: int, recipe: str) -> Callable[[], bytes]:
        made.append(seq)
        packed = make(of, home, seq, recipe)
        assert packed is not None

        def pack() -> bytes:
            house.record("Somebody writes meanwhile", name=f"overtaking {len(made)}", scope="global")
            house.record("Somebody writes meanwhile", name=f"overtaking {len(made)}", scope="project")
            return packed()

        return pack

    fill(house)
    with monkeypatch.context() as patch:
        patch.setattr(catalogue_snapshot, "make", overtaken)
        for _ in range(3):
            house.book.keep()
        assert len(made) == 1
    house.book.keep()
    assert snapshots(house) == []
    house.book.save()
    assert len(snapshots(house)) == 2
