"""Change agents' configuration files: show a diff, write with a backup next to the file, and undo."""

from __future__ import annotations

import contextlib
import difflib
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

import click

from sidecar.cli.agents import Change
from sidecar.cli.edits import EditRefused
from sidecar.cli.wording import printable
from sidecar.store.appended import replace

_BACKUP_SUFFIX = ".before-memory-sidecar"
_MAX_DIFF_LINES = 40


class FileStep(NamedTuple):
    """A file to replace. A text of None stands for a file that does not exist."""

    path: Path
    before: str | None
    after: str | None


def steps_to_set_up(changes: Sequence[Change]) -> list[FileStep]:
    """Return the files that setting up changes. Raises EditRefused, OSError, UnicodeDecodeError."""
    steps = []
    for change in changes:
        before = read_text(change.path)
        text = _apply_edit(change.path, before, change.edit)
        if text != (before or ""):
            steps.append(FileStep(change.path, before, text or None))
    return steps


def steps_to_undo(changes: Sequence[Change]) -> list[FileStep]:
    """Return the steps that undo a setup.

    An unchanged file gets its backup back. From a file that was changed since, only what is ours is removed.
    """
    steps = []
    for change in changes:
        current = read_text(change.path)
        backup = _backup_path(change.path)
        created = backup.exists() and not backup.stat().st_mode & 0o200  # `setup` made the file, which did not exist
        original = None if created else read_text(backup)
        if backup.exists() and (current or "") == _apply_edit(change.path, original, change.edit):
            steps.append(FileStep(change.path, current, original))
        elif current is not None and (text := _apply_edit(change.path, current, change.undo)) != current:
            is_unneeded = change.is_empty(text) and (created or not backup.exists())
            steps.append(FileStep(change.path, current, None if is_unneeded else text))
    return steps


def changed_meanwhile(steps: Sequence[FileStep]) -> Path | None:
    """Return a file that its agent has written since the steps were made; a step would lose what it wrote."""
    return next((step.path for step in steps if read_text(step.path) != step.before), None)


def write_step(step: FileStep) -> None:
    """Write a file. Its first state is kept in a backup beside it."""
    path, before, after = step
    backup = _backup_path(path)
    if not backup.exists():
        missing_folders = sum(not folder.exists() for folder in path.parents)
        write(backup, before if before is not None else str(missing_folders))
        if before is None:
            # read-only marks a file that did not exist; the text says how many of its folders did not
            backup.chmod(0o400)
    _replace(path, after)


def undo_step(step: FileStep) -> None:
    """Undo a file's change; remove its backup and the folders that were created for it."""
    backup = _backup_path(step.path)
    backup_text = (read_text(backup) or "") if step.after is None else ""
    _replace(step.path, step.after)
    backup.unlink(missing_ok=True)
    with contextlib.suppress(OSError):  # somebody else put something there
        for folder in step.path.parents[: int(backup_text) if backup_text.isdecimal() else 0]:
            folder.rmdir()


def print_diffs(steps: Sequence[FileStep]) -> None:
    for path, before, after in steps:
        old, new = (before or "").splitlines(), (after or "").splitlines()
        lines = list(difflib.unified_diff(old, new, str(path), str(path), lineterm="", n=2))
        for line in lines[:_MAX_DIFF_LINES]:
            colour = "green" if line.startswith("+") else "red" if line.startswith("-") else None
            click.secho(printable(line), fg=colour)
        if len(lines) > _MAX_DIFF_LINES:
            click.echo(f"    (and {len(lines) - _MAX_DIFF_LINES} more lines)")


def read_text(path: Path) -> str | None:
    """Return a file's text with its line endings unchanged, or None if the file does not exist."""
    try:
        with open(path, encoding="utf-8", newline="") as file:
            return file.read()
    except FileNotFoundError:
        return None


def write(path: Path, text: str) -> None:
    """Replace a file atomically. Keep its mode and follow a link; only the user can read a new file."""
    target = path.resolve()
    target.parent.mkdir(parents=True, exist_ok=True)
    mode = target.stat().st_mode & 0o777 if target.exists() else 0o600
    replace(target, text.encode())
    target.chmod(mode)


def _apply_edit(path: Path, text: str | None, edit: Callable[[str], str]) -> str:
    """Edit a file's text. If all its lines end in CR LF, so do the new lines."""
    try:
        if text is None or "\r\n" not in text or text.count("\r\n") != text.count("\n"):
            return edit(text or "")
        return edit(text.replace("\r\n", "\n")).replace("\n", "\r\n")
    except EditRefused as error:
        raise EditRefused(f"{path}: {error}") from None


def _replace(path: Path, text: str | None) -> None:
    if text is None:
        path.resolve().unlink(missing_ok=True)
    else:
        write(path, text)


def _backup_path(path: Path) -> Path:
    return path.with_name(path.name + _BACKUP_SUFFIX)
