"""`edit`: change a memory, in an editor or by options."""

from __future__ import annotations

import os
import shlex
import subprocess
import tempfile
from pathlib import Path
from typing import Any

import click

from protocol import memories
from protocol.memories import Memory
from sidecar.cli.draft import read_draft, write_draft
from sidecar.cli.failure import complain, warn
from sidecar.cli.memory_id import resolve
from sidecar.cli.options import choice, command, text_or_stdin, wire_paths
from sidecar.cli.output import one_line, print_json, print_note, short_id
from sidecar.cli.session import opened
from sidecar.cli.times import When
from sidecar.runtime.errors import SidecarError


@command(
    "edit",
    "memory/update",
    "ID is an id, its first or last characters, or a name. Opens $VISUAL or $EDITOR, and writes back what was "
    "saved unless the memory was changed meanwhile. With any of the options below no editor is opened.",
)
@click.argument("id")
@click.option("--content", help="New text; - reads it from stdin.")
@click.option("--name")
@click.option("--description", help="Empty: none.")
@click.option("--type", type=choice(memories.MemoryType))
@click.option("--category", type=click.Choice([*choice(memories.Category).choices, ""]), help="Empty: none.")
@click.option("--agent", metavar="NAME", help="Empty: none.")
@click.option(
    "--files", "--file", multiple=True, metavar="PATH", help="Instead of the present ones. Repeatable."
)
@click.option(
    "--tags", "--tag", multiple=True, metavar="TAG", help="Instead of the present ones. Repeatable."
)
@click.option("--expires-at", type=When(1), metavar="TIME")
@click.option("--pinned/--no-pinned", default=None)
@click.option("--expected-version", type=click.IntRange(1), help="Write only if it still is this version.")
def edit_command(
    id: str, expected_version: int | None, workspace: Path | None, as_json: bool, **given: Any
) -> None:
    """Change."""
    changes = _changes(given, workspace)
    with opened(workspace) as session:
        memory: Memory = session.call("memory/get", {"id": resolve(session, id)})
    drafted = None
    if not changes:
        drafted, changes = _in_editor(memory)
        expected_version = expected_version or memory.version
        if not changes:
            print_note("Nothing was changed.")
            if as_json:
                print_json(memories.UpdateResult(memory=memory, redactions=[]))
            return
    try:
        # Opened again: the editor may have been open for an hour, and a store is not to be held that long.
        with opened(workspace) as session:
            result: memories.UpdateResult = session.send(
                "memory/update", {"id": memory.id, "expectedVersion": expected_version, **changes}
            )
    except SidecarError:
        if drafted is not None:
            complain("It was not written.", f"Your text is kept in {_keep(drafted)}")
        raise
    if as_json:
        print_json(result)
        return
    stored = result.memory
    click.echo(f"Changed: {one_line(stored.name)}  [{short_id(stored.id)}, version {stored.version}]")
    for redaction in result.redactions:
        warn(f"taken out of {redaction.field} before it was stored: {redaction.kind}.")
    if result.name_hint is not None:
        warn(one_line(result.name_hint))


def _changes(given: dict[str, Any], workspace: Path | None) -> dict[str, Any]:
    """The options that were given, under their wire names; an empty text clears an optional field."""
    changes: dict[str, Any] = {}
    for field in ("name", "type", "pinned"):
        if given[field] is not None:
            changes[field] = given[field]
    for field in ("description", "category", "agent"):
        if given[field] is not None:
            changes[field] = given[field] or None
    if given["content"] is not None:
        changes["content"] = text_or_stdin((given["content"],), "CONTENT")
    if given["expires_at"] is not None:
        changes["expiresAt"] = given["expires_at"]
    if given["files"]:
        changes["files"] = wire_paths(given["files"], workspace)
    if given["tags"]:
        changes["tags"] = list(given["tags"])
    return changes


def _in_editor(memory: Memory) -> tuple[str, dict[str, Any]]:
    """What the editor left, and the changes it makes; no changes when it was left as it was or emptied."""
    before = write_draft(memory)
    after = in_editor(before, short_id(memory.id))
    if after == before or not after.strip():
        return after, {}
    try:
        return after, read_draft(after, memory)
    except ValueError as error:
        raise click.ClickException(f"{error} Your text is kept in {_keep(after)}") from None


def in_editor(text: str, name: str) -> str:
    """The text as a person left it in $VISUAL or $EDITOR. Raises `ClickException`."""
    editor = os.environ.get("VISUAL") or os.environ.get("EDITOR") or "vi"
    with tempfile.TemporaryDirectory(prefix="memory-sidecar-") as folder:
        path = Path(folder) / f"{name}.md"
        path.write_text(text, encoding="utf-8")
        try:
            code = subprocess.call([*shlex.split(editor), str(path)])
        except (OSError, ValueError) as error:
            raise click.ClickException(f"The editor {editor!r} could not be started: {error}.") from None
        if code != 0:
            raise click.ClickException(f"The editor {editor!r} ended with code {code}; nothing was written.")
        return path.read_text(encoding="utf-8", errors="replace")


def _keep(text: str) -> str:
    """Leave a text that could not be stored where its writer finds it."""
    with tempfile.NamedTemporaryFile(
        "w", encoding="utf-8", prefix="memory-sidecar-", suffix=".md", delete=False
    ) as kept:
        kept.write(text)
    return kept.name
