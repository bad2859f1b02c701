"""Vectors beside a memory store: never of another model or text, never believed when damaged, gone after a purge."""

from __future__ import annotations

import shutil
import sqlite3
from collections.abc import Callable, Iterator
from pathlib import Path
from subprocess import Popen

import pytest

from sidecar.memories.index.meaning import text_fingerprint
from sidecar.store import keys
from sidecar.store.memory_store import MemoryStore
from sidecar.store.records import MemoryRecord
from sidecar.store.vector_store import KEPT_DAYS, StoredVector, VectorStore

DAY = 86_400_000
NOW = 20_000 * DAY


@pytest.fixture
def vectors(tmp_path: Path) -> Iterator[VectorStore]:
    opened = VectorStore.open(tmp_path / "store")
    yield opened
    opened.close()


def stored(text: str, vector: bytes = b"\1\2\3") -> StoredVector:
    return StoredVector(text_fingerprint(text), vector)


def database(directory: Path) -> Path:
    return directory / "store" / "vectors" / "cache.db"


def test_vectors_are_kept_by_model_and_memory(vectors: VectorStore, tmp_path: Path) -> None:
    vectors.put("one", {"a": stored("x"), "b": stored("y")})
    vectors.put("other", {"a": stored("x", b"\4")})
    vectors.put("one", {"b": stored("z")})
    vectors.put("one-more", {"c": stored("w")})
    again = VectorStore.open(tmp_path / "store")
    assert again.load("one", NOW) == {"a": stored("x"), "b": stored("z")}
    assert again.load("other", NOW) == {"a": stored("x", b"\4")}
    assert again.load("unknown", NOW) == {}
    assert again.models() == {"one": 2, "other": 1, "one-more": 1}
    assert again.size() > 0
    again.close()


def test_fingerprints_tell_texts_apart() -> None:
    assert text_fingerprint("a") == text_fingerprint("a") != text_fingerprint("b")
    assert len(text_fingerprint("half a pair \ud800")) == 8


def test_dropped_memories_are_gone_from_every_model(vectors: VectorStore) -> None:
    for model in ("one", "other"):
        vectors.put(model, {"a": stored("x"), "b": stored("y"), "c": stored("z")})
    assert vectors.drop(["a", "c", "unknown"]) == 4
    assert vectors.drop([]) == 0
    assert vectors.models() == {"one": 1, "other": 1}


def test_models_out_of_use_are_dropped_and_those_in_use_stay(vectors: VectorStore) -> None:
    vectors.put("old", {"a": stored("x")})
    vectors.put("new", {"a": stored("x")})
    vectors.load("old", NOW)
    vectors.load("new", NOW)
    assert vectors.compact(NOW + KEPT_DAYS * DAY) == 0
    vectors.load("new", NOW + DAY)
    assert vectors.compact(NOW + (KEPT_DAYS + 1) * DAY) == 1
    assert vectors.models() == {"new": 1}


def test_an_id_that_cannot_be_stored_is_left_out(vectors: VectorStore) -> None:
    vectors.put("one", {"a": stored("x"), "half \ud800": stored("y"), "unit\x1fseparator": stored("z")})
    assert vectors.load("one", NOW) == {"a": stored("x")}


def test_a_damaged_vector_reads_as_absent(vectors: VectorStore, tmp_path: Path) -> None:
    vectors.put("one", {"a": stored("x"), "b": stored("y"), "c": stored("z")})
    with sqlite3.connect(database(tmp_path)) as sql:
        key = keys.join_key(keys.VECTOR, "one", "b")
        (value,) = sql.execute("SELECT value FROM Cache WHERE key = ?", (key,)).fetchone()
        sql.execute("UPDATE Cache SET value = ? WHERE key = ?", (value[:-1] + b"\x7f", key))
        sql.execute("UPDATE Cache SET value = 7 WHERE key = ?", (keys.join_key(keys.VECTOR, "one", "c"),))
    sql.close()
    assert vectors.load("one", NOW) == {"a": stored("x")}
    vectors.put("one", {"b": stored("y")})
    assert vectors.load("one", NOW) == {"a": stored("x"), "b": stored("y")}


def test_a_damaged_database_is_started_afresh(vectors: VectorStore, tmp_path: Path) -> None:
    vectors.put("one", {"a": stored("x")})
    vectors.close()
    database(tmp_path).write_bytes(b"no database at all" * 500)
    again = VectorStore.open(tmp_path / "store")
    assert again.load("one", NOW) == {}
    again.put("one", {"a": stored("x")})
    assert again.load("one", NOW) == {"a": stored("x")}
    again.close()


def test_a_database_removed_while_in_use_is_made_again(vectors: VectorStore, tmp_path: Path) -> None:
    vectors.put("one", {"a": stored("x")})
    shutil.rmtree(database(tmp_path).parent)
    assert vectors.load("one", NOW) == {}
    vectors.put("one", {"b": stored("y")})
    assert vectors.load("one", NOW) == {"b": stored("y")}


def test_processes_write_at_once(vectors: VectorStore, tmp_path: Path, spawn: Callable[..., Popen[str]]) -> None:
    writers = [spawn("vectors", tmp_path / "store", name) for name in "abc"]
    for writer in writers:
        _, errors = writer.communicate(timeout=200)
        assert writer.returncode == 0, errors
    found = vectors.load("one", NOW)
    assert found.keys() == {f"{name}{number}" for name in "abc" for number in range(200)} | {"shared"}


def test_a_purge_takes_a_memory_s_vectors_and_no_others(tmp_path: Path) -> None:
    memories = MemoryStore.open(tmp_path / "store")
    for id in ("a", "b"):
        record = MemoryRecord(
            id=id, scope="project", type="project", name=id, content=id, source="agent", created_at=1, updated_at=1
        )
        with memories.transaction() as transaction:
            transaction.put(record, "created", 1)
    vectors = VectorStore.open(tmp_path / "store")
    secret = bytes(range(1, 200))
    vectors.put("one", {"a": stored("x", secret), "b": stored("y")})
    with memories.transaction() as transaction:
        transaction.delete("b", 2, purge=False)
    assert vectors.models() == {"one": 2}
    with memories.transaction() as transaction:
        transaction.delete("a", 2, purge=True)
    assert vectors.load("one", NOW) == {"b": stored("y")}
    vectors.close()
    memories.close()
    assert not any(secret in path.read_bytes() for path in tmp_path.rglob("*") if path.is_file())


def test_a_purge_makes_no_database_of_vectors(tmp_path: Path) -> None:
    memories = MemoryStore.open(tmp_path / "store")
    record = MemoryRecord(
        id="a", scope="project", type="project", name="a", content="a", source="agent", created_at=1, updated_at=1
    )
    with memories.transaction() as transaction:
        transaction.put(record, "created", 1)
    with memories.transaction() as transaction:
        transaction.delete("a", 2, purge=True)
    assert not database(tmp_path).exists()
    memories.close()
