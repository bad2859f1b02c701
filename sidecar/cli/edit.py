"""`edit`: change a memory by options, or as text in an editor: its fields between `---` lines, then its content."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any, get_args

import click

from protocol import memories
from protocol.memories import Category, IdParams, Memory, MemoryType
from sidecar.cli.failure import complain, warn, warn_of_redactions
from sidecar.cli.memory_id import resolve
from sidecar.cli.options import Cli, choice, command, text_or_stdin
from sidecar.cli.output import print_note, print_titled
from sidecar.cli.times import When
from sidecar.cli.wording import printable_line, short_id, title
from sidecar.runtime.errors import SidecarError

_SEPARATOR = "---"
_DRAFT_HINT = "# Up here, lines that begin with # are ignored. An empty field is cleared."
_CHOICES_BY_FIELD = {"type": get_args(MemoryType), "category": ("", *get_args(Category)), "pinned": ("yes", "no")}
_DRAFT = re.compile(rf"[^\n]*\n(.*?)^[ \t]*{_SEPARATOR}[ \t\r]*(?:\n(.*))?\Z", re.DOTALL | re.MULTILINE)
_DRAFT_FIELDS = ("name", "description", "type", "category", "tags", "pinned")


@command("edit")
@click.argument("id")
@click.option("--content", help="New text; - reads it from stdin.")
@click.option("--name")
@click.option("--description", help="Empty: none.")
@click.option("--type", type=choice(memories.MemoryType))
@click.option("--category", type=click.Choice([*choice(memories.Category).choices, ""]), help="Empty: none.")
@click.option("--agent", metavar="NAME", help="Empty: none.")
@click.option("--files", "--file", multiple=True, metavar="PATH", help="Replaces the current ones. Repeatable.")
@click.option("--tags", "--tag", multiple=True, metavar="TAG", help="Replaces the current ones. Repeatable.")
@click.option("--expires-at", type=When(1), metavar="TIME")
@click.option("--pinned/--no-pinned", default=None)
@click.option("--expected-version", type=click.IntRange(1), help="Write only if the memory still has this version.")
def edit_command(cli: Cli, id: str, expected_version: int | None, **options: Any) -> None:
    """Change a memory, in your editor or by options.

    Without options, opens $VISUAL or $EDITOR and stores the text that you save, unless the memory was changed
    meanwhile. `memory-sidecar undo` takes the change back.
    """
    cli.confirm_files(options["files"])
    changes = {name: value for name, value in cli.params(options).items() if value is not None}
    if "content" in changes:
        changes["content"] = text_or_stdin((changes["content"],), "CONTENT")
    for field in ("description", "category", "agent"):
        if changes.get(field) == "":
            changes[field] = None  # clears the field
    with cli.open_calls() as calls:
        memory = calls.memory_get(IdParams(id=resolve(calls, id)))
    draft = None
    if not changes:
        draft, changes = _edit_memory(memory)
        expected_version = expected_version or memory.version
        if not changes:
            print_note("Nothing was changed.")
            cli.end_with_json(memories.UpdateResult(memory=memory, redactions=[]))
            return
    try:
        # Open the stores again: the editor may be open for an hour, and nobody may hold a store for so long.
        with cli.open_calls() as calls:
            params = {"id": memory.id, "expectedVersion": expected_version, **changes}
            result: memories.UpdateResult = calls.send("memory/update", params)
    except SidecarError:
        if draft is not None:
            complain("The memory was not changed.", f"Your text is saved in {_save_draft(draft)}")
        raise
    cli.end_with_json(result)
    print_titled("Changed", result.memory, f"version {result.memory.version}")
    warn_of_redactions(result.redactions)
    if result.name_hint is not None:
        warn(printable_line(result.name_hint))


def _edit_memory(memory: Memory) -> tuple[str, dict[str, Any]]:
    """Let the user edit a memory; return the text and its changes, none if it is empty or as before."""
    before = write_draft(memory)
    after = edit_text(before, short_id(memory.id))
    if after == before or not after.strip():
        return after, {}
    try:
        return after, read_draft(after, memory)
    except ValueError as error:
        raise click.ClickException(f"{error} Your text is saved in {_save_draft(after)}") from None


def edit_text(text: str, name: str) -> str:
    """Let the user edit a text in $VISUAL or $EDITOR, and return the result. Raises `ClickException`."""
    if not sys.stdin.isatty():
        raise click.ClickException("An editor needs a terminal. Give the new text with --content.")
    editor = os.environ.get("VISUAL") or os.environ.get("EDITOR") or "vi"
    with tempfile.TemporaryDirectory(prefix="memory-sidecar-") as folder:
        path = Path(folder) / f"{name}.md"
        path.write_text(text, encoding="utf-8")
        try:
            code = subprocess.call([*shlex.split(editor), str(path)])
        except (OSError, ValueError) as error:
            raise click.ClickException(f"The editor {editor!r} could not be started: {error}.") from None
        if code != 0:
            raise click.ClickException(f"The editor {editor!r} ended with code {code}; nothing was changed.")
        return path.read_text(encoding="utf-8", errors="replace")


def _save_draft(text: str) -> str:
    """Save a text that could not be stored; return the path of its file."""
    descriptor, path = tempfile.mkstemp(prefix="memory-sidecar-", suffix=".md")
    with open(descriptor, "w", encoding="utf-8") as file:
        file.write(text)
    return path


def write_draft(memory: Memory) -> str:
    lines = [f"{key}: {value}".rstrip() for key, value in _draft_fields(memory).items()]
    return "\n".join([_SEPARATOR, _DRAFT_HINT, *lines, _SEPARATOR, memory.content]) + "\n"


def _draft_fields(memory: Memory) -> dict[str, str]:
    fields = {
        "name": title(memory.name),
        "description": memory.description or "",
        "type": memory.type,
        "category": memory.category or "",
        "tags": ", ".join(memory.tags),
        "pinned": "yes" if memory.pinned else "no",
    }
    return {key: " ".join(value.split()) for key, value in fields.items()}


def read_draft(text: str, memory: Memory) -> dict[str, Any]:
    """Return the changes of an edited text, by wire name. Raises `ValueError`."""
    fields, content = _split_draft(text)
    if not content.strip():
        raise ValueError("The text is empty. To delete a memory, use delete.")
    before = _draft_fields(memory)
    changes = {field: _wire_value(field, value) for field, value in fields.items() if value != before[field]}
    return changes if content == memory.content else {"content": content, **changes}


def _wire_value(field: str, value: str) -> object:
    allowed = _CHOICES_BY_FIELD.get(field, (value,))
    if value not in allowed:
        raise ValueError(f"{field} must be one of {', '.join(word for word in allowed if word)}, not {value!r}.")
    if field == "name" and not value:
        raise ValueError("The name is empty.")
    if field == "tags":
        return [tag.strip() for tag in value.split(",") if tag.strip()]
    return value == "yes" if field == "pinned" else value or None


def _split_draft(text: str) -> tuple[dict[str, str], str]:
    text = text.removesuffix("\n")
    if text.partition("\n")[0].strip() != _SEPARATOR:
        return {}, text
    draft = _DRAFT.match(text)
    if draft is None:
        raise ValueError(f"The {_SEPARATOR} line between the fields and the text is missing.")
    fields: dict[str, str] = {}
    for number, line in enumerate(draft[1].split("\n"), start=2):
        if line.strip() and not line.lstrip().startswith("#"):
            key, colon, value = line.partition(":")
            if not colon or key.strip() not in _DRAFT_FIELDS:
                raise ValueError(f"Line {number} is not a known field: {line.strip()[:40]!r}.")
            fields[key.strip()] = " ".join(value.split())
    return fields, draft[2] or ""
