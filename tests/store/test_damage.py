"""Damaged databases: set aside, salvaged, told; never deleted."""

from __future__ import annotations

import shutil
import sqlite3
from collections.abc import Callable
from pathlib import Path

import pytest

from sidecar.runtime.errors import StoreUnavailable
from sidecar.store.file_store import FileStore
from sidecar.store.memory_store import MemoryKey, MemoryStore
from sidecar.store.records import ContentRecord, MemoryRecord, PointerRecord, SessionRecord

MakeMemory = Callable[..., MemoryRecord]
MakeContent = Callable[..., ContentRecord]

COUNT = 60
PAGE = 4096


@pytest.fixture
def filled(tmp_path: Path, memory: MakeMemory) -> Path:
    """A closed store of 60 memories of two versions each, some of several pages, without the backups of it."""
    store = MemoryStore.open(tmp_path)
    for number in range(COUNT):
        with store.transaction() as change:
            change.put(memory(f"m{number:03d}", name=f"old {number}"), "created", 1)
            text = f"text {number} " * (900 if number % 10 == 0 else 20)
            change.put(memory(f"m{number:03d}", name=f"n{number}", content=text, version=2), "updated", 2)
    store.record_access(["m001", "m002"], 5)
    store.update_session("s", lambda old: SessionRecord(id="s", started_at=1, seen_at=2))
    store.close()
    for backup in tmp_path.glob("*/rows.backup"):
        backup.unlink()
    return tmp_path


def database(directory: Path, name: str = "memories") -> Path:
    return directory / name / "cache.db"


def set_aside(directory: Path, name: str = "memories") -> list[Path]:
    return sorted(directory.glob(f"{name}.damaged-*"))


def check_consistent(store: MemoryStore) -> dict[str, MemoryRecord]:
    """Whatever was salvaged is a whole store: keys find, versions fit, every reader reloads, writing works."""
    records = {record.id: record for record in store.all()}
    for record in records.values():
        assert store.find(MemoryKey(record.scope, record.type, record.agent, record.name)) == record
        assert record.content.startswith(("text", "content"))
    for known in (0, 1, 2 * COUNT):
        assert store.changes(known).ids is None
    seq = store.seq()
    assert seq > 2 * COUNT
    with store.transaction() as change:
        change.put(
            MemoryRecord(
                id="new",
                scope="project",
                type="project",
                name="new",
                content="content",
                source="user",
                created_at=1,
                updated_at=1,
            ),
            "created",
            1,
        )
    assert store.changes(seq) == (seq + 1, ("new",))
    return records


def reopened(directory: Path) -> MemoryStore:
    """Opens twice: what the first opening salvaged is sound for the second."""
    store = MemoryStore.open(directory)
    again = MemoryStore.open(directory)
    assert again.repair_message is None
    again.close()
    return store


def overwrite(path: Path, at: int, data: bytes) -> None:
    with path.open("r+b") as file:
        file.seek(at)
        file.write(data)


@pytest.mark.parametrize("part", [0.3, 0.6, 0.95])
def test_a_truncated_file(filled: Path, part: float) -> None:
    path = database(filled)
    size = int(path.stat().st_size * part) // PAGE * PAGE + 1000
    with path.open("r+b") as file:
        file.truncate(size)
    store = reopened(filled)
    (aside,) = set_aside(filled)
    assert (aside / "cache.db").stat().st_size == size
    assert store.repair_message is not None
    assert "damaged" in store.repair_message
    assert str(aside) in store.repair_message
    records = check_consistent(store)
    assert len(records) >= COUNT * (part - 0.25)
    store.close()


@pytest.mark.parametrize("length", [16, 100, PAGE])
def test_a_garbage_header_loses_nothing(filled: Path, length: int) -> None:
    overwrite(database(filled), 0, b"\xa7" * length)
    store = reopened(filled)
    assert len(check_consistent(store)) == COUNT
    assert len(store.history("m001")) == 2
    assert store.repair_message is not None
    assert f"{COUNT} memories" in store.repair_message
    store.close()


@pytest.mark.parametrize(
    ("says", "instead"),
    [
        (b" tag BLOB", b" tog BLOB"),
        (b" value BLOB)", b" valve BLOB)"),
        (b"+ NEW.size WHERE", b"+ NEW.sike WHERE"),
        (b"ON Cache(key, raw)", b"ON Cache(mode,raw)"),
        (b"CREATE TABLE Cache", b"CREATE TABXE Cache"),
    ],
)
def test_a_definition_with_another_letter_is_found_and_loses_nothing(filled: Path, says: bytes, instead: bytes) -> None:
    path = database(filled)
    at = path.read_bytes().index(says)
    assert at < PAGE * 4
    overwrite(path, at, instead)
    store = reopened(filled)
    assert len(check_consistent(store)) == COUNT
    assert len(set_aside(filled)) == 1
    store.close()


