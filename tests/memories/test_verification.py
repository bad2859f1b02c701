"""When a memory holds, by the hashes of its references then and now."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field

from sidecar.memories.index.judging import VERIFIED_EVERY_MS, apply_judgement, judge, verified_record
from sidecar.store.records import MemoryRecord, ReferenceRecord


@dataclass
class Files:
    """A checkout: content by path, hashes of symbols by path."""

    contents: dict[str, str] = field(default_factory=dict)
    named: dict[str, dict[str, str]] = field(default_factory=dict)

    def content(self, path: str) -> str | None:
        return self.contents.get(path)

    def symbols(self, path: str, names: Collection[str]) -> Mapping[str, str]:
        return {name: hash for name, hash in self.named.get(path, {}).items() if name in names}

    def moved(self, hash: str, path: str) -> str | None:
        return next((path for path, content in sorted(self.contents.items()) if content == hash), None)

    def forget_changed(self, paths: Iterable[str]) -> None:
        pass

    def take_changed(self, paths: Collection[str]) -> list[str]:
        return []


FILE = ReferenceRecord(kind="path", text="a.py", path="a.py", hash="1")
SYMBOL = ReferenceRecord(kind="symbol", text="f", path="a.py", hash="f1", symbol="f", file_hash="1")
URL = ReferenceRecord(kind="url", text="https://example.com")


def memory(*references: ReferenceRecord, **fields: object) -> MemoryRecord:
    values = {"id": "m", "scope": "project", "type": "project", "name": "n", "content": "c", "source": "agent"}
    return MemoryRecord(references=references, created_at=1, updated_at=1, **{**values, **fields})  # type: ignore[arg-type]


def status(files: Files, *references: ReferenceRecord) -> str:
    record = memory(*references)
    return apply_judgement(record, judge(record, files)).status


def test_a_memory_holds_while_nothing_changed() -> None:
    record = memory(FILE, SYMBOL, URL)
    judged = judge(record, Files({"a.py": "1"}))
    assert (judged.holds, judged.reverified, judged.checked, judged.gone) == (True, False, 2, 0)
    assert apply_judgement(record, judged) is record


def test_a_changed_file_counts_unless_its_symbols_stand_for_it() -> None:
    kept, changed = {"a.py": {"f": "f1"}}, {"a.py": {"f": "f2"}}
    assert status(Files({"a.py": "2"}), FILE) == "suspect"
    assert status(Files({"a.py": "2"}, kept), SYMBOL) == "active"
    assert status(Files({"a.py": "2"}, kept), FILE, SYMBOL) == "active"
    assert status(Files({"a.py": "2"}, changed), FILE, SYMBOL) == "suspect"
    assert status(Files({"a.py": "2"}), SYMBOL) == "suspect"


def test_incomparable_reference_is_never_suspect() -> None:
    assert status(Files(), URL) == "active"
    assert status(Files(), ReferenceRecord(kind="path", text="a.py", path="a.py")) == "active"


def test_gone_and_moved_files() -> None:
    assert status(Files(), FILE) == "suspect"
    record = memory(FILE, SYMBOL, files=("a.py",))
    judged = judge(record, Files({"b.py": "1"}))
    assert (judged.holds, judged.moved) == (True, True)
    seen = apply_judgement(record, judged)
    assert seen.files == ("b.py",)
    assert {(one.path, one.former) for one in seen.references} == {("b.py", "a.py")}
    back = judge(seen, Files({"a.py": "1"}))
    assert (back.holds, back.moved) == (True, False)  # its former path is known: nothing is to be written


def test_stale_references_are_marked_and_never_stored() -> None:
    record = memory(URL, FILE)
    judged = judge(record, Files({"a.py": "2"}))
    assert [one.stale for one in apply_judgement(record, judged).references] == [False, True]
    assert verified_record(record, judged, 5) is None


def test_verification_is_noted_once_an_hour() -> None:
    files = Files({"a.py": "2"}, {"a.py": {"f": "f1"}})
    record = memory(SYMBOL)
    first = verified_record(record, judge(record, files), 1_000)
    assert first is not None
    assert (first.verified_at, first.version, first.references) == (1_000, 1, record.references)
    assert verified_record(first, judge(first, files), 1_001) is None
    assert verified_record(first, judge(first, files), 1_000 + VERIFIED_EVERY_MS) is not None
    assert verified_record(record, judge(record, Files({"a.py": "1"})), 1_000) is None


def test_hidden_memories_keep_their_status() -> None:
    record = memory(FILE, status="archived")
    assert apply_judgement(record, judge(record, Files())).status == "archived"


def test_memory_stored_as_suspect_is_judged_when_possible() -> None:
    stored = memory(FILE, status="suspect")
    assert apply_judgement(stored, judge(stored, Files({"a.py": "1"}))).status == "active"
    blind = memory(status="suspect")
    assert apply_judgement(blind, judge(blind, Files())).status == "suspect"
