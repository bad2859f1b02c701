"""What was read from another tool's files, before anything is stored."""

from __future__ import annotations

from collections.abc import Container
from dataclasses import dataclass, field
from typing import Literal

from sidecar.memories.drafts import Draft
from sidecar.runtime.errors import InvalidField

MAX_CHARS = 16_000  # characters of a memory; a test compares this number with the memories' own limit
Status = Literal["active", "archived", "resolved"]


@dataclass(frozen=True, slots=True)
class ImportSource:
    """One file."""

    path: str  # as the caller names it
    text: str
    modified_at: int | None = None

    @property
    def stem(self) -> str:
        return self.path.rpartition("/")[2].rpartition(".")[0] or self.path.rpartition("/")[2]


class ImportItem(Draft, frozen=True, kw_only=True):
    """One memory of a file. A field that the source leaves open is None."""

    key: str  # Links of the same import name it.
    where: str  # its place, for the user
    created_at: int | None = None
    updated_at: int | None = None
    status: Status = "active"
    note: str | None = None  # the source's words that are not in our vocabulary


@dataclass(frozen=True, slots=True)
class ItemLink:
    source: str
    target: str
    kind: str = "related"
    strength: float = 1.0


@dataclass(frozen=True, slots=True)
class Omission:
    where: str
    name: str
    reason: str


@dataclass(slots=True)
class ParsedImport:
    """All that one import found. `skipped` names each part that is no item, with the reason."""

    format: str
    items: list[ImportItem] = field(default_factory=list)
    links: list[ItemLink] = field(default_factory=list)
    skipped: list[Omission] = field(default_factory=list)

    def add(self, other: ParsedImport) -> None:
        self.items += other.items
        self.links += other.links
        self.skipped += other.skipped


def malformed(path: str, problem: str, hint: str | None = None) -> InvalidField:
    return InvalidField(f"{path}: {problem}", path="$.path", reason="malformed", hint=hint)


SCOPES = {
    **dict.fromkeys(("personal", "private", "local", "user"), "personal"),
    **dict.fromkeys(("project", "workspace", "repository", "repo", "team", "shared"), "project"),
}
_SCOPES_FROM_WIDEST = (None, "global", "project", "personal")


def scope_of(word: str | None) -> tuple[str | None, str | None]:
    """Return the widest scope that a word of the source allows. If the word is unknown, add a note."""
    if word is None or (known := SCOPES.get(word.strip().lower())) is not None:
        return (None if word is None else known), None
    return "personal", f"Its scope “{word[:40]}” is unknown, so it is stored as personal."


def narrower(first: str | None, second: str | None) -> str | None:
    """Return the narrower of two scopes; None stands for an unknown one."""
    return max(first, second, key=_SCOPES_FROM_WIDEST.index)


def join_notes(*parts: str | None) -> str | None:
    return " ".join(part for part in parts if part) or None


def unknown_type(word: str | None, known_types: Container[str]) -> str | None:
    if word is None or word.strip().lower() in known_types:
        return None
    return f"Its type “{word[:40]}” is unknown, so it is stored as project."
