"""Nothing in a database is ever unpickled, opened as a file or removed as one."""

from __future__ import annotations

import os
import pickle
import sqlite3
from collections.abc import Callable
from pathlib import Path

import pytest

from sidecar.store.cache import MsgpackDisk
from sidecar.store.faults import ForeignRow
from sidecar.store.file_store import FileStore
from sidecar.store.memory_store import MemoryKey, MemoryStore
from sidecar.store.opening import open_database
from sidecar.store.records import ContentRecord, MemoryRecord
from sidecar.store.rows import Rows
from sidecar.store.schema import FILES

MakeMemory = Callable[..., MemoryRecord]
MakeContent = Callable[..., ContentRecord]


class Payload:
    """Creates a file when it is unpickled."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __reduce__(self) -> tuple[object, ...]:
        return os.mkdir, (str(self.path),)


def plant(directory: Path, name: str, statement: str, *values: object) -> None:
    with sqlite3.connect(directory / name / "cache.db") as sql:
        sql.execute(statement, values)
    sql.close()


INSERT = (
    "INSERT INTO Cache (key, raw, store_time, access_time, size, mode, filename, value)"
    " VALUES (?, ?, 1.5, 1.5, 0, ?, ?, ?)"
)


@pytest.fixture
def trap(tmp_path: Path) -> Path:
    """A folder that exists only if planted code ran."""
    path = tmp_path / "planted-code-ran"
    pickle.loads(pickle.dumps(Payload(path)))
    assert path.exists()
    path.rmdir()
    return path


def planted_rows(trap: Path) -> list[tuple[object, int, int, str | None, object]]:
    code = pickle.dumps(Payload(trap))
    return [
        ("m:planted", 1, 4, None, code),
        (code, 0, 1, None, b"value"),
        (code + b".", 0, 4, None, code),
        ("h:planted\x1f0000000001", 1, 4, "code.val", None),
        ("m:file", 1, 2, "../secret", None),
        ("m:text", 1, 3, "../secret", None),
        ("k:planted", 1, 4, None, code),
        ("c:0000000000000099", 1, 4, None, code),
    ]


def use_everything(store: MemoryStore) -> None:
    store.all()
    store.count()
    store.changes(0)
    store.get_many(["planted", "file", "text", "m"])
    for id in ("planted", "file", "text", "m"):
        store.get(id)
        store.history(id)
    store.find(MemoryKey("project", "project", None, "planted"))
    with store.transaction() as change:
        for id in ("planted", "file", "text"):
            change.get(id)
            change.delete(id, 1, purge=True)


def test_rows_planted_in_a_closed_store_are_left_behind_and_told(
    tmp_path: Path, trap: Path, memory: MakeMemory
) -> None:
    store = MemoryStore.open(tmp_path)
    with store.transaction() as change:
        change.put(memory("m"), "created", 1)
    store.close()
    (tmp_path / "secret").write_text("a file that is none of ours")
    (tmp_path / "memories" / "code.val").write_bytes(pickle.dumps(Payload(trap)))
    rows = planted_rows(trap)
    for row in rows:
        plant(tmp_path, "memories", INSERT, *row)
    store = MemoryStore.open(tmp_path)
    assert store.repair_message is not None
    assert f"{len(rows)} rows were left behind" in store.repair_message
    use_everything(store)
    assert [record.id for record in store.all()] == ["m"]
    store.close()
    assert not trap.exists()
    assert (tmp_path / "secret").exists()


def test_rows_planted_in_an_open_store_are_left_out(
    tmp_path: Path, trap: Path, memory: MakeMemory, caplog: pytest.LogCaptureFixture
) -> None:
    store = MemoryStore.open(tmp_path)
    with store.transaction() as change:
        change.put(memory("m"), "created", 1)
    (tmp_path / "secret").write_text("a file that is none of ours")
    for row in planted_rows(trap):
        plant(tmp_path, "memories", INSERT, *row)
    use_everything(store)
    assert [record.id for record in store.all()] == ["m"]
    assert "never writes" in caplog.text
    store.close()
    assert not trap.exists()
    assert (tmp_path / "secret").exists()


def test_rows_planted_in_a_derived_store_are_absent(tmp_path: Path, trap: Path, content: MakeContent) -> None:
    store = FileStore.open(tmp_path)
    store.put_contents([content("h")])
    code = pickle.dumps(Payload(trap))
    plant(tmp_path, "files", "UPDATE Cache SET mode = 4, value = ? WHERE key LIKE 'f:%'", code)
    plant(tmp_path, "files", INSERT, "b:index", 1, 4, None, code)
    plant(tmp_path, "files", INSERT, "p:c\x1fa.py", 1, 4, None, code)
    assert store.content("h", "python", 1) is None
    assert store.get_blob("index") is None
    assert store.pointers("c")[0].files == {}
    store.put_contents([content("h")])
    assert store.content("h", "python", 1) == content("h")
    store.compact()
    store.close()
    FileStore.open(tmp_path).close()
    assert not trap.exists()


@pytest.mark.parametrize(
    "statement",
    [
        "INSERT INTO Settings VALUES ('sqlite_temp_store_directory', '/tmp')",
        "INSERT INTO Settings VALUES ('_directory', '/tmp')",
        "INSERT INTO Settings VALUES ('disk_evil', 1)",
        "CREATE TRIGGER evil AFTER INSERT ON Cache BEGIN DELETE FROM Cache; END",
        "CREATE VIEW evil AS SELECT 1",
    ],
)
def test_foreign_settings_and_triggers_are_left_behind(tmp_path: Path, memory: MakeMemory, statement: str) -> None:
    store = MemoryStore.open(tmp_path)
    with store.transaction() as change:
        change.put(memory("m"), "created", 1)
    store.close()
    plant(tmp_path, "memories", statement)
    store = MemoryStore.open(tmp_path)
    assert store.repair_message is not None
    with store.transaction() as change:
        change.put(memory("n"), "created", 1)
    assert [record.id for record in store.all()] == ["m", "n"]
    store.close()
    again = MemoryStore.open(tmp_path)
    assert again.repair_message is None
    again.close()


@pytest.fixture
def disk(tmp_path: Path) -> MsgpackDisk:
    return MsgpackDisk(str(tmp_path), min_file_size=100, pickle_protocol=5)


@pytest.mark.parametrize("key", [b"x", 1.5, None, True, ("a",), 2**63, -(2**63) - 1, str.__call__, memoryview(b"x")])
def test_keys_that_would_be_pickled_are_refused(disk: MsgpackDisk, key: object) -> None:
    with pytest.raises(TypeError):
        disk.put(key)


@pytest.mark.parametrize("value", [1.5, None, True, ["a"], {"a": 1}, 2**63, bytearray(b"x"), Payload(Path("x"))])
def test_values_that_would_be_pickled_are_refused(disk: MsgpackDisk, value: object) -> None:
    with pytest.raises(TypeError):
        disk.store(value, False)


def test_values_never_go_to_files(disk: MsgpackDisk, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="too large"):
        disk.store(b"x" * 100, False)
    with pytest.raises(TypeError):
        disk.store(b"x", True)
    with pytest.raises(TypeError):
        disk.filename()
    (tmp_path / "mine").touch()
    disk.remove("mine")
    assert (tmp_path / "mine").exists()


@pytest.mark.parametrize("value", [b"", b"x" * 99, "text", 0, -(2**63), 2**63 - 1])
def test_plain_values_pass(disk: MsgpackDisk, value: bytes | str | int) -> None:
    _, mode, filename, stored = disk.store(value, False)
    assert disk.fetch(mode, filename, stored, False) == value


@pytest.mark.parametrize(
    ("mode", "filename", "value"),
    [
        (4, None, b"x"),
        (2, "a", None),
        (3, "a", None),
        (1, "a", b"x"),
        (0, None, b"x"),
        (1, None, None),
        (1, None, 1.5),
        (None, None, b"x"),
    ],
)
def test_values_of_other_forms_are_never_interpreted(
    disk: MsgpackDisk, mode: object, filename: object, value: object
) -> None:
    with pytest.raises(ForeignRow):
        disk.fetch(mode, filename, value, False)


@pytest.mark.parametrize(("key", "raw"), [(b"x", 0), ("x", 0), (b"x", 1), (1.5, 1), (None, 1)])
def test_other_keys_are_never_interpreted(disk: MsgpackDisk, key: object, raw: object) -> None:
    with pytest.raises(ForeignRow):
        disk.get(key, raw)


def test_many_rows_are_put_as_one_after_the_other_would_be(tmp_path: Path) -> None:
    """Over rows with a tag, with a lifetime and with a side file that somebody planted."""
    columns = "key, raw, expire_time, access_count, tag, size, mode, filename, value"
    found = []
    for name in ("each", "together"):
        store = FileStore.open(tmp_path / name)
        store.put_blob("first", b"old")
        plant(
            store.directory,
            "files",
            "INSERT INTO Cache (key, raw, store_time, expire_time, access_time, access_count, tag, size, mode,"
            " filename, value) VALUES ('x:a', 1, 1.5, 1.5, 1.5, 7, 't', 9, 2, '../../a', NULL)",
        )
        values: dict[str, bytes | str | int] = {"x:a": b"\0bytes", "x:b": "text", "x:c": 2**62, "x:d": b""}

        def put(rows: Rows, name: str = name, values: dict[str, bytes | str | int] = values) -> None:
            if name == "together":
                rows.set_many(values)
                return
            for key, value in values.items():
                rows.set(key, value)

        store.close()
        database = open_database(tmp_path / name, FILES)
        for _ in range(2):
            with database.writing() as rows:
                put(rows)
            with database.reading() as rows:
                assert dict(rows.prefixed("x:")) == values
        with pytest.raises(TypeError), database.writing() as rows:
            rows.set_many({"x:e": 1.5})  # type: ignore[dict-item]
        database.close()
        with sqlite3.connect(tmp_path / name / "files" / "cache.db") as sql:
            stored = sql.execute(f"SELECT {columns} FROM Cache WHERE key LIKE 'x:%' ORDER BY key").fetchall()
            counted = sql.execute("SELECT key, value FROM Settings WHERE key IN ('count', 'size')").fetchall()
        sql.close()
        found.append((stored, counted))
    assert found[0] == found[1]
    assert len(found[0][0]) == 4
