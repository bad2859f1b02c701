"""Judge whether a memory still holds, by the files of a checkout that it names."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Protocol

import msgspec
from msgspec.structs import replace

from sidecar.store.records import MemoryRecord, ReferenceRecord

if TYPE_CHECKING:
    from protocol.memories import Reference

VERIFIED_EVERY_MS = 3_600_000  # least milliseconds between two stored verifications of one memory


class CheckoutFiles(Protocol):
    """The files of one checkout. A file that cannot be read counts as gone; no method raises for it."""

    def content(self, path: str) -> str | None:
        """Return the hash of a file's content, or None if the file does not exist."""

    def symbols(self, path: str, names: Collection[str]) -> Mapping[str, str]:
        """Return the hashes of those of the symbols `names` that a file has."""

    def moved(self, hash: str, path: str) -> str | None:
        """Return the path where the content `hash`, which was at `path`, is now."""

    def forget_changed(self, paths: Iterable[str]) -> None:
        """Read those of `paths` again whose files have changed since they were read, by a cheap check."""

    def take_changed(self, paths: Collection[str]) -> list[str]:
        """Return those of `paths` whose files have changed; each change is returned once."""


class Judgement(msgspec.Struct, frozen=True):
    holds: bool
    reverified: bool  # a file changed, and the memory still holds
    references: tuple[ReferenceRecord, ...]  # as the checkout sees them
    checked: int = 0  # references with a hash to compare
    gone: int = 0  # references whose file or symbol the checkout no longer has
    file_gone: bool = False  # a whole file is gone
    moved: bool = False  # a file was found at another path by its content


def judge(record: MemoryRecord, files: CheckoutFiles) -> Judgement:
    by_path: dict[str, list[ReferenceRecord]] = {}
    for reference in record.references:
        if reference.path is not None and reference.hash is not None:
            by_path.setdefault(reference.path, []).append(reference)
    if not by_path:
        return Judgement(True, False, record.references)
    replaced: dict[ReferenceRecord, ReferenceRecord] = {}
    stale = reverified = file_gone = moved = False
    gone_count = 0
    for path, group in by_path.items():
        current_path, by_content = _find_file(path, group, files)
        outdated, gone, changed = _compare(current_path, group, files)
        stale |= bool(outdated)
        reverified |= changed and not outdated
        file_gone |= current_path is None
        moved |= by_content
        gone_count += len(gone)
        new = current_path if current_path is not None else path
        for ref in group:
            if new != path or ref in outdated:
                former = path if new != path else ref.former
                replaced[ref] = replace(ref, path=new, former=former, stale=ref in outdated, gone=ref in gone)
    references = tuple(replaced.get(reference, reference) for reference in record.references)
    checked = sum(map(len, by_path.values()))
    return Judgement(not stale, reverified and not stale, references, checked, gone_count, file_gone, moved)


def _compare(
    current_path: str | None, group: Sequence[ReferenceRecord], files: CheckoutFiles
) -> tuple[set[ReferenceRecord], set[ReferenceRecord], bool]:
    """Return the outdated references into a file, the references to gone symbols, and whether the file changed."""
    if current_path is None:
        return set(group), set(group), True
    now = files.content(current_path)
    changed = [ref for ref in group if _file_hash(ref) != now]
    symbols = [ref for ref in changed if ref.symbol is not None]
    hashes = files.symbols(current_path, [str(ref.symbol) for ref in symbols]) if symbols else {}
    outdated = {ref for ref in symbols if hashes.get(str(ref.symbol)) != ref.hash}
    if outdated or not any(ref.symbol is not None for ref in group):
        outdated |= {ref for ref in changed if ref.symbol is None}
    return outdated, {ref for ref in symbols if ref.symbol not in hashes}, bool(changed)


def _find_file(path: str, group: Sequence[ReferenceRecord], files: CheckoutFiles) -> tuple[str | None, bool]:
    """Return where a file is now (None: gone), and whether it was found by its content."""
    for candidate in (path, *(ref.former for ref in group if ref.former is not None)):
        if files.content(candidate) is not None:
            return candidate, False
    for hash in dict.fromkeys(_file_hash(ref) for ref in group):
        current_path = files.moved(hash, path) if hash is not None else None
        if current_path is not None:
            return current_path, True
    return None, False


def _file_hash(reference: ReferenceRecord) -> str | None:
    return reference.hash if reference.symbol is None else reference.file_hash


def apply_judgement(record: MemoryRecord, judgement: Judgement) -> MemoryRecord:
    """Return the record with the status, references and files of a judgement; a hidden memory keeps its status."""
    status = record.status
    if status in ("active", "suspect"):
        # A memory imported as suspect stays suspect until its references can be compared.
        holds = judgement.holds and (status == "active" or judgement.checked > 0)
        status = "active" if holds else "suspect"
    if status == record.status and judgement.references == record.references:
        return record
    pairs = zip(record.references, judgement.references, strict=True)
    moves = {old.path: new.path for old, new in pairs if old.path != new.path and new.path is not None}
    files = tuple(dict.fromkeys(moves.get(path) or path for path in record.files)) if moves else record.files
    return replace(record, status=status, references=judgement.references, files=files)


def verified_record(record: MemoryRecord, judgement: Judgement, now: int) -> MemoryRecord | None:
    """Return the record to store: as verified now, or with the new paths of moved files; None if nothing changes."""
    if record.status not in ("active", "suspect") or not judgement.holds or not judgement.checked:
        return None
    due = record.verified_at is None or record.verified_at <= now - VERIFIED_EVERY_MS
    if not judgement.moved and not (judgement.reverified and due):
        return None
    new = record
    if judgement.moved:
        judged = apply_judgement(record, judgement)
        new = replace(record, references=judged.references, files=judged.files)
    if judgement.reverified and due:
        new = replace(new, verified_at=now)
    return None if new == record else new


def suspicion(references: Iterable[ReferenceRecord | Reference]) -> str:
    """Return why a memory is suspect: the files and symbols that are gone or, if none is gone, those that changed."""
    stale = [reference for reference in references if reference.stale]
    gone = [reference for reference in stale if reference.gone]
    if names := dict.fromkeys((not ref.symbol and ref.path) or ref.text for ref in gone):
        return f"{', '.join(names)} {'is' if len(names) == 1 else 'are'} gone"
    changed = ", ".join(dict.fromkeys(reference.path or reference.text for reference in stale))
    return f"recorded against an older version{changed and f' of {changed}'}"
