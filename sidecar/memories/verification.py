"""Whether what a memory was recorded against is still so in the checkout that asks.

Nothing of it is stored: two worktrees on different branches share a store, and each has to see the truth of its own
files. A memory's stored status stays `active`; `shown` gives the record as this checkout sees it, `suspect` when a
file or symbol that it refers to has changed or gone, with the references in question marked and moved files followed.

What counts as changed: of a symbol its own content; of a file all of it, unless the memory also refers to symbols in it
and all of those are as they were. A file whose content stands at another path now was moved, not lost.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import NamedTuple, Protocol

import msgspec

from sidecar.store.records import MemoryRecord, ReferenceRecord

VERIFIED_EVERY = 3_600_000
"""Milliseconds that pass at least before a memory is noted as verified again: not every save of a file is a write."""


class Grounded(NamedTuple):
    """What a text names: references, with what they were found to be, and entities as on the wire."""

    references: tuple[ReferenceRecord, ...] = ()
    entities: tuple[str, ...] = ()


class Surroundings(Protocol):
    """The files of one checkout. Never raises for a file that cannot be read: it is not there."""

    def ground(self, text: str, files: Sequence[str], *, local: bool) -> Grounded:
        """What the text names. Not `local`: of a memory that other workspaces see, so that no file is looked at."""
        ...

    def content(self, path: str) -> str | None:
        """The hash of a file's content, None when there is none."""
        ...

    def symbols(self, path: str, names: Collection[str]) -> Mapping[str, str]:
        """The hashes of symbols of a file; those that it does not have are missing."""
        ...

    def moved(self, hash: str) -> str | None:
        """A path at which this content stands."""
        ...

    def outdated(self, paths: Iterable[str]) -> list[str]:
        """Those of the paths asked for that have changed since, by a cheap look; they are looked at anew."""
        ...


class Judgement(msgspec.Struct, frozen=True):
    """`holds`: nothing it refers to has changed. `anew`: it holds although some file has, so it was verified.

    `references` are as this checkout sees them. `checked` counts those that can be compared, `missing` those of them
    whose file or symbol is gone. `followed`: some file was found at another path by its content.
    """

    holds: bool
    anew: bool
    references: tuple[ReferenceRecord, ...]
    checked: int = 0
    missing: int = 0
    lost: bool = False
    followed: bool = False


def judge(record: MemoryRecord, around: Surroundings) -> Judgement:
    """Compare a memory's references with the files as they are now."""
    by_path: dict[str, list[ReferenceRecord]] = {}
    for reference in record.references:
        if reference.path is not None and reference.hash is not None:
            by_path.setdefault(reference.path, []).append(reference)
    if not by_path:
        return Judgement(True, False, record.references)
    replaced: dict[ReferenceRecord, ReferenceRecord] = {}
    stale = anew = lost = followed = False
    missing = 0
    for path, group in by_path.items():
        found = _Group(path, group, around)
        stale |= bool(found.stale)
        anew |= found.anew
        lost |= found.place is None
        followed |= found.followed
        missing += len(found.missing)
        for reference in group:
            new = found.place if found.place is not None else path
            if new != path or reference in found.stale:
                former = path if new != path else reference.former
                replaced[reference] = msgspec.structs.replace(
                    reference, path=new, former=former, stale=reference in found.stale
                )
    references = tuple(replaced.get(reference, reference) for reference in record.references)
    checked = sum(map(len, by_path.values()))
    return Judgement(not stale, anew and not stale, references, checked, missing, lost, followed)


class _Group:
    """The references of one memory into one file. `place` is where the file is now, None: nowhere."""

    def __init__(self, path: str, group: Sequence[ReferenceRecord], around: Surroundings) -> None:
        self.stale: set[ReferenceRecord] = set()
        self.missing: set[ReferenceRecord] = set()
        self.followed = False
        self.anew = False
        self.place = self._find(path, group, around)
        if self.place is None:
            self.stale = self.missing = set(group)
            return
        now = around.content(self.place)
        changed = [reference for reference in group if _file_hash(reference) != now]
        if not changed:
            return
        symbols = [reference for reference in changed if reference.symbol is not None]
        hashes = around.symbols(self.place, [str(one.symbol) for one in symbols]) if symbols else {}
        self.missing = {one for one in symbols if one.symbol not in hashes}
        self.stale = {one for one in symbols if hashes.get(str(one.symbol)) != one.hash}
        if self.stale or not any(reference.symbol is not None for reference in group):
            self.stale |= {one for one in changed if one.symbol is None}
        self.anew = not self.stale

    def _find(self, path: str, group: Sequence[ReferenceRecord], around: Surroundings) -> str | None:
        if around.content(path) is not None:
            return path
        for former in (one.former for one in group if one.former is not None):
            if around.content(former) is not None:
                return former
        for hash in dict.fromkeys(_file_hash(one) for one in group):
            place = around.moved(hash) if hash is not None else None
            if place is not None:
                self.followed = True
                return place
        return None


def _file_hash(reference: ReferenceRecord) -> str | None:
    return reference.hash if reference.symbol is None else reference.file_hash


def shown(record: MemoryRecord, judgement: Judgement) -> MemoryRecord:
    """The record as the checkout sees it. A memory that is hidden keeps its status."""
    status = record.status
    if status in ("active", "suspect"):
        # One that an older version stored as suspect is so until its references can be compared.
        holds = judgement.holds and (status == "active" or judgement.checked > 0)
        status = "active" if holds else "suspect"
    if status == record.status and judgement.references == record.references:
        return record
    moves = {
        old.path: new.path
        for old, new in zip(record.references, judgement.references, strict=True)
        if old.path != new.path and new.path is not None
    }
    files = tuple(dict.fromkeys(moves.get(path) or path for path in record.files)) if moves else record.files
    return msgspec.structs.replace(record, status=status, references=judgement.references, files=files)


def renewed(record: MemoryRecord, judgement: Judgement, now: int) -> MemoryRecord | None:
    """The record to keep instead, verified now or with its moved files followed; None when nothing is to be kept."""
    if record.status not in ("active", "suspect") or not judgement.holds or not judgement.checked:
        return None
    due = record.verified_at is None or record.verified_at <= now - VERIFIED_EVERY
    if not judgement.followed and not (judgement.anew and due):
        return None
    kept = record
    if judgement.followed:
        seen = shown(record, judgement)
        kept = msgspec.structs.replace(record, references=seen.references, files=seen.files)
    if judgement.anew and due:
        kept = msgspec.structs.replace(kept, verified_at=now)
    return None if kept == record else kept


def stale_paths(record: MemoryRecord) -> tuple[str, ...]:
    """The files that make a shown record suspect."""
    stale = (_path(reference) for reference in record.references if reference.stale)
    return tuple(dict.fromkeys(stale))


def _path(reference: ReferenceRecord) -> str:
    return reference.path or reference.text
