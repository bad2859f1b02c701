"""MEMORY.md as text: what is written is read back as it was, and what a person wrote stays."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sidecar.memory_file.text import document
from sidecar.memory_file.text.entry import Entry, parse, render, show
from sidecar.memory_file.text.layout import FileLimits, lay_out, shown_memory
from sidecar.memory_file.text.plan import ShownMemory, digest_entry, plan_changes
from sidecar.store.vocabulary import CATEGORIES

LIMITS = FileLimits()

lines = st.text(
    st.one_of(st.sampled_from("ab -*#`>:\\_()[]…é漢\t"), st.characters(exclude_categories=("Cs", "Cc", "Zl", "Zp"))),
    max_size=30,
)
texts = (
    st.lists(lines, min_size=1, max_size=6)
    .map(lambda found: "\n".join(line.rstrip() for line in found).strip())
    .filter(lambda text: bool(text.split()) and "more line" not in text)
)
names = st.text(st.sampled_from("abc *\\:-(é"), min_size=1, max_size=20).map(lambda s: " ".join(s.split()))
entries = st.builds(
    Entry,
    type=st.sampled_from(["project", "feedback", "reference", "user"]),
    text=texts,
    name=st.none() | names.filter(bool),
    category=st.none() | st.sampled_from(CATEGORIES),
    agent=st.none() | st.sampled_from(["reviewer", "code writer"]),
    pinned=st.booleans(),
    author=st.none() | st.sampled_from(["kim", "Kim Ek [kim]"]),
)


@given(entry=entries, name=names.filter(bool))
def test_document_is_read_as_it_was_rendered(entry: Entry, name: str) -> None:
    shown, rendered = show(entry, name, 1_000, "x")
    again = parse(rendered, entry.type)
    assert again == shown
    assert (shown.category, shown.agent, shown.pinned) == (entry.category, entry.agent, entry.pinned)
    assert shown.name in (entry.name, name)


@settings(max_examples=40)
@given(found=st.lists(entries, max_size=8, unique_by=lambda e: (e.type, e.agent, e.name, e.text)))
def test_a_document_is_read_back_entry_by_entry(found: list[Entry]) -> None:
    memories = {
        f"m{at}": shown_memory(f"m{at}", entry, f"name {at}", (0.0, at), LIMITS) for at, entry in enumerate(found)
    }
    laid, _ = lay_out(None, {}, memories, LIMITS)
    read = document.read_document(laid.text())
    assert sorted(repr(b.entry) for b in read.blocks if b.entry) == sorted(repr(m.shown) for m in memories.values())
    assert read.text() == laid.text()


@given(text=st.text(max_size=300) | st.lists(lines, max_size=20).map("\n".join))
def test_any_text_is_read_and_written_back_unchanged(text: str) -> None:
    text = text.replace("\r", "")
    assert document.read_document(text).text().rstrip("\n ") == text.rstrip("\n ") or not text.strip()


@settings(max_examples=40)
@given(
    found=st.lists(entries, max_size=12, unique_by=lambda e: (e.type, e.agent, e.name or e.text)),
    wanted=st.integers(20, 40),
)
def test_the_file_keeps_its_limit_and_a_second_layout_changes_nothing(found: list[Entry], wanted: int) -> None:
    limits = FileLimits(file_lines=wanted, entry_lines=4)
    memories = {
        f"m{at}": shown_memory(f"m{at}", entry, f"name {at}", (float(at % 3), at), limits)
        for at, entry in enumerate(found)
    }
    first, base = lay_out(None, {}, memories, limits)
    assert len(first.text().splitlines()) <= wanted
    again = document.read_document(first.text())
    units = {at: block.entry for at, block in enumerate(again.blocks) if block.entry}
    done = plan_changes(units, memories, base)
    assert not done.added
    assert not done.edited
    assert not done.removed
    second, base_again = lay_out(again, dict(done.placed), memories, limits)
    assert second.text() == first.text()
    assert base_again == base


def test_a_file_as_a_person_sees_it() -> None:
    memories = {
        "a": shown_memory(
            "a", Entry("project", "Run it with\n  make run", "How to run", "procedure"), "How to run", (2,), LIMITS
        ),
        "b": shown_memory(
            "b", Entry("feedback", "Never edit generated files."), "Never edit generated files", (1,), LIMITS
        ),
        "c": shown_memory("c", Entry("project", "x", "Rule", "directive", "reviewer", True), "Rule", (3,), LIMITS),
    }
    laid, _ = lay_out(None, {}, memories, LIMITS)
    assert laid.text().split("\n", 4)[4] == (
        "## Project Knowledge\n\n"
        "- **Rule** *(directive, pinned, agent: reviewer)*: x\n"
        "- **How to run** *(procedure)*: Run it with\n"
        "    make run\n\n"
        "## Feedback & Patterns\n\n"
        "- Never edit generated files.\n"
    )


HAND = """# Our notes

Read this first.

## Project Knowledge

- The API listens on 8080.
* Lint with `ruff`,
  then format.
  - also in CI

```
- this is code
```

## Deployment

1. Build the image
2. Push it