def test_any_corrupted_page_costs_at_most_what_is_on_it(filled: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    pages = database(filled).stat().st_size // PAGE
    for page in range(1, pages, 7):
        directory = tmp_path_factory.mktemp("page")
        shutil.copytree(filled, directory, dirs_exist_ok=True)
        overwrite(database(directory), page * PAGE, b"\x5a" * PAGE)
        store = reopened(directory)
        assert len(set_aside(directory)) == 1, page
        # A memory whose row is gone comes back from its last version, if that lay on another page.
        assert len(check_consistent(store)) >= COUNT - 12, page
        store.close()


def test_garbage_in_one_value_is_restored_from_its_last_version(filled: Path) -> None:
    with sqlite3.connect(database(filled)) as sql:
        sql.execute("UPDATE Cache SET value = ? WHERE key = 'm:m007'", (b"garbage" * 20,))
    sql.close()
    store = reopened(filled)
    records = check_consistent(store)
    assert len(records) == COUNT
    assert records["m007"].content.startswith("text 7 ")
    assert len(store.history("m007")) == 2
    assert store.repair_message is not None
    assert "1 row was left behind" in store.repair_message
    store.close()


def test_a_flipped_bit_that_is_valid_msgpack_is_found(filled: Path) -> None:
    with sqlite3.connect(database(filled)) as sql:
        ((value,),) = sql.execute("SELECT value FROM Cache WHERE key = 'm:m007'").fetchall()
        changed = value.replace(b"text 7", b"text 8", 1)
        assert changed != value
        sql.execute("UPDATE Cache SET value = ? WHERE key = 'm:m007'", (changed,))
    sql.close()
    store = reopened(filled)
    assert check_consistent(store)["m007"].content.startswith("text 7 ")
    store.close()


def test_a_value_damaged_while_the_store_is_open_is_left_out(filled: Path) -> None:
    store = MemoryStore.open(filled)
    with sqlite3.connect(database(filled)) as sql:
        sql.execute("UPDATE Cache SET value = ? WHERE key = 'm:m007'", (b"garbage" * 20,))
    sql.close()
    assert store.get("m007") is None
    assert len(store.all()) == COUNT - 1
    assert store.get_many(["m007", "m008"]).keys() == {"m008"}
    store.close()


def test_a_memory_deleted_before_the_damage_stays_deleted(filled: Path) -> None:
    store = MemoryStore.open(filled)
    with store.transaction() as change:
        change.delete("m003", 9, purge=False)
        change.delete("m004", 9, purge=True)
    store.close()
    overwrite(database(filled), 0, b"\x00" * 100)
    store = reopened(filled)
    assert check_consistent(store).keys() == {f"m{n:03d}" for n in range(COUNT)} - {"m003", "m004"}
    assert store.history("m003")[0].memory is None
    assert store.history("m004") == []
    store.close()


def test_a_damaged_file_with_a_pending_log_keeps_what_is_in_the_log(
    filled: Path, memory: MakeMemory, tmp_path_factory: pytest.TempPathFactory
) -> None:
    store = MemoryStore.open(filled)
    with store.transaction() as change:
        change.put(memory("in-the-log", content="text in the log"), "created", 3)
    killed = tmp_path_factory.mktemp("killed")
    shutil.copytree(filled, killed, dirs_exist_ok=True)
    store.close()
    assert database(killed).with_name("cache.db-wal").stat().st_size > 0
    overwrite(database(killed), 0, b"\xa7" * 100)
    overwrite(database(killed), 5 * PAGE, b"\xa7" * PAGE)
    store = reopened(killed)
    assert "in-the-log" in check_consistent(store)
    store.close()


@pytest.mark.parametrize("missing", [False, True])
def test_an_empty_or_missing_file_is_told(filled: Path, missing: bool) -> None:
    database(filled).unlink()
    if not missing:
        database(filled).touch()
    store = reopened(filled)
    assert store.all() == []
    assert store.repair_message is not None
    assert ("missing" if missing else "empty") in store.repair_message
    assert "Nothing in it could be read" in store.repair_message
    check_consistent(store)
    store.close()


def test_damaged_activity_is_salvaged_too(filled: Path) -> None:
    overwrite(database(filled, "activity"), 0, b"\xa7" * 100)
    store = reopened(filled)
    assert store.access_counts()["m001"] == 1
    assert store.session("s") is not None
    assert len(store.all()) == COUNT
    assert store.repair_message is not None
    assert str(set_aside(filled, "activity")[0]) in store.repair_message
    store.close()


def test_a_crash_between_the_renames_is_finished_by_the_next_opening(filled: Path) -> None:
    (filled / "memories").rename(filled / "memories.salvaged")
    (filled / "memories.making").mkdir()
    store = reopened(filled)
    assert len(store.all()) == COUNT
    store.close()


def test_a_crash_before_the_renames_starts_over(filled: Path) -> None:
    shutil.copytree(filled / "activity", filled / "memories.salvaged")
    overwrite(database(filled), 0, b"\xa7" * 100)
    store = reopened(filled)
    assert len(store.all()) == COUNT
    assert not (filled / "memories.salvaged").exists()
    store.close()


def test_another_process_goes_on_in_the_salvaged_store(filled: Path, memory: MakeMemory) -> None:
    running = MemoryStore.open(filled)
    known = running.seq()
    with sqlite3.connect(database(filled)) as sql:
        sql.execute("UPDATE Cache SET value = ? WHERE key = 'm:m007'", (b"garbage" * 20,))
    sql.close()
    assert running.get("m007") is None  # whoever meets the damage has the next opening look for more
    other = MemoryStore.open(filled)
    assert other.repair_message is not None
    assert running.changes(known).ids is None
    with running.transaction() as change:
        change.put(memory("from-the-running-one"), "created", 1)
    assert other.get("from-the-running-one") is not None
    assert running.get("m007") is not None
    running.close()
    other.close()


def test_store_whose_files_are_removed_in_use_says_so(filled: Path) -> None:
    store = MemoryStore.open(filled)
    shutil.rmtree(filled / "memories")
    with pytest.raises(StoreUnavailable) as raised:
        store.all()
    assert raised.value.data.reason == "gone"
    store.close()


def fill_files(directory: Path, content: MakeContent) -> FileStore:
    store = FileStore.open(directory)
    store.put_contents(content(f"{n:032x}", head="x" * 600) for n in range(200))
    store.put_pointers("c", [PointerRecord(path="a.py", hash=f"{1:032x}", language="python", size=1, mtime_ns=1)])
    return store


def test_a_damaged_derived_store_is_started_afresh(tmp_path: Path, content: MakeContent) -> None:
    fill_files(tmp_path, content).close()
    overwrite(database(tmp_path, "files"), 0, b"\xa7" * 100)
    store = FileStore.open(tmp_path)
    assert store.count() == 0
    assert store.repair_message is not None
    assert str(set_aside(tmp_path, "files")[0]) in store.repair_message
    store.put_contents([content("h")])
    store.close()
    again = FileStore.open(tmp_path)
    assert (again.repair_message, again.count()) == (None, 1)
    again.close()


def test_a_derived_value_with_garbage_reads_as_absent(tmp_path: Path, content: MakeContent) -> None:
    store = fill_files(tmp_path, content)
    store.put_blob("index", b"snapshot" * 50)
    with sqlite3.connect(database(tmp_path, "files")) as sql:
        sql.execute("UPDATE Cache SET value = substr(value, 1, 90) || x'00' || substr(value, 92)")
    sql.close()
    assert store.content(f"{1:032x}", "python", 1) is None
    assert store.contents([(f"{n:032x}", "python", 1) for n in range(200)]) == {}
    assert store.get_blob("index") is None
    store.put_contents([content(f"{1:032x}")])
    assert store.content(f"{1:032x}", "python", 1) is not None
    store.close()


def test_a_derived_store_damaged_or_removed_in_use_is_started_afresh(tmp_path: Path, content: MakeContent) -> None:
    for round, harm in enumerate(("garbage", "removed")):
        store = fill_files(tmp_path / harm, content)
        other = FileStore.open(tmp_path / harm)
        other.close()
        store.close()
        store = FileStore.open(tmp_path / harm)
        path = database(tmp_path / harm, "files")
        if harm == "garbage":
            overwrite(path, PAGE, b"\x5a" * (path.stat().st_size - PAGE))
        else:
            shutil.rmtree(path.parent)
        assert store.content(f"{1:032x}", "python", 1) is None
        store.put_contents([content("new")])
        assert store.content("new", "python", 1) is not None
        assert store.count() == 1
        assert len(set_aside(tmp_path / harm, "files")) == 1 - round
        store.close()
