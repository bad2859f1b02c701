"""Contents, pointers and named values."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from sidecar.store.file_store import FileStore
from sidecar.store.records import ContentRecord, PointerRecord, SymbolRecord

MakeContent = Callable[..., ContentRecord]


@pytest.fixture
def files(tmp_path: Path) -> Iterator[FileStore]:
    opened = FileStore.open(tmp_path)
    yield opened
    opened.close()


def pointer(path: str, hash: str, *history: str) -> PointerRecord:
    return PointerRecord(path=path, hash=hash, language="python", size=1, mtime_ns=2**60, history=history)


def stored(files: FileStore, checkout: str) -> dict[str, PointerRecord]:
    pointers, _ = files.pointers(checkout)
    return {
        path: PointerRecord(
            path=path, hash=hash, language=lang, size=size, mtime_ns=at, history=pointers.histories.get(path, ())
        )
        for path, (hash, lang, size, at) in pointers.files.items()
    }


def test_a_content_comes_back_as_it_was(files: FileStore, content: MakeContent) -> None:
    inner = SymbolRecord(kind="method", name="f", start=2, end=3, signature="def f(self)")
    outer = SymbolRecord(kind="class", name="C", start=1, end=3, signature="class C", children=(inner,))
    record = content("h", symbols=(outer,), imports=("a", "b"), doc="Does it.", head="x" * 200_000)
    files.put_contents([record])
    assert files.content("h", "python", 1) == record
    assert files.content("h", "python", 2) is None
    assert files.content("h", "go", 1) is None
    assert files.content("g", "python", 1) is None
    assert files.count() == 1


def test_many_contents_at_once(files: FileStore, content: MakeContent) -> None:
    files.put_contents(content(f"h{number}") for number in range(1300))
    wanted = [(f"h{number}", "python", 1) for number in range(0, 2600, 2)]
    found = files.contents(wanted)
    assert found.keys() == {each for each in wanted if int(each[0][1:]) < 1300}
    assert all(key[0] == record.hash for key, record in found.items())
    files.put_contents([])
    assert files.contents([]) == {}


def test_pointers_of_checkouts_stay_apart(files: FileStore) -> None:
    files.put_pointers("c", [pointer("a.py", "1"), pointer("b/ü 名.py", "2", "0")])
    files.put_pointers("c2", [pointer("a.py", "3")])
    assert stored(files, "c").get("a.py") == pointer("a.py", "1")
    assert stored(files, "c") == {"a.py": pointer("a.py", "1"), "b/ü 名.py": pointer("b/ü 名.py", "2", "0")}
    assert stored(files, "c2").keys() == {"a.py"}
    assert stored(files, "none") == {}


def test_a_pointer_is_replaced(files: FileStore) -> None:
    files.put_pointers("c", [pointer("a.py", "1")])
    files.put_pointers("c", [pointer("a.py", "2", "1")])
    assert stored(files, "c") == {"a.py": pointer("a.py", "2", "1")}


@pytest.mark.parametrize("path", ["bad \udcff", "with \x1f in it"])
def test_a_path_that_cannot_be_stored_does_not_spoil_the_others(files: FileStore, path: str) -> None:
    files.put_pointers("c", [pointer(path, "1"), pointer("good.py", "2")])
    assert stored(files, "c").keys() == {"good.py"}
    assert stored(files, "c").get(path) is None


def test_folded_pointers_are_those_that_were_stored_one_by_one(files: FileStore) -> None:
    before = [pointer("a.py", "1", "0"), pointer("b/ü 名.py", "2"), pointer("c.py", "")]
    files.put_pointers("c", before)
    files.put_pointers("c2", [pointer("a.py", "9")])
    files.fold_pointers("c", 10)
    assert files.pointers("c")[1] == 0
    assert stored(files, "c") == {record.path: record for record in before}
    assert stored(files, "c2").keys() == {"a.py"}
    later = pointer("a.py", "3", "1", "0")
    files.put_pointers("c", [later])
    assert stored(files, "c")["a.py"] == later
    files.fold_pointers("c", 10)
    assert stored(files, "c") == {record.path: record for record in (*before[1:], later)}


def test_only_the_latest_vanished_files_are_folded(files: FileStore) -> None:
    gone = [PointerRecord(path=f"{n}.py", hash="", language="", size=-1, mtime_ns=0, history=("1",)) for n in range(5)]
    files.put_pointers("c", [pointer("a.py", "1"), *gone])
    files.fold_pointers("c", 2)
    assert stored(files, "c").keys() == {"a.py", "3.py", "4.py"}


def test_damaged_folded_pointers_are_absent(files: FileStore) -> None:
    files.put_pointers("c", [pointer("a.py", "1")])
    files.fold_pointers("c", 2)
    with sqlite3.connect(files.directory / "files" / "cache.db") as sql:
        sql.execute("UPDATE Cache SET value = substr(value, 1, length(value) - 1) WHERE key = 'P:c'")
    files.put_pointers("c", [pointer("b.py", "2")])
    assert stored(files, "c").keys() == {"b.py"}


def test_compact_drops_what_no_pointer_names(files: FileStore, content: MakeContent) -> None:
    files.put_contents(content(f"h{number}") for number in range(1200))
    files.put_contents([content("h1", language="go")])
    files.put_pointers("c", [pointer("a", "h1", "h2", "h3")])
    files.fold_pointers("c", 1)
    files.put_pointers("c2", [pointer("a", "h4")])
    files.put_blob("b", b"kept")
    assert files.compact() == 1201 - 5
    assert files.count() == 5
    assert files.contents((f"h{n}", "python", 1) for n in range(10)).keys() == {
        (f"h{n}", "python", 1) for n in (1, 2, 3, 4)
    }
    assert files.content("h1", "go", 1) is not None
    assert files.get_blob("b") == b"kept"
    assert files.compact() == 0


def test_compacting_gives_the_space_back(files: FileStore, content: MakeContent) -> None:
    files.put_contents(content(f"h{number}", head="x" * 10_000) for number in range(300))
    folder = files.directory / "files"
    files.close()
    before = (folder / "cache.db").stat().st_size
    again = FileStore.open(folder.parent)
    again.compact()
    again.close()
    assert (folder / "cache.db").stat().st_size < before / 10


@pytest.mark.parametrize("value", [b"", b"x", b"\x00" * 3_000_000])
def test_a_named_value_is_stored_and_replaced(files: FileStore, value: bytes) -> None:
    assert files.get_blob("index") is None
    files.put_blob("index", value)
    assert files.get_blob("index") == value
    files.put_blob("index", b"other")
    assert files.get_blob("index") == b"other"


def test_stored_rows_are_there_after_reopening(tmp_path: Path, content: MakeContent) -> None:
    first = FileStore.open(tmp_path)
    first.put_contents([content("h")])
    first.close()
    first.close()
    second = FileStore.open(tmp_path)
    assert second.repair_message is None
    assert second.content("h", "python", 1) == content("h")
    assert second.size() > 0
    second.close()