Last words.
"""


def read_hand() -> list[Entry]:
    return [block.entry for block in document.read_document(HAND).blocks if block.entry]


def test_entries_written_by_hand_are_found_and_code_is_not() -> None:
    assert [entry.text for entry in read_hand()] == [
        "The API listens on 8080.",
        "Lint with `ruff`,\nthen format.\n- also in CI",
        "Build the image",
        "Push it",
    ]


def test_text_by_a_person_stays_where_it_is() -> None:
    read = document.read_document(HAND)
    units = {at: block.entry for at, block in enumerate(read.blocks) if block.entry}
    memories = {f"m{at}": shown_memory(f"m{at}", entry, "n", (0,), LIMITS) for at, entry in units.items()}
    memories["new"] = shown_memory("new", Entry("project", "New fact."), "New fact", (0,), LIMITS)
    laid, _ = lay_out(read, {at: f"m{at}" for at in units}, memories, LIMITS)
    assert laid.text() == HAND.replace("  - also in CI\n", "  - also in CI\n- New fact.\n")


def test_windows_line_ends_stay() -> None:
    read = document.read_document(HAND.replace("\n", "\r\n"))
    assert read.text() == HAND.replace("\n", "\r\n")


def known_memory(entry: Entry, **more: str) -> dict[str, ShownMemory]:
    return {"m": shown_memory("m", entry, more.get("name", "n"), (0,), LIMITS)}


OLD = Entry("project", "Deploys run on Tuesday.\nAsk Ann first.", "Deploys")


@pytest.mark.parametrize(
    ("hand", "store", "wanted"),
    [
        (
            Entry("project", "Deploys run on Friday.\nAsk Ann first.", "Deploys"),
            OLD,
            "Deploys run on Friday.\nAsk Ann first.",
        ),
        (
            Entry("project", "Deploys run on Friday.\nAsk Ann first.", "Deploys"),
            Entry("project", "Deploys run on Tuesday.\nAsk Ann first.\nNever at night.", "Deploys"),
            "Deploys run on Friday.\nAsk Ann first.\nNever at night.",
        ),
        (
            Entry("project", "Deploys run on Tuesday.", "Deploys"),
            Entry("project", "Deploys run on Monday.\nAsk Ann first.", "Deploys"),
            "Deploys run on Tuesday.\nDeploys run on Monday.",
        ),
    ],
    ids=["hand alone", "both, apart", "both, removed by hand"],
)
def test_a_hand_s_and_the_store_s_edit_are_merged(hand: Entry, store: Entry, wanted: str) -> None:
    done = plan_changes({0: hand}, known_memory(store), {"m": digest_entry(OLD)})
    assert [edit.entry.text for edit in done.edited] == [wanted]
    assert not done.added
    assert not done.removed


def test_the_store_alone_changed_is_no_edit() -> None:
    done = plan_changes({0: OLD}, known_memory(Entry("project", "Other.", "Deploys")), {"m": digest_entry(OLD)})
    assert not done.edited
    assert done.placed == {0: "m"}


def test_a_renamed_entry_and_one_moved_to_another_section_are_the_same_memory() -> None:
    renamed = Entry("project", OLD.text, "Deployment days")
    assert (
        plan_changes({0: renamed}, known_memory(OLD), {"m": digest_entry(OLD)}).edited[0].entry.name
        == "Deployment days"
    )
    moved = Entry("feedback", OLD.text, "Deploys")
    assert plan_changes({0: moved}, known_memory(OLD), {"m": digest_entry(OLD)}).edited[0].entry.type == "feedback"


def test_a_reworded_entry_without_a_name_is_the_same_memory() -> None:
    old = Entry("project", "The server listens on port 8080 in development.")
    new = Entry("project", "The server listens on port 9090 in development.")
    done = plan_changes({0: new}, known_memory(old), {"m": digest_entry(old)})
    assert [(edit.id, edit.entry.text) for edit in done.edited] == [("m", new.text)]


def test_an_entry_that_was_removed_is_removed_once_it_was_there() -> None:
    assert plan_changes({}, known_memory(OLD), {"m": digest_entry(OLD)}).removed == ["m"]
    assert plan_changes({}, known_memory(OLD), {}).removed == []


def test_an_entry_that_left_the_store_goes_unless_a_hand_changed_it() -> None:
    assert not plan_changes({0: OLD}, {}, {"m": digest_entry(OLD)}).added
    edited = Entry("project", "Deploys run on Sunday.", "Deploys")
    assert plan_changes({0: edited}, {}, {"m": digest_entry(OLD)}).added == {0: edited}


def test_the_hidden_part_of_a_long_text_survives_an_edit_of_the_rest() -> None:
    long = Entry("project", "\n".join(f"line {n}" for n in range(30)), "Long")
    limits = FileLimits(entry_lines=5)
    memory = shown_memory("m", long, "Long", (0,), limits)
    assert memory.shown.cut
    assert len(memory.lines) == 5
    hand = parse([memory.lines[0].replace("line 0", "line zero"), *memory.lines[1:]], "project")
    assert hand is not None
    (edit,) = plan_changes({0: hand}, {"m": memory}, {"m": digest_entry(memory.shown)}).edited
    assert edit.entry.text == long.text.replace("line 0", "line zero", 1)


def test_conflict_markers_are_seen() -> None:
    assert document.has_conflict("- a\n<<<<<<< HEAD\n- b\n=======\n- c\n>>>>>>> other\n")
    assert not document.has_conflict("Title\n=======\n\n- a <<<<<<< b\n")


def test_render_tells_how_to_see_the_rest() -> None:
    rendered = render(Entry("project", "a\nb\nc\nd"), 3, "memory-sidecar get 1")
    assert rendered == ["- a", "  b", "  … *(2 more lines: memory-sidecar get 1)*"]
