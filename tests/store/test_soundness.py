"""Opening without reading every row: only a database that nobody else has touched since it was read whole."""

from __future__ import annotations

import os
import shutil
import sqlite3
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from sidecar.runtime.errors import StoreUnavailable
from sidecar.store import inspection, soundness
from sidecar.store.backup import Backup
from sidecar.store.memory_store import MemoryStore
from sidecar.store.records import MemoryRecord
from sidecar.store.schema import DatabaseKind

MakeMemory = Callable[..., MemoryRecord]
COUNT = 40


@pytest.fixture
def closed(tmp_path: Path, memory: MakeMemory) -> Path:
    """A store that was closed properly, and opened once since."""
    store = MemoryStore.open(tmp_path / "store")
    put(store, memory, "m")
    store.close()
    return tmp_path / "store"


@pytest.fixture
def whole(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Kinds of the databases that were read whole."""
    found: list[str] = []
    problem = DatabaseKind.problem

    def noted(self: DatabaseKind, *row: object) -> str | None:
        if self.name not in found:
            found.append(self.name)
        return problem(self, *row)  # type: ignore[arg-type]

    monkeypatch.setattr(DatabaseKind, "problem", noted)
    return found


def put(store: MemoryStore, memory: MakeMemory, prefix: str, count: int = COUNT) -> None:
    for number in range(count):
        with store.transaction() as change:
            change.put(memory(f"{prefix}{number:03d}", content=f"text {prefix} {number} " * 20), "created", 1)


def database(directory: Path) -> Path:
    return directory / "memories" / "cache.db"


def ids(directory: Path) -> list[str]:
    """Ids of the memories of a store that opens without anything to tell."""
    store = MemoryStore.open(directory)
    assert store.repair_message is None
    found = [record.id for record in store.all()]
    store.close()
    return found


def flip(path: Path, at: int) -> None:
    with path.open("r+b") as file:
        file.seek(at)
        byte = file.read(1)[0]
        file.seek(at)
        file.write(bytes([byte ^ 4]))


def test_a_store_that_was_closed_is_opened_without_reading_its_rows(
    closed: Path, whole: list[str], memory: MakeMemory
) -> None:
    for round in range(4):
        assert len(ids(closed)) == COUNT + round
        store = MemoryStore.open(closed)
        put(store, memory, f"r{round}", 1)
        store.record_access(["m001"], 5 + round)
        store.close()
    assert whole == []


def test_a_store_in_use_is_opened_without_reading_its_rows_though_its_log_was_moved(
    closed: Path, whole: list[str], memory: MakeMemory
) -> None:
    store = MemoryStore.open(closed)
    before = database(closed).stat()
    put(store, memory, "n", 200)
    assert database(closed).stat().st_mtime_ns != before.st_mtime_ns
    for round in range(2):
        other = MemoryStore.open(closed)
        assert len(other.all()) == COUNT + 200 + round
        put(other, memory, f"o{round}", 1)
        other.close()
    store.close()
    assert len(ids(closed)) == COUNT + 202
    assert whole == []


@pytest.mark.parametrize("harm", ["a bit", "cut", "longer", "older", "touched", "copied", "no note", "torn note"])
def test_database_touched_by_another_program_is_read_whole(
    closed: Path, whole: list[str], harm: str, memory: MakeMemory, tmp_path: Path
) -> None:
    file, note = database(closed), closed / "memories" / "sound.note"
    earlier = file.read_bytes()
    (tmp_path / "earlier").write_bytes(earlier)
    shutil.copystat(file, tmp_path / "earlier")
    if harm == "older":
        store = MemoryStore.open(closed)
        put(store, memory, "late", 3)
        store.close()
    whole.clear()
    match harm:
        case "a bit":
            flip(file, earlier.rindex(b"text m 7"))
        case "cut":
            os.truncate(file, len(earlier) - 4096)
        case "longer":
            with file.open("ab") as open_file:
                open_file.write(bytes(4096))
        case "older":
            shutil.copy2(tmp_path / "earlier", file)
        case "touched":
            now = file.stat()
            os.utime(file, ns=(now.st_atime_ns, now.st_mtime_ns))
        case "copied":
            shutil.copytree(closed, tmp_path / "copied")
            closed = tmp_path / "copied"
        case "no note":
            note.unlink()
        case "torn note":
            note.write_bytes(note.read_bytes()[:-9])
    store = MemoryStore.open(closed)
    assert whole == ["memories"] if harm != "copied" else ["memories", "activity"]
    kept = {record.id for record in store.all()}
    assert {f"m{number:03d}" for number in range(COUNT)} <= kept
    assert (store.repair_message is not None) == (harm in ("a bit", "cut", "older"))
    store.close()
    whole.clear()
    again = MemoryStore.open(closed)
    assert (again.repair_message, whole) == (None, [])
    assert {record.id for record in again.all()} == kept
    again.close()


def test_writes_of_an_older_program_are_read_and_the_next_opening_is_quick_again(
    closed: Path, whole: list[str], memory: MakeMemory, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An older program knows nothing of the note, and leaves it as it is."""
    with monkeypatch.context() as patch:
        for name in ("is_known_whole", "record_whole", "forget", "_write"):
            patch.setattr(soundness.Soundness, name, lambda *given: False)
        store = MemoryStore.open(closed)
        put(store, memory, "old", 3)
        store.close()
    whole.clear()
    assert len(ids(closed)) == COUNT + 3
    assert whole == ["memories"]
    whole.clear()
    assert len(ids(closed)) == COUNT + 3
    assert whole == []


@pytest.mark.parametrize("what", ["version of the program", "layout", "long ago", "in the future"])
def test_another_version_or_another_week_reads_a_store_whole(
    closed: Path, whole: list[str], what: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = time.time()
    match what:
        case "version of the program":
            monkeypatch.setattr(soundness, "__version__", "0.0.1")
        case "layout":
            note = closed / "memories" / "sound.note"
            note.write_bytes((closed / "activity" / "sound.note").read_bytes())
        case "long ago":
            monkeypatch.setattr(time, "time", lambda: now + soundness.EVERY_SECONDS + 60)
        case "in the future":
            monkeypatch.setattr(time, "time", lambda: now - soundness.EVERY_SECONDS - 60)
    assert len(ids(closed)) == COUNT
    assert "memories" in whole


def test_a_store_whose_writer_was_killed_is_whole_without_being_read(
    closed: Path, whole: list[str], memory: MakeMemory
) -> None:
    """Checksums prove the log, and the number of its last transaction proves that none is missing."""
    pid = os.fork()
    if pid == 0:
        store = MemoryStore.open(closed)
        put(store, memory, "k", 5)
        os._exit(0)
    os.waitpid(pid, 0)
    log = closed / "memories" / "cache.db-wal"
    assert log.stat().st_size > 0
    assert len(ids(closed)) == COUNT + 5
    assert whole == []


@pytest.mark.parametrize("part", [0.01, 0.5, 0.95])
def test_a_flipped_bit_in_the_log_of_a_killed_writer_loses_nothing(
    closed: Path, memory: MakeMemory, part: float
) -> None:
    pid = os.fork()
    if pid == 0:
        store = MemoryStore.open(closed)
        put(store, memory, "k", 5)
        os._exit(0)
    os.waitpid(pid, 0)
    log = closed / "memories" / "cache.db-wal"
    flip(log, int(log.stat().st_size * part))
    store = MemoryStore.open(closed)
    assert len(store.all()) == COUNT + 5
    store.close()
    assert len(ids(closed)) == COUNT + 5


def test_damage_met_in_use_has_the_next_opening_look_for_more(closed: Path) -> None:
    store, beside = MemoryStore.open(closed), MemoryStore.open(closed)
    with sqlite3.connect(database(closed)) as sql:
        sql.execute("UPDATE Cache SET value = ? WHERE key = 'm:m007'", (b"garbage",))
    sql.close()
    assert store.get("m007") is None
    store.close()
    beside.close()
    again = MemoryStore.open(closed)
    assert again.repair_message is not None
    assert again.get("m007") is not None
    again.close()


def test_a_damaged_page_met_in_use_has_it_too(closed: Path) -> None:
    """The file changes without any other sign, as when a disk loses data."""
    at = database(closed).read_bytes().index(b"text m 7 ")
    with database(closed).open("r+b") as file:
        file.seek(at - at % 4096)
        file.write(b"\xff" * 4096)
    soundness.Soundness(closed / "memories", 1, Backup(closed / "memories")).record_whole()
    store = MemoryStore.open(closed)
    assert store.repair_message is None
    with pytest.raises(StoreUnavailable):
        store.get("m007")
    store.close()
    again = MemoryStore.open(closed)
    assert again.repair_message is not None
    assert len(again.all()) == COUNT
    again.close()


def test_a_note_that_cannot_be_written_costs_only_time(
    closed: Path, whole: list[str], memory: MakeMemory, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = os.open

    def refuse(path: str | Path, *given: int) -> int:
        if str(path).endswith("sound.note"):
            raise OSError(28, "No space left on device")
        return real(path, *given)

    with monkeypatch.context() as patch:
        patch.setattr(os, "open", refuse)
        store = MemoryStore.open(closed)
        put(store, memory, "n", 3)
        store.close()
    assert len(ids(closed)) == COUNT + 3
    assert whole == ["memories"]


def test_everything_that_is_cheap_is_looked_at_each_time(closed: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[bool] = []
    inspect_rows = inspection.inspect_rows

    def noted(*given: object) -> inspection.Inspection:
        seen.append(True)
        return inspect_rows(*given)  # type: ignore[arg-type]

    monkeypatch.setattr(inspection, "inspect_rows", noted)
    ids(closed)
    assert len(seen) == 2
