"""The index that is opened from its file: whatever happens to the file, answers are those of the store's rows."""

from __future__ import annotations

import errno
import os
import random
import signal
import subprocess
import sys
from array import array
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from sidecar.memories.book import MemoryBook
from sidecar.memories.drafts import Filters, InjectRequest
from sidecar.memories.index import catalogue_snapshot, followed_store, memory_index
from sidecar.memories.index.meaning import FixedEmbedding, text_fingerprint, text_of
from sidecar.store.derived import DerivedValues
from sidecar.store.memory_store import MemoryStore
from tests.memories.conftest import BookRig

pytestmark = pytest.mark.long

ROOT = Path(__file__).resolve().parents[2]
WORDS = "cache retry socket parser token branch deploy schema index worker queue signal".split()


class LetterModel:
    """Counts letters."""

    name, dimensions = "letters-1", 26

    def embed(self, texts: Any) -> list[bytes]:
        return [array("b", [text.count(chr(97 + at)) % 100 for at in range(26)]).tobytes() for text in texts]

    def embed_query(self, text: str) -> bytes:
        return self.embed([text])[0]


class OpenedVectors:
    """Vectors that outlive a book. `asked` notes what was read of them."""

    def __init__(self) -> None:
        self.rows: dict[str, tuple[bytes, bytes]] = {}
        self.asked: list[Any] = []

    def load(self, model: str, ids: Any = None) -> dict[str, tuple[bytes, bytes]]:
        self.asked.append(None if ids is None else set(ids))
        return self.rows if ids is None else {id: self.rows[id] for id in ids if id in self.rows}

    def save(self, model: str, rows: Any) -> None:
        self.rows.update({id: (known, vector) for id, known, vector in rows})


