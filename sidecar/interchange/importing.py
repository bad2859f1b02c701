"""Bring parsed files into a workspace's stores: learn the memories of other tools, restore our own exports."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from functools import partial

from msgspec.structs import replace

from sidecar.coordination import reminders
from sidecar.interchange import imported_facets, jsonl
from sidecar.interchange.jsonl import ExportedMemory, ExportedTombstone, ExportEntry
from sidecar.interchange.parsed import ImportItem, ParsedImport, join_notes, narrower
from sidecar.memories.book import MemoryBook
from sidecar.memories.candidates import candidate_rows
from sidecar.memories.recording import restoring
from sidecar.memories.recording.importer import Incoming, IncomingLink
from sidecar.memories.results import Redaction
from sidecar.runtime.errors import InvalidField
from sidecar.store.candidates import CandidateRecord
from sidecar.store.knowledge_store import KnowledgeStore
from sidecar.store.memory_store import MemoryStore
from sidecar.store.records import Bundle, FacetsRecord, TombstoneRecord
from sidecar.store.reminders import ReminderRecord
from sidecar.text.secrets import redact

MAX_ITEMS = 20_000
"""The most items of one import from another tool. One transaction stores them all, and other writers wait for it."""

Step = Callable[[int, int], None]  # reports how much is done of how much; may raise `Cancelled`


@dataclass(frozen=True, slots=True)
class ImportRow:
    outcome: str
    name: str
    where: str
    id: str | None = None
    scope: str | None = None
    reason: str | None = None
    redactions: tuple[Redaction, ...] = ()
    content: str = ""
    files: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ImportReport:
    format: str
    rows: list[ImportRow]
    links: int = 0
    tombstones: int = 0
    reminders: int = 0
    facets: int = 0
    candidates: int = 0


def learn_items(
    book: MemoryBook,
    parsed: ParsedImport,
    *,
    scope: str | None = None,
    directives: bool = False,
    replaces: bool = False,
    dry_run: bool,
    step: Step,
) -> ImportReport:
    """Record the memories of another tool. `step` may raise `Cancelled`. Raises InvalidField for too many."""
    if len(parsed.items) > MAX_ITEMS:
        raise InvalidField(
            f"The import has {len(parsed.items):,} items; the limit is {MAX_ITEMS:,}.",
            path="$.path",
            reason="tooMany",
            hint="Import the files in parts.",
        )
    incoming = []
    for item in parsed.items:
        draft = draft_of(item, parsed.format, scope, directives=directives)
        incoming.append(Incoming(draft, item.created_at, item.updated_at, item.status, replaces))
    numbers: dict[str, int] = {}
    for number, item in enumerate(parsed.items):
        numbers.setdefault(item.key, number)
    links = [
        IncomingLink(numbers[link.source], numbers[link.target], link.kind, link.strength)
        for link in parsed.links
        if link.source in numbers and link.target in numbers
    ]
    results, links_made = book.importer.import_memories(incoming, links, dry_run=dry_run, step=step)
    rows = []
    for item, result in zip(parsed.items, results, strict=True):
        record, reason = result.record, join_notes(result.reason, item.note, _scope_note(scope, item))
        name = _short_text(item.name or item.content) if record is None else record.name
        id, own_scope = (None, None) if record is None else (record.id, record.scope)
        words = (item.content, item.files)
        rows.append(ImportRow(result.outcome, name, item.where, id, own_scope, reason, result.redactions, *words))
    for part in parsed.skipped:
        rows.append(ImportRow("skipped", _short_text(part.name), part.where, reason=redact(part.reason)[0]))
    return ImportReport(parsed.format, rows, links_made)


def restore(
    stores: tuple[MemoryStore, MemoryStore],
    knowledge: KnowledgeStore | None,
    path: str,
    read: Callable[[], Iterable[bytes]],
    rules: restoring.RestoreRules,
    now: int,
    *,
    dry_run: bool,
    step: Step,
) -> ImportReport:
    """Restore our own export. Its lines are read twice, so that all are checked before any is stored."""
    total = 0
    for total, _ in enumerate(jsonl.read(path, read()), start=1):
        step(0, total)
    lines: dict[str, int] = {}
    counts = restoring.RestoreCounts()
    rows = []
    facets: list[FacetsRecord] = []
    entries = _records_of(jsonl.read(path, read()), stores, lines, facets)
    restored = restoring.restore(entries, stores, rules, now, dry_run=dry_run, counts=counts, remind=reminders.restore)
    with closing(restored):
        for number, row in enumerate(restored):
            step(number, total)
            where = f"{path}, line {lines.pop(row.id, 0) or '?'}"
            rows.append(ImportRow(row.outcome, row.name, where, row.id, row.scope, row.reason, row.redactions))
    learned = _merge_facets(knowledge, facets, dry_run=dry_run)
    return ImportReport(
        jsonl.FORMAT, rows, counts.links, counts.tombstones, counts.reminders, learned, counts.candidates
    )


def _merge_facets(knowledge: KnowledgeStore | None, records: Sequence[FacetsRecord], *, dry_run: bool) -> int:
    """Store an export's facets and return how many are new; after a crash, importing again adds them."""
    if knowledge is None:
        return 0
    new = 0
    for record in records:
        before = knowledge.facets([record.hash]).get(record.hash, FacetsRecord(hash=record.hash))
        new += len(imported_facets.with_imported(before, record).facets) - len(before.facets)
        if not dry_run:
            knowledge.update_facets(record.hash, partial(imported_facets.with_imported, more=record))
    return new


def _records_of(
    parts: Iterator[ExportEntry],
    stores: tuple[MemoryStore, MemoryStore],
    lines: dict[str, int],
    facets: list[FacetsRecord],
) -> Iterator[tuple[MemoryStore, Bundle | TombstoneRecord | ReminderRecord | CandidateRecord]]:
    homes = {"workspace": stores[0], "user": stores[1]}
    for part in parts:
        if isinstance(part, ExportedMemory):
            lines[part.bundle.id] = part.line
            yield homes[part.home], part.bundle
        elif isinstance(part, ExportedTombstone):
            yield homes[part.home], part.tombstone
        elif isinstance(part, ReminderRecord):
            yield homes["workspace"], reminders.check_record(part)
        elif isinstance(part, CandidateRecord):
            yield homes["workspace"], candidate_rows.check_import(part)
        elif isinstance(part, FacetsRecord):
            facets.append(imported_facets.sound_facets(part))


def draft_of(item: ImportItem, format: str, scope: str | None, *, directives: bool) -> ImportItem:
    category = None if item.category == "directive" and not directives else item.category
    return replace(item, scope=narrower(scope, item.scope), category=category, source=f"import:{format}")


def _scope_note(scope: str | None, item: ImportItem) -> str | None:
    if scope is None or item.note is not None or narrower(scope, item.scope) == scope:
        return None
    return f"Its file says {item.scope}; an import never widens a scope."


def _short_text(text: str) -> str:
    return redact(text)[0][:60]


def count_outcomes(rows: Sequence[ImportRow]) -> dict[str, int]:
    counts = Counter(row.outcome for row in rows)
    return {
        outcome: counts[outcome] for outcome in ("created", "merged", "duplicate", "forgotten", "skipped", "refused")
    }


def problems_first(rows: Sequence[ImportRow]) -> list[ImportRow]:
    order = ("refused", "forgotten", "skipped", "merged", "created", "duplicate")
    return sorted(rows, key=lambda row: order.index(row.outcome))
