"""No import widens a scope: what a file says of its audience, in every format, and seeds as they are."""

from __future__ import annotations

import pytest

from sidecar.interchange.formats.detect import detect, parse
from sidecar.interchange.importing import draft_of
from sidecar.interchange.parsed import ImportSource, ParsedImport, narrower


def parsed(path: str, text: str) -> ParsedImport:
    sources = [ImportSource(path, text)]
    return parse(detect(sources), sources, lambda: None)


PAGE = "---\nname: Reviews\ntype: {type}\nscope: {scope}\nagent: reviewer\n---\nLook at the tests first.\n"
PATHS = [".opencode/memory/a.md", "memory/a.md", ".serena/memories/a.md", "notes.md", "AGENTS.md"]


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize(
    ("said", "scope"), [("personal", "personal"), ("private", "personal"), ("project", "project"), ("team", "project")]
)
def test_front_matter_names_the_audience_of_a_file(path: str, said: str, scope: str) -> None:
    (item,) = parsed(path, PAGE.format(type="feedback", scope=said)).items
    assert (item.scope, item.agent, item.note) == (scope, "reviewer", None)


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize("said", ["global", "everyone", "universe"])
def test_an_unknown_scope_is_stored_as_personal_and_noted(path: str, said: str) -> None:
    (item,) = parsed(path, PAGE.format(type="feedback", scope=said)).items
    assert item.scope == "personal"
    assert said in (item.note or "")


def test_a_claude_file_names_its_audience_in_its_metadata() -> None:
    text = "---\nname: a\nmetadata:\n  type: feedback\n  scope: private\n  agent: reviewer\n---\nSo.\n"
    (item,) = parsed("memory/a.md", text).items
    assert (item.scope, item.agent) == ("personal", "reviewer")


def test_an_import_notes_an_unknown_type() -> None:
    (item,) = parsed(".opencode/memory/a.md", PAGE.format(type="spell", scope="project")).items
    assert (item.type, item.note) == ("project", "Its type “spell” is unknown, so it is stored as project.")
    text = '{"exported_at": 1, "memories": [{"content": "So.", "category": "spell", "scope": "odd"}]}'
    (item,) = parsed("a.json", text).items
    assert item.scope == "personal"
    assert "spell" in (item.note or "")
    assert "odd" in (item.note or "")


def test_a_file_that_its_tool_keeps_private_stays_private() -> None:
    (item,) = parsed("CLAUDE.local.md", "## Mine\nI like tabs.\n").items
    assert item.scope == "personal"


@pytest.mark.parametrize("wanted", [None, "personal", "project", "global"])
@pytest.mark.parametrize("said", [None, "personal", "project"])
def test_the_scope_asked_for_never_widens_what_the_file_says(wanted: str | None, said: str | None) -> None:
    text = f"---\nname: a\ntype: feedback\n{f'scope: {said}' if said else ''}\n---\nSo.\n"
    (item,) = parsed(".opencode/memory/a.md", text).items
    draft = draft_of(item, "opencode", wanted, directives=False)
    assert draft.scope == narrower(wanted, said)
    order = ["personal", "project", "global"]
    assert said is None or order.index(draft.scope or "") <= order.index(said)


SEED = """# 🧠 Memory Index

> Written by a tool. 4 memories.

- [Reviews](memory/reviews.md) - how to review

## 💡 Preferences (1)

- **Tabs**: Use tabs, never spaces.

## 🔨 Build Commands

- **Release** (build-command, personal): run `make release`.
- **Redis** (the cache): listens on 6380.

## ⚠️ Gotchas

- The tests need a running Redis.

## 📦 Empty
"""


def test_a_seed_with_signs_in_its_headings_and_an_index() -> None:
    found = parsed(".opencode/MEMORY.md", SEED)
    items = {item.name or item.content: item for item in found.items}
    assert {name: (item.type, item.category) for name, item in items.items()} == {
        "Tabs": ("user", None),
        "Release": ("project", "procedure"),
        "Redis (the cache)": ("project", "procedure"),
        "The tests need a running Redis.": ("project", None),
    }
    assert items["Release"].scope == "personal"
    assert [left.reason for left in found.skipped] == [
        "1 lines only point to the other files.",
        "It is the header of an index.",
        "The section has a heading and no text.",
    ]
