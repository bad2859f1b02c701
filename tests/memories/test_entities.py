"""What names an entity exactly, and what only looks like it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sidecar.memories.index.entities import EntityIndex, EntityKey, entity
from sidecar.store.records import MemoryRecord, ReferenceRecord
from sidecar.text.references import entities, possible_mentions


def memory(id: str, text: str, *references: ReferenceRecord) -> MemoryRecord:
    found = [mention for mention in possible_mentions(text) if mention.sure]
    return MemoryRecord(
        id=id,
        scope="project",
        type="project",
        name=id,
        content=text,
        source="agent",
        created_at=1,
        updated_at=1,
        entities=entities(found),
        references=references,
    )


def named(index: EntityIndex, text: str, project: str | None = None, path: str | None = None) -> set[str]:
    return index.naming(entity(text, project, path).keys)


@pytest.fixture
def index() -> EntityIndex:
    index = EntityIndex()
    for id, text in {
        "i12": "Blocked by #12.",
        "i123": "Blocked by #123.",
        "a1": "See group/a!1.",
        "b1": "See group/b!1.",
        "sub": "See group/sub/a!1.",
        "e4": "Part of &4.",
        "user": "Ask @Ada about it.",
        "url": "Described at https://docs.example.org/guide.",
        "issue": "Filed as https://github.com/group/a/issues/12.",
        "colour": "The border is #123456 and the text #fff.",
        "mail": "Write to ada@example.org or use @property.",
    }.items():
        index.put(memory(id, text))
    return index


@pytest.mark.parametrize(
    ("asked", "project", "found"),
    [
        ("#12", None, {"i12"}),
        ("#123", None, {"i123"}),
        ("#1", None, set()),
        ("!12", None, set()),
        ("GH-12", None, {"i12"}),
        ("#12", "group/a", {"i12", "issue"}),
        ("group/a#12", "group/a", {"i12", "issue"}),
        ("group/a#12", None, {"issue"}),
        ("group/a#12", "group/b", {"issue"}),
        ("#12", "group/b", {"i12"}),
        ("https://github.com/group/a/issues/12", None, {"issue"}),
        ("https://github.com/group/a/issues/12", "group/a", {"i12", "issue"}),
        ("https://github.com/group/a/issues/1", None, set()),
        ("group/a!1", None, {"a1"}),
        ("group/b!1", None, {"b1"}),
        ("!1", "group/sub/a", {"sub"}),
        ("!1", None, set()),
        ("&4", None, {"e4"}),
        ("@ada", None, {"user"}),
        ("@Ada", None, {"user"}),
        ("https://docs.example.org/guide", None, {"url"}),
        ("https://docs.example.org", None, set()),
        ("#123456", None, set()),
        ("@property", None, set()),
    ],
)
def test_a_name_finds_memories_of_exactly_that_entity(
    index: EntityIndex, asked: str, project: str | None, found: set[str]
) -> None:
    assert named(index, asked, project) == found


def test_files_and_symbols_are_found_by_whole_path_and_dotted_name() -> None:
    index = EntityIndex()
    index.put(memory("f", "x", ReferenceRecord(kind="path", text="client.py", path="app/client.py")))
    index.put(memory("s", "x", ReferenceRecord(kind="symbol", text="C.m", path="app/client.py", symbol="C.m")))
    index.put(memory("gone", "x", ReferenceRecord(kind="path", text="app/gone.py")))
    assert named(index, "app/client.py", path="app/client.py") == {"f", "s"}
    assert named(index, "client.py", path="client.py") == set()
    assert named(index, "C.m") == named(index, "C.m()") == named(index, "app/client.py::C.m") == {"s"}
    assert named(index, "m") == named(index, "C") == named(index, "b.py::C.m") == set()
    assert named(index, "app/gone.py", path="app/gone.py") == {"gone"}
    index.put(memory("s", "nothing now"))
    index.drop("f")
    index.drop("f")
    assert named(index, "app/client.py", path="app/client.py") == set()


@given(st.lists(st.tuples(st.sampled_from("abcdef"), st.lists(st.integers(1, 30), max_size=4)), max_size=30))
def test_an_index_is_what_was_put_last(steps: list[tuple[str, list[int]]]) -> None:
    index, model = EntityIndex(), dict[str, set[str]]()
    for id, numbers in steps:
        if numbers:
            index.put(memory(id, " ".join(f"closes #{number}," for number in numbers)))
            model[id] = {f"#{number}" for number in numbers}
        else:
            index.drop(id)
            model.pop(id, None)
    for number in range(1, 31):
        assert named(index, f"#{number}") == {id for id, marks in model.items() if f"#{number}" in marks}
    assert {key for key, _ in index.items()} == {EntityKey("mark", mark) for marks in model.values() for mark in marks}


@given(st.text(max_size=50))
def test_any_text_is_some_entity(text: str) -> None:
    assert entity(text).keys
