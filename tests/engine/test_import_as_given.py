"""Files as editors, shells and other tools write them: byte order marks, line separators, odd values."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest

from protocol.methods import METHODS
from sidecar.engine.engine import Engine
from sidecar.runtime.clock import epoch_ms
from sidecar.runtime.errors import InvalidField, OutsideWorkspace

Make = Callable[..., Engine]
MARK = "\ufeff"


def ask(engine: Engine, method: str, **params: object) -> Any:
    return engine.call(method, msgspec.convert(params, METHODS[method].params))


@pytest.fixture
def engine(make_engine: Make, repository: Path) -> Engine:
    """Return the engine of a person at the command line."""
    return make_engine(repository, source="user")


def an_export(engine: Engine, content: str = "The gateway listens on 8080.") -> list[str]:
    ask(engine, "memory/record", content=content, name="Gateway")
    lines: list[str] = ask(engine, "memory/export").lines
    return lines


def test_separators_inside_a_text_do_not_break_the_lines_of_an_export(engine: Engine) -> None:
    text = "\n".join(an_export(engine, "one \u2028 two \x85 three \u2029 four"))
    assert ask(engine, "memory/import", text=text).counts["duplicate"] == 1


@pytest.mark.parametrize("spoil", [lambda t: MARK + t, lambda t: t + "\n\n", lambda t: t.replace("\n", "\r\n\r\n")])
def test_an_export_is_read_with_a_mark_at_its_start_and_with_blank_lines(
    engine: Engine, tmp_path: Path, spoil: Callable[[str], str]
) -> None:
    text = spoil("\n".join(an_export(engine)) + "\n")
    assert ask(engine, "memory/import", text=text).counts["duplicate"] == 1
    path = tmp_path / "export.jsonl"
    path.write_text(text, newline="")
    assert ask(engine, "memory/import", path=str(path)).counts["duplicate"] == 1


def test_an_export_that_was_cut_off_is_refused_with_blank_lines_as_well(engine: Engine) -> None:
    lines = an_export(engine)
    with pytest.raises(InvalidField, match="lines; "):
        ask(engine, "memory/import", text="\n\n".join([*lines[:1], *lines[2:]]))
    with pytest.raises(InvalidField, match="cut off"):
        ask(engine, "memory/import", text="\n\n".join(lines[:-1]) + "\n\n")


@pytest.mark.parametrize("text", ['{"a": 1}', '{"a":1}\n{"b":2}\n', "[1, 2]", '{"entities": [], "relations": []}'])
def test_json_of_no_known_format_does_not_become_a_memory(engine: Engine, text: str) -> None:
    with pytest.raises(InvalidField, match="its format is not known") as raised:
        ask(engine, "memory/import", text=text)
    assert raised.value.data.path == "$.text"
    assert ask(engine, "memory/list").items == []


def test_markdown_that_begins_like_json_is_markdown(engine: Engine) -> None:
    assert ask(engine, "memory/import", text="[a link](x.md) says how to deploy\n").format == "markdown"


def test_a_graph_in_a_text_with_a_mark_at_its_start(engine: Engine) -> None:
    line = '{"type":"entity","name":"Redis","entityType":"service","observations":["port 6379"]}'
    result = ask(engine, "memory/import", text=f"{MARK}{line}\r\n")
    assert result.format == "mcp-memory"
    assert result.counts["created"] == 1


@pytest.mark.parametrize("odd", [[1], {"a": 1}, None, 5, "unknown", True])
def test_an_odd_value_anywhere_in_another_tools_export_is_told(engine: Engine, odd: object) -> None:
    good = {"id": "m1", "category": "fact", "content": "The queue is drained at night."}
    fields = ("id", "category", "what", "why", "learned", "project", "source_file", "created_at", "resolved_at")
    export = {
        "version": "1.0",
        "exported_at": "2026-01-01T00:00:00Z",
        "memories": [good, odd, *({**good, "content": f"Told by {field}.", field: odd} for field in fields)],
        "links": [
            odd,
            *(
                {"source_memory_id": "m1", "target_memory_id": "m1", "link_type": "related", field: odd}
                for field in ("source_memory_id", "target_memory_id", "link_type", "strength")
            ),
        ],
        "entities": odd,
    }
    result = ask(engine, "memory/import", text=msgspec.json.encode(export).decode())
    assert result.format == "semantic-memory"
    assert result.counts["created"] >= 1
    assert result.counts["skipped"] >= 1


def test_links_that_lead_nowhere_are_told(engine: Engine) -> None:
    memories = [{"id": id, "category": "fact", "content": f"The part {id} is old."} for id in ("m1", "m2")]
    pairs = (("m1", "m2"), ("m1", "gone"), ("m2", "m2"))
    links = [{"source_memory_id": one, "target_memory_id": other, "link_type": "related"} for one, other in pairs]
    export = {"exported_at": "2026-01-01T00:00:00Z", "memories": memories, "links": links}
    result = ask(engine, "memory/import", text=msgspec.json.encode(export).decode())
    assert result.links == 1
    assert [each.reason for each in result.items if each.outcome == "skipped"] == [
        "There is no memory “gone”.",
        "It leads from a memory to itself.",
    ]


@pytest.mark.parametrize(
    ("path", "text", "format"),
    [
        (".opencode/MEMORY.md", "# Memory\n\n## Preferences\n\n- Use tabs\n", "opencode"),
        (".opencode/memory/build.md", "---\nname: b\ntype: build-command\n---\nmake all\n", "opencode"),
        (".serena/memories/layers.md", "# Layers\n\nThree.\n\n## Upper\n\nFront.\n", "serena"),
        ("file-history/app.jsonl", '{"path": "app/core.py", "facets": ["Nothing."]}\n', "prism"),
    ],
)
def test_a_single_file_of_a_folder_that_tells_its_format(
    engine: Engine, repository: Path, path: str, text: str, format: str
) -> None:
    file = repository / path
    file.parent.mkdir(parents=True)
    file.write_text(text)
    assert ask(engine, "memory/import", path=path, dryRun=True).format == format
    assert ask(engine, "memory/import", path=str(file), dryRun=True).format == format


def test_errors_of_a_text_do_not_name_a_path(engine: Engine) -> None:
    with pytest.raises(InvalidField) as raised:
        ask(engine, "memory/import", text="{bad", format="memory-sidecar")
    assert raised.value.data.path == "$.text"


def test_a_path_outside_names_the_field(make_engine: Make, repository: Path) -> None:
    agent = make_engine(repository)
    with pytest.raises(OutsideWorkspace) as raised:
        ask(agent, "memory/import", path="/etc/hostname")
    assert raised.value.data.path == "$.path"


def test_imported_memory_fades_from_the_day_it_came(engine: Engine) -> None:
    before = epoch_ms()
    text = '{"content": "We use SQLite.", "created_at": "2020-03-01T10:00:00Z", "updated_at": "2021-03-01T10:00:00Z"}'
    assert ask(engine, "memory/import", text=text, format="records").counts["created"] == 1
    (memory,) = ask(engine, "memory/list").items
    assert memory.created_at == 1_583_056_800_000
    assert memory.updated_at >= before
    assert ask(engine, "memory/maintain", dryRun=True).actions == []
