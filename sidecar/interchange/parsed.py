"""Hold what was read from another tool's files before anything is stored."""

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
    """One file: its path as the caller names it, its text, and the time of its last change (epoch ms), if known."""

    path: str
    text: str
    modified_at: int | None = None

    @property
    def stem(self) -> str:
        return self.path.rpartition("/")[2].rpartition(".")[0] or self.path.rpartition("/")[2]


class ImportItem(Draft, frozen=True, kw_only=True):
    """One memory of a file. Links of the same import name its `key`; `where` shows its place to the user.

    Fields that the source leaves open are None. `type`, `category` and `scope` are already in our vocabulary; `note`
    names the source's words that are not.
    """

    key: str
    where: str
    created_at: int | None = None
    updated_at: int | None = None
    status: Status = "active"
    note: str | None = None


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
    """Everything that one import found; `skipped` names each part that is not an item, with the reason."""

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
_WIDER = (None, "global", "project", "personal")


def scope_of(word: str | None) -> tuple[str | None, str | None]:
    """Return the widest scope that a source's word allows, and a note if the word is unknown."""
    if word is None or (known := SCOPES.get(word.strip().lower())) is not None:
        return (None if word is None else known), None
    return "personal", f"Its scope “{word[:40]}” is unknown, so it is stored as personal."


def narrower(first: str | None, second: str | None) -> str | None:
    """Return the narrower of two scopes; None means unknown."""
    return max(first, second, key=_WIDER.index)


def join_notes(*parts: str | None) -> str | None:
    return " ".join(part for part in parts if part) or None


def unknown_type(word: str | None, known_types: Container[str]) -> str | None:
    if word is None or word.strip().lower() in known_types:
        return None
    return f"Its type “{word[:40]}” is unknown, so it is stored as project."
