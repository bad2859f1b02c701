"""Symbols while handlers fill them in, before they become records."""

from __future__ import annotations

from dataclasses import dataclass, field

from sidecar.files.structure.values import without_secret, without_secret_literals
from sidecar.store.records import SymbolRecord


@dataclass(slots=True)
class Draft:
    kind: str
    name: str
    start: int
    end: int
    signature: str
    doc: str | None = None
    public: bool = True
    children: list[Draft] = field(default_factory=list)

    def record(self) -> SymbolRecord:
        """Return the stored form with members in source order; recursion is bounded by the walker's MAX_DEPTH."""
        return SymbolRecord(
            kind=self.kind,
            name=self.name,
            start=self.start,
            end=self.end,
            signature=_harmless(self.kind, self.signature),
            doc=self.doc,
            public=self.public,
            children=tuple(child.record() for child in sorted(self.children, key=_start)),
        )


def _harmless(kind: str, signature: str) -> str:
    """Hide literals in a signature that could be secrets: the store must hold none."""
    if kind in ("constant", "variable", "field", "property"):
        signature = without_secret(signature)
    return without_secret_literals(signature)


def _start(draft: Draft) -> int:
    return draft.start


@dataclass(slots=True)
class Scope:
    """The list that found symbols go into, and what holds for them there.

    `public` applies to unmarked members; languages with access sections change it on the way. `owner` is None at the
    top of the file.
    """

    into: list[Draft]
    owner: Draft | None = None
    depth: int = 0
    public: bool = True

    @property
    def kind(self) -> str:
        """Return the owner's kind; "" at the top."""
        return self.owner.kind if self.owner is not None else ""


@dataclass(slots=True)
class Outline:
    symbols: list[Draft] = field(default_factory=list)
    imports: dict[str, None] = field(default_factory=dict)
    entry_points: dict[str, None] = field(default_factory=dict)
    doc: str | None = None

    def add_import(self, module: str) -> None:
        """Add an imported module; the first mention decides its place."""
        if module:
            self.imports[module] = None
