"""Each foreign format in its real shape: what is taken, what is linked, and what is left with a reason."""

from __future__ import annotations

from pathlib import Path

import pytest

from sidecar.interchange.formats.detect import detect, parse
from sidecar.interchange.parsed import MAX_CHARS, ImportItem, ImportSource, ParsedImport
from sidecar.memories.recording import checks
from sidecar.runtime.errors import InvalidField

FIXTURES = Path(__file__).parent / "fixtures"
MARCH = 1_772_359_200_000  # 2026-03-01T10:00:00Z


def sources(*names: str, root: Path = FIXTURES) -> list[ImportSource]:
    paths = [
        path
        for name in names
        for path in (sorted((root / name).rglob("*.*")) if (root / name).is_dir() else [root / name])
    ]
    return [ImportSource(path.relative_to(root).as_posix(), path.read_text(), 5) for path in paths if path.is_file()]


def parsed(*names: str) -> ParsedImport:
    found = sources(*names)
    return parse(detect(found), found, lambda: None)


def named(found: ParsedImport, name: str) -> ImportItem:
    (item,) = [item for item in found.items if item.name == name]
    return item


def test_an_import_splits_texts_at_the_limit_of_a_memory() -> None:
    assert checks.CONTENT_CHARS == MAX_CHARS


def test_a_semantic_memory_export_is_read() -> None:
    found = parsed("semantic-memory.json")
    assert found.format == "semantic-memory"
    decision = named(found, "Cache database")
    assert decision.content.endswith("\nWhy: One file, no server.")
    assert (decision.type, decision.category, decision.files) == ("project", "decision", ("src/cache.py",))
    assert decision.created_at == MARCH
    assert decision.tags == ("shop",)
    blocker = next(item for item in found.items if item.category == "blocker")
    assert (blocker.status, blocker.name) == ("resolved", None)
    directive = named(found, "Reviews")
    assert (directive.type, directive.category, directive.files) == ("feedback", "directive", ())
    assert named(found, "Images").created_at is None
    assert next((link.source, link.target, link.kind, link.strength) for link in found.links) == (
        "11",
        "12",
        "extends",
        0.8,
    )
    assert sorted(left.where.rpartition(", ")[2] for left in found.skipped) == [
        "entities",
        "links[1]",
        "links[2]",
        "memories[4]",
    ]


def test_claude_memories_are_read() -> None:
    found = parsed("claude")
    assert found.format == "claude"
    answers = named(found, "short-answers")
    assert answers.type == "feedback"
    assert answers.session_id == "0b7e4e0a-6d0e-4c58-9d6e-7b1f2d9a1c11"
    assert answers.updated_at == 1_786_034_560_669
    assert answers.description == "Three sentences at most — no summaries"
    freeze = named(found, "release-freeze")
    assert (freeze.type, freeze.description) == ("project", "SHIPPED: the freeze of the mobile release")
    assert named(found, "Issue tracker").type == "reference"
    assert [(link.source, link.target) for link in found.links] == [(answers.key, freeze.key)]
    assert [left.reason for left in found.skipped] == ["2 lines only point to the other files."]


def test_serena_memories_are_read() -> None:
    found = parsed("serena")
    assert found.format == "serena"
    assert [item.name for item in found.items] == ["specs/routing", "suggested_commands"]
    assert [left.name for left in found.skipped] == ["empty"]


def test_an_mcp_memory_file_is_read() -> None:
    found = parsed("memory.jsonl")
    assert found.format == "mcp-memory"
    alice = named(found, "Alice")
    assert alice.content == (
        "Alice (person):\n- Works on the billing service\n- Prefers short reviews\n- Speaks Dutch\n"
        "- maintains: billing\n- knows: nobody"
    )
    assert alice.tags == ("person",)
    assert [(link.source, link.target, link.kind) for link in found.links] == [
        ("Alice", "billing", "related"),
        ("billing", "Alice", "related"),
    ]
    assert [left.where for left in found.skipped] == [f"memory.jsonl, line {line}" for line in (7, 8, 5)]


