"""Stored vectors outlive the process, and never their memory."""

from __future__ import annotations

import contextlib
import logging
from collections.abc import Callable
from pathlib import Path

import pytest

from sidecar.embedding.stored_vectors import WRITE_BATCH, StoredVectors
from sidecar.store.memory_store import MemoryStore
from sidecar.store.opening import open_database
from sidecar.store.vector_store import VectorStore

Remember = Callable[..., None]


def kept(memories: MemoryStore) -> StoredVectors:
    return StoredVectors(memories, lambda: 86_400_000)


def test_vectors_outlive_the_process(memories: MemoryStore, remember: Remember) -> None:
    remember("a", "b")
    first = kept(memories)
    assert first.load("one") == {}
    first.save("one", [("a", b"print", b"\1"), ("b", b"other", b"\2")])
    assert first.size() > 0
    first.close()
    again = kept(memories)
    assert again.load("one") == {"a": (b"print", b"\1"), "b": (b"other", b"\2")}
    assert again.load("two") == {}
    again.close()


def test_nothing_is_made_before_the_first_use(memories: MemoryStore) -> None:
    unused = kept(memories)
    assert unused.size() == 0
    unused.close()
    unused.save("one", [("a", b"print", b"\1")])
    assert unused.load("one") == {}
    assert not (memories.directory / "vectors").exists()


def test_no_vector_stays_of_a_memory_that_was_purged_meanwhile(memories: MemoryStore, remember: Remember) -> None:
    remember("a", "b")
    vectors = kept(memories)
    vectors.load("one")
    with memories.transaction() as transaction:
        transaction.delete("a", 2, purge=True)
    vectors.save("one", [("a", b"print", b"\1"), ("b", b"print", b"\2")])
    assert vectors.load("one") == {"b": (b"print", b"\2")}
    vectors.close()


def test_a_store_that_cannot_be_used_is_no_error(
    memories: MemoryStore, remember: Remember, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)
    remember("a")
    (memories.directory / "vectors").write_text("a file stands here")
    vectors = kept(memories)
    assert vectors.load("one") == {}
    vectors.save("one", [("a", b"print", b"\1")])
    assert "What can be made again is not kept" in caplog.text
    vectors.close()
    assert (memories.directory / "vectors").read_text() == "a file stands here"


def test_store_closed_meanwhile_gives_no_warning(
    memories: MemoryStore, remember: Remember, caplog: pytest.LogCaptureFixture
) -> None:
    """The background may be at work while a workspace is closed."""
    caplog.set_level(logging.INFO)
    remember("a")
    vectors = kept(memories)
    vectors.load("one")
    memories.close()
    vectors.save("one", [("a", b"print", b"\1")])
    vectors.close()
    assert [record.levelname for record in caplog.records if "could not be" in record.message] == ["INFO"]
    vectors.close()


def test_vectors_of_a_newer_version_are_left_alone(memories: MemoryStore, remember: Remember) -> None:
    remember("a")
    database = open_database(memories.directory, VectorStore.kind)
    with database.writing() as rows:
        rows.set("meta:version", 99)
    database.close()
    vectors = kept(memories)
    assert vectors.load("one") == {}
    vectors.save("one", [("a", b"print", b"\1")])
    vectors.close()


def test_few_wait_for_others_and_none_of_a_purged_memory_is_written(memories: MemoryStore, remember: Remember) -> None:
    ids = [f"m{number:03d}" for number in range(WRITE_BATCH)]
    remember(*ids)
    vectors = kept(memories)
    vectors.load("one")
    for id in ids[:-1]:
        vectors.save("one", [(id, b"print", b"\1")])
    with contextlib.closing(VectorStore.open(memories.directory)) as written:
        assert written.load("one", 1) == {}
        with memories.transaction() as transaction:
            transaction.delete("m000", 2, purge=True)
        vectors.save("one", [(ids[-1], b"print", b"\1")])
        assert sorted(written.load("one", 1)) == ids[1:]
    vectors.close()