@pytest.fixture(autouse=True)
def always_worth_saving(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(followed_store, "SAVED_AFTER_DOCUMENTS", 1)


@pytest.fixture
def read(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Directories of stores of which every memory was read."""
    found: list[str] = []
    each = MemoryStore.each

    def noted(self: MemoryStore) -> object:
        found.append(self.directory.name)
        return each(self)

    monkeypatch.setattr(MemoryStore, "each", noted)
    return found


def fill(rig: BookRig, count: int = 40, seed: int = 1) -> None:
    chance = random.Random(seed)
    for number in range(count):
        rig.record(
            f"{' '.join(chance.choices(WORDS, k=8))} {number} !{number % 5}",
            name=f"n{seed} {number}",
            scope=chance.choice(["project", "project", "global"]),
            files=(f"src/{number % 7}.py",) if number % 3 else (),
            session_id=f"s{number % 4}" if number % 2 else None,
            category=chance.choice([None, "decision", "directive"]),
            agent=chance.choice([None, None, "codex"]),
            pinned=number == 7,
            entities=(f"!{number % 5}",),
            expires_at=rig.clock.now + (number + 1) * 1_000_000 if number % 6 == 0 else None,
        )
        rig.clock.forward(ms=1_000)


def answers(book: MemoryBook) -> list[object]:
    asked = ["retry cache", "deploy the worker queue", "nothing alike", " ".join(WORDS)]
    filters = [Filters(), Filters(agent="codex", since=5), Filters(files=("src",)), Filters(categories=("decision",))]
    found: list[object] = [book.injector.inject(InjectRequest(prompt=prompt)) for prompt in asked]
    found += [book.injector.inject(InjectRequest(files=("src/1.py",))), book.injector.inject(InjectRequest())]
    found += [book.searcher.search(query, each, 20) for query in (*asked, "") for each in filters]
    found += [book.searcher.list(each, 50) for each in filters]
    with book.catalogue.current() as known:
        found.append({thing: sorted(ids) for thing, ids in known.entities.items()})
        found.append({path: sorted(ids) for path, ids in known.by_file.items()})
        found.append({id: known.neighbours(id) for id in sorted(known.rows)})
    return found


def files(rig: BookRig) -> list[Path]:
    return sorted(rig.folder.rglob("index.derived"))


def test_the_next_start_reads_no_memory_and_answers_the_same(rig: BookRig, read: list[str]) -> None:
    fill(rig)
    wanted = answers(rig.book)
    rig.book.catalogue.save()
    read.clear()
    book = rig.reopen()
    assert answers(book) == wanted
    assert read == []
    book.catalogue.save()
    assert answers(rig.reopen()) == wanted


def test_time_passes_for_opened_rows_too(rig: BookRig) -> None:
    fill(rig)
    rig.book.catalogue.save()
    rig.clock.forward(ms=12_500_000)
    assert answers(rig.reopen()) == answers(rig.book)


@pytest.mark.parametrize("damage", ["cut", "one byte", "zeros", "zeros at the end", "empty", "nothing of ours", "gone"])
def test_a_damaged_file_is_made_anew_from_the_rows(rig: BookRig, damage: str, read: list[str]) -> None:
    fill(rig)
    wanted = answers(rig.book)
    rig.book.catalogue.save()
    chance = random.Random(damage)
    for _ in range(6):
        for place in files(rig):
            whole = bytearray(place.read_bytes())
            at = chance.randrange(len(whole))
            match damage:
                case "cut":
                    whole = whole[:at]
                case "one byte":
                    whole[at] ^= 1 << chance.randrange(8)
                case "zeros":
                    whole = bytearray(len(whole))
                case "zeros at the end":
                    whole[at:] = bytes([whole[at] ^ 1]) + bytes(len(whole) - at - 1)
                case "empty":
                    whole = bytearray()
                case "nothing of ours":
                    whole = bytearray(chance.randbytes(len(whole)))
            place.unlink()
            if damage != "gone":
                place.write_bytes(whole)
        read.clear()
        book = rig.reopen()
        assert answers(book) == wanted
        assert sorted(read) == ["user", "workspace"]
        book.catalogue.save()
        assert len(files(rig)) == 2
        read.clear()
        assert answers(rig.reopen()) == wanted
        assert read == []


def test_a_file_of_another_version_or_of_another_state_is_not_believed(
    rig: BookRig, read: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    fill(rig)
    wanted = answers(rig.book)
    rig.book.catalogue.save()
    changes: list[tuple[Any, str, Any]] = [
        (catalogue_snapshot, "_FORMAT", 99),
        (memory_index, "TAGS_WEIGHT", 1.5),
        (DerivedValues, "written_at", lambda self, seq: 1.0),
        (DerivedValues, "written_at", lambda self, seq: None),
    ]
    for where, name, value in changes:
        with monkeypatch.context() as patch:
            patch.setattr(where, name, value)
            read.clear()
            assert answers(rig.reopen()) == wanted
            assert sorted(read) == ["user", "workspace"]


def test_memories_changed_by_others_are_never_answered_in_their_old_form(rig: BookRig, read: list[str]) -> None:
    fill(rig)
    rig.book.catalogue.save()
    book, other = rig.reopen(), rig.reopen()
    ids = [found.record.id for found in book.searcher.list(Filters(agent="*"), 60).items]
    read.clear()
    chance = random.Random(5)
    for step, id in enumerate(ids[:24]):
        match step % 4:
            case 0:
                other.editing.update(id, {"content": f"platypus {step}"})
            case 1:
                other.editing.archive(id)
            case 2:
                other.editing.delete(id, purge=chance.random() < 0.5)
            case 3:
                other.editing.update(id, {"files": ["src/new.py"], "pinned": True})
        assert answers(book) == answers(other)
        shown = {
            found.record.id: found.record for found in book.searcher.search("platypus", Filters(agent="*"), 60).items
        }
        assert shown.keys() >= {each for at, each in enumerate(ids[: step + 1]) if at % 4 == 0}
        assert not shown.keys() & {each for at, each in enumerate(ids[: step + 1]) if at % 4 in (1, 2)}
    assert read == []
    wanted = answers(other)
    assert answers(rig.reopen()) == wanted
    for place in files(rig):
        place.unlink()
    assert answers(rig.reopen()) == wanted


def test_a_row_that_says_otherwise_than_the_index_wins(rig: BookRig) -> None:
    """The index is wrong although the log of changes says that it is current."""
    fill(rig)
    id = rig.record("platypus in the pond", name="animal", scope="project").record.id
    gone = rig.record("platypus in the river", name="other", scope="project").record.id
    book = rig.reopen()
    assert len(book.searcher.search("platypus", Filters()).items) == 2
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("sidecar.store.changelog.append", lambda rows, ids, last: None)
        rig.book.editing.update(id, {"content": "emu in the pond"})
        rig.book.editing.delete(gone)
    assert all(
        found.record.content != "platypus in the pond" for found in book.searcher.search("platypus", Filters()).items
    )
    assert "platypus in the pond" not in book.injector.inject(InjectRequest(prompt="platypus in the pond")).text
    assert [found.record.id for found in book.searcher.search("emu", Filters()).items] == [id]
    assert gone not in {found.record.id for found in book.searcher.list(Filters(), 60).items}


def run(code: str, folder: Path, *arguments: object) -> subprocess.Popen[bytes]:
    beginning = (
        "import os, sys; from pathlib import Path; from itertools import count\n"
        "from sidecar.memories.index import followed_store; followed_store.SAVED_AFTER_DOCUMENTS = 1\n"
        "from sidecar.memories.book import MemoryBook; from sidecar.memories.drafts import Draft, Filters\n"
        "from sidecar.store.memory_store import MemoryStore; folder, name = Path(sys.argv[1]), sys.argv[2]\n"
        "numbers = count(1); stores = [MemoryStore.open(folder / each) for each in ('workspace', 'user')]\n"
        "book = MemoryBook(*stores, lambda: 1_767_268_800_000, lambda now: f'{name}{next(numbers):05}')\n"
    )
    command = [sys.executable, "-c", beginning + code, str(folder), *map(str, arguments)]
    return subprocess.Popen(command, cwd=ROOT, stderr=subprocess.PIPE)


def test_processes_record_and_keep_at_once(rig: BookRig) -> None:
    fill(rig, 10)
    rig.book.catalogue.save()
    code = (
        "for n in range(25):\n"
        "    book.recorder.record(Draft(content=f'{name} platypus {n}', name=f'{name} {n}', scope='project'))\n"
        "    if n % 3 == 0: book.searcher.search('platypus', Filters()); book.catalogue.save()\n"
    )
    for process in [run(code, rig.folder, name) for name in ("a", "b")]:
        assert process.wait(120) == 0, process.stderr and process.stderr.read()
    book = rig.reopen()
    assert len(book.searcher.search("platypus", Filters(), 60).items) == 50
    assert answers(book) == answers(rig.book)
    for place in files(rig):
        place.unlink()
    assert answers(rig.reopen()) == answers(book)


@pytest.mark.parametrize("at", ["os.replace", "os.open", "os.fdopen"])
def test_a_process_that_is_killed_in_the_middle_of_keeping_leaves_nothing_wrong(rig: BookRig, at: str) -> None:
    fill(rig, 10)
    rig.book.catalogue.save()
    code = (
        "for n in range(9): book.recorder.record(Draft(content=f'platypus {n}', name=f'p {n}', scope='project'))\n"
        "book.searcher.search('platypus', Filters())\n"
        "def die(*given, **named):\n"
        "    if 'index.making' in str(given[0]) or sys.argv[3] == 'os.fdopen':\n"
        "        import signal; os.kill(os.getpid(), signal.SIGKILL)\n"
        "    return real(*given, **named)\n"
        "real = eval(sys.argv[3]); setattr(os, sys.argv[3][3:], die); book.catalogue.save()\n"
    )
    process = run(code, rig.folder, "k", at)
    assert process.wait(120) == -signal.SIGKILL
    book = rig.reopen()
    assert len(book.searcher.search("platypus", Filters(), 60).items) == 9
    assert answers(book) == answers(rig.book)
    book.catalogue.save()
    assert not list(rig.folder.rglob("*.making"))
    assert answers(rig.reopen()) == answers(book)


@pytest.mark.parametrize("error", [errno.ENOSPC, errno.EROFS, errno.EACCES])
@pytest.mark.parametrize("of", ["open", "replace"])
def test_a_full_disk_or_a_folder_that_cannot_be_written_costs_only_the_next_start(
    rig: BookRig, error: int, of: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    fill(rig, 10)
    real: Callable[..., Any] = getattr(os, of)

    def refuse(path: Any, *given: Any, **named: Any) -> Any:
        if "index.making" in str(path):
            raise OSError(error, os.strerror(error))
        return real(path, *given, **named)

    with monkeypatch.context() as patch:
        patch.setattr(os, of, refuse)
        rig.book.catalogue.save()
        rig.record("platypus", name="after")
        wanted = answers(rig.book)
        assert answers(rig.reopen()) == wanted
    assert not files(rig)
    assert not list(rig.folder.rglob("*.making"))
    rig.book.catalogue.save()
    assert len(files(rig)) == 2
    assert answers(rig.reopen()) == wanted


def test_vectors_come_with_the_index_and_those_that_changed_from_where_they_are_kept(rig: BookRig) -> None:
    def reopen() -> MemoryBook:
        workspace, user = rig.reopen().catalogue.stores
        return MemoryBook(workspace, user, rig.clock, rig.ids, embedding=FixedEmbedding(model, kept))

    model, kept = LetterModel(), (OpenedVectors(), OpenedVectors())
    fill(rig)
    book = reopen()
    book.catalogue.embed_missing()
    with book.catalogue.current() as known:
        assert known.meaning.model == model.name
    wanted = answers(book)
    book.catalogue.save()
    for each in kept:
        each.asked.clear()
    again = reopen()
    assert answers(again) == wanted
    assert [each.asked for each in kept] == [[], []]
    ids = [found.record.id for found in again.searcher.list(Filters(agent="*"), 60).items]
    again.editing.update(ids[0], {"content": "zebra zoo"})
    again.editing.delete(ids[1])
    again.catalogue.embed_missing(lambda: None)
    wanted = answers(again)
    third = reopen()
    assert answers(third) == wanted
    assert [each.asked for each in kept] == [[{ids[0]}], []]
    assert kept[0].rows[ids[0]][0] == text_fingerprint(text_of(third.searcher.get(ids[0]).record))


def test_vectors_that_were_made_after_the_index_was_kept_are_kept_with_it(rig: BookRig) -> None:
    def reopen() -> MemoryBook:
        workspace, user = rig.reopen().catalogue.stores
        return MemoryBook(workspace, user, rig.clock, rig.ids, embedding=FixedEmbedding(model, kept))

    model, kept = LetterModel(), (OpenedVectors(), OpenedVectors())
    fill(rig)
    rig.book.catalogue.save()
    bare = [place.stat().st_size for place in files(rig)]
    book = reopen()
    assert book.catalogue.embed_missing() == 40
    assert all(place.stat().st_size > size for place, size in zip(files(rig), bare, strict=True))
    wanted = answers(book)
    for each in kept:
        each.asked.clear()
    again = reopen()
    assert answers(again) == wanted
    assert [each.asked for each in kept] == [[], []]
    written = [place.stat().st_mtime_ns for place in files(rig)]
    assert again.catalogue.embed_missing() == 0
    assert [place.stat().st_mtime_ns for place in files(rig)] == written


def test_a_large_index_is_opened_from_its_file_once_that_is_there(
    rig: BookRig, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(followed_store, "REOPENED_AFTER_DOCUMENTS", 5)
    fill(rig)
    wanted = answers(rig.book)
    with rig.book.catalogue.current() as built:
        pass
    rig.book.catalogue.save()
    with rig.book.catalogue.current() as opened:
        assert opened is not built
    assert answers(rig.book) == wanted
    rig.record("platypus", name="new")
    assert rig.book.searcher.search("platypus", Filters()).items
    assert answers(rig.book) == answers(rig.reopen())


def test_a_number_that_no_column_has_room_for_costs_the_snapshot_and_nothing_else(rig: BookRig) -> None:
    fill(rig, 5)
    rig.clock.now = 1 << 63
    rig.record("platypus", name="far", scope="project")
    rig.book.catalogue.save()
    assert not (rig.folder / "workspace" / "memories" / "index.derived").exists()
    assert len(rig.reopen().searcher.search("platypus", Filters()).items) == 1