def test_opencode_memories_are_read() -> None:
    found = parsed("opencode")
    assert found.format == "opencode"
    by_content = {item.content: item for item in found.items}
    assert by_content["Use tabs, never spaces."].type == "user"
    assert named(found, "Editor").content == "Neovim with the dark theme."
    database = named(found, "Database")
    assert (database.type, database.category) == ("feedback", "decision")
    assert named(found, "Architecture").content == "The server is one process.\nIt starts in `src/main.ts`."
    hang = named(found, "Tests hang")
    assert (hang.type, hang.tags) == ("project", ("tests", "redis"))
    assert named(found, "Build").category == "procedure"
    day = named(found, "Morning (2026-07-01)")
    assert day.created_at == 1_782_864_000_000


def test_markdown_by_sections() -> None:
    found = parsed("AGENTS.md")
    assert found.format == "markdown"
    assert [item.name for item in found.items] == ["AGENTS", "Setup", "Unit", "Integration", "Style", "Tests"]
    assert "# this is no heading" in named(found, "Setup").content
    assert all(item.category == "directive" for item in found.items)
    assert [(left.where, left.name) for left in found.skipped] == [("AGENTS.md, line 33", "Empty")]


def test_a_plain_file_gives_no_directives() -> None:
    found = parse("markdown", [ImportSource("docs/notes.md", "# Notes\n\nText.\n")], lambda: None)
    assert [item.category for item in found.items] == [None]


def test_a_long_file_is_split_and_nothing_is_lost() -> None:
    text = "\n\n".join(f"## Part {number}\n\n" + f"word{number} " * 500 for number in range(20))
    found = parse("serena", [ImportSource(".serena/memories/long.md", text)], lambda: None)
    assert len(found.items) > 1
    assert all(len(item.content) <= MAX_CHARS for item in found.items)
    assert " ".join(item.content for item in found.items).split() == text.split()
    assert found.items[0].name == f"long (part 1 of {len(found.items)})"


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.json", "{"),
        ("a.json", "[" * 100_000),
        ("a.json", '{"exported_at": 1, "memories": ' + '{"a":' * 5_000),
        ("a.json", '{"exported_at": 1, "memories": {}}'),
        ("a.xyz", "text"),
    ],
)
def test_unknown_format_is_an_error_with_the_file_s_name(name: str, text: str) -> None:
    with pytest.raises(InvalidField, match=r"a\.(json|xyz)"):
        parse(detect([ImportSource(name, text)]), [ImportSource(name, text)], lambda: None)


def test_deep_and_broken_lines_are_left() -> None:
    deep = '{"type":"entity","name":' + "[" * 50_000
    text = '{"type":"entity","name":"a","entityType":"b","observations":["c"]}\n' + deep
    found = parse("mcp-memory", [ImportSource("m.jsonl", text)], lambda: None)
    assert len(found.items) == 1
    assert [left.reason for left in found.skipped] == ["The line is not a JSON object."]


def test_aliases_in_front_matter_do_not_multiply() -> None:
    levels = "\n".join(f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]" for n in range(1, 30))
    text = f"---\nname: bomb\ntype: user\na0: &a0 [x]\n{levels}\n---\ntext\n"
    found = parse("claude", [ImportSource("bomb.md", text)], lambda: None)
    assert [item.name for item in found.items] == ["bomb"]


MEM0 = """{"count": 2, "results": [
  {"id": "a1", "memory": "Prefers morning meetings", "user_id": "arjun", "categories": ["work"],
   "metadata": {"type": "preference"}, "created_at": "2026-03-01T10:00:00Z", "updated_at": "2026-03-01T11:00:00Z"},
  {"id": "a2", "memory": "The staging server restarts at night", "agent_id": "ops", "run_id": "r1", "metadata": null},
  {"id": "a3", "memory": ""}]}"""
LINES = """{"content": "We use SQLite.", "name": "Database", "category": "Decisions", "created_at": 1772359200}
{"text": "Short answers.", "type": "feedback", "tags": "style, tone", "files": ["src/a.py", "../b"], "scope": "global"}

not json
{"memory": "Built with make.", "category": "build"}
"""


