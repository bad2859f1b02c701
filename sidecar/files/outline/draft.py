"""Drafts of symbols. Handlers fill them in before the walk makes records of them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Final

from sidecar.files.structure.values import without_secret, without_secret_literals
from sidecar.store.records import SymbolRecord

_OWNER: Final = re.compile(r"\.|::")
_RESTATED: Final = re.compile(r" (?:(?:is|are) )?(?=\S+ \S+ )(?:(?<=is )|(?<=are )|(?=[a-z]+s ))")


@dataclass(slots=True)
class OutlineDraft:
    kind: str
    name: str
    start: int
    end: int
    signature: str
    doc: str | None = None
    public: bool = True
    children: list[OutlineDraft] = field(default_factory=list)

    def record(self) -> SymbolRecord:
        """Return the record, with members in source order."""
        return SymbolRecord(
            kind=self.kind,
            name=self.name,
            start=self.start,
            end=self.end,
            signature=_harmless(self.kind, self.signature),
            doc=_without_name(self.doc, self.name),
            public=self.public,
            children=tuple(child.record() for child in sorted(self.children, key=lambda draft: draft.start)),
        )


def every_draft(drafts: Iterable[OutlineDraft]) -> Iterator[OutlineDraft]:
    """Yield these drafts and all drafts below them, in order."""
    for draft in drafts:
        yield draft
        yield from every_draft(draft.children)


def _without_name(doc: str | None, name: str) -> str | None:
    """Drop the name with which a Go doc begins, and an `is` after it: `Parse reads a file`, `Mode is a flag`."""
    last = _OWNER.split(name)[-1]
    match = _RESTATED.match(doc, len(last)) if doc and last and doc.startswith(last) else None
    return doc[match.end() :][:1].upper() + doc[match.end() + 1 :] if doc and match else doc


def _harmless(kind: str, signature: str) -> str:
    """Hide those literals of a signature that could be secrets."""
    if kind in ("constant", "variable", "field", "property"):
        signature = without_secret(signature)
    return without_secret_literals(signature)


@dataclass(slots=True)
class Outline:
    symbols: list[OutlineDraft] = field(default_factory=list)
    imports: dict[str, None] = field(default_factory=dict)
    entry_points: dict[str, None] = field(default_factory=dict)
    doc: str | None = None

    def add_import(self, module: str) -> None:
        if module:
            self.imports[module] = None