@pytest.mark.parametrize("text", [MEM0, MEM0.partition('"results": ')[2].removesuffix("}")])
def test_a_mem0_export_is_read(text: str) -> None:
    source = ImportSource("mem0.json", text, None)
    assert detect([source]) == "records"
    found = parse("records", [source], lambda: None)
    first, second = found.items
    assert (first.content, first.type, first.tags) == ("Prefers morning meetings", "user", ("work",))
    assert (first.created_at, first.updated_at) == (MARCH, MARCH + 3_600_000)
    assert "preference" in (first.note or "")
    assert (second.agent, second.session_id, second.type) == ("ops", "r1", "project")
    assert [(left.where, left.reason) for left in found.skipped] == [("mem0.json, entry 3", "It has no text.")]


def test_a_user_s_own_json_lines_are_read() -> None:
    source = ImportSource("mine.jsonl", LINES, None)
    assert detect([source]) == "records"
    found = parse("records", [source], lambda: None)
    database, answers, build = found.items
    assert (database.name, database.category, database.created_at) == ("Database", "decision", MARCH)
    assert (answers.type, answers.tags, answers.files) == ("feedback", ("style", "tone"), ("src/a.py",))
    assert answers.scope == "personal"
    assert (build.category, build.tags) == (None, ("build",))
    assert [left.reason for left in found.skipped] == ["It is not a JSON object."]


@pytest.mark.parametrize("text", ['{"name": "x"}', "[]", "[1, 2]", '"memory"', "{"])
def test_other_json_is_no_records(text: str) -> None:
    with pytest.raises(InvalidField):
        detect([ImportSource("package.json", text, None)])


def test_json_with_a_text_does_not_make_a_folder_of_markdown_one_of_records() -> None:
    both = [ImportSource("notes.md", "# Notes\n\nHello.", None), ImportSource("a.json", '{"text": "x"}', None)]
    assert detect(both) == "markdown"


def test_rules_of_cursor_and_copilot_keep_what_they_apply_to() -> None:
    rule = '---\ndescription: React components\nglobs: "*.tsx,src/ui/**"\nalwaysApply: false\n---\nUse hooks.\n'
    copilot = '---\napplyTo: "**/*.py"\n---\n# Python\n\nUse pathlib.\n'
    always = "---\ndescription: Always\nalwaysApply: true\n---\nBe brief.\n"
    given = [
        ImportSource(".cursor/rules/ui.mdc", rule, None),
        ImportSource(".cursor/rules/always.md", always, None),
        ImportSource(".github/instructions/python.instructions.md", copilot, None),
    ]
    found = parse(detect(given), given, lambda: None)
    ui, brief, python = found.items
    assert (ui.name, ui.description, ui.category) == ("ui", "React components", "directive")
    assert ui.content == "Use hooks.\n\nThis applies to `*.tsx`, `src/ui/**`."
    assert (brief.content.strip(), brief.description, brief.category) == ("Be brief.", "Always", "directive")
    assert (python.content.endswith("This applies to `**/*.py`."), python.category) == (True, "directive")
    assert found.skipped == []


def test_headings_give_the_category() -> None:
    text = (
        "# Project\n\nHello.\n\n## Blockers\n\nThe key is lost.\n\n## Key decisions\n\n### Database\n\nSQLite.\n\n"
        "## Decisions that were hard\n\nMany.\n"
    )
    found = parse("markdown", [ImportSource("notes.md", text, None)], lambda: None)
    assert {item.name: item.category for item in found.items} == {
        "Project": None,
        "Blockers": "blocker",
        "Database": "decision",
        "Decisions that were hard": None,
    }
    listed = ImportSource("notes.md", "## Decisions\n\n- We keep cents.\n- No ORM:\n  it hid queries.\n", None)
    found = parse("markdown", [listed], lambda: None)
    assert [(item.content, item.category) for item in found.items] == [
        ("We keep cents.", "decision"),
        ("No ORM:\nit hid queries.", "decision"),
    ]
    memory = ImportSource(".opencode/MEMORY.md", "## Blockers\n\n- **Key**: it is lost\n", None)
    assert [item.category for item in parse("opencode", [memory], lambda: None).items] == ["blocker"]
