"""The index that queries read: columns, words, entities and links of each memory; the texts stay in the stores."""

from __future__ import annotations

from bisect import bisect_left, insort
from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime

from sidecar.memories.drafts import Filters
from sidecar.memories.index.checkout_view import CheckoutView
from sidecar.memories.index.entities import EntityIndex, discard
from sidecar.memories.index.lazy_collections import LazyCollections
from sidecar.memories.index.meaning import Meaning
from sidecar.memories.index.ranking import rating
from sidecar.memories.index.row import row_of
from sidecar.memories.index.selection import Selection
from sidecar.memories.index.stored_rows import CatalogueRows
from sidecar.memories.index.supersession import Supersession
from sidecar.memories.wording.naming import is_derived
from sidecar.runtime.recently_used import RecentlyUsed
from sidecar.store.lexical import LexicalIndex
from sidecar.store.memory_store import MemoryStore
from sidecar.store.records import MemoryRecord
from sidecar.store.vocabulary import rule_of

# The weights of the fields that full text search reads.
NAME_WEIGHT = 2.0  # of a given name; a derived name only repeats the content
DESCRIPTION_WEIGHT = CONTENT_WEIGHT = TAGS_WEIGHT = FILES_WEIGHT = 1.0
DATE_WEIGHT = 0.5  # of the month: so low that "May 2026" only decides between equal matches
MONTHS = "January February March April May June July August September October November December".split()
MAX_NEIGHBOUR_DISTANCE = 2  # memories recorded this close to each other in a session are neighbours
_MAX_CACHED_SELECTIONS = 16  # cached selections, one for each set of filters
WISH_RULES = frozenset(("rule", "preference", "correction", "mention", "model", "revision"))
"""Rules whose feedback says what the user wants, whatever a prompt is about."""


class SessionOrders(LazyCollections[str, list[tuple[int, str]]]):
    """The memories of each session, as (time of recording, id) in that order."""

    def __init__(self) -> None:
        super().__init__(list, lambda old, new: sorted([*old, *new]))

    def add(self, session: str, created_at: int, id: str) -> None:
        insort(self.setdefault(session, []), (created_at, id))

    def remove(self, session: str, created_at: int, id: str) -> None:
        """Remove a memory; the values are those with which it was added."""
        order = self[session]
        del order[bisect_left(order, (created_at, id))]
        if not order:
            del self[session]

    def neighbours(self, session: str, created_at: int, id: str) -> list[tuple[str, int]]:
        """Return (id, distance) of memories up to `MAX_NEIGHBOUR_DISTANCE` places away, nearest first."""
        order = self[session]
        at = bisect_left(order, (created_at, id))
        neighbours = []
        for distance in range(1, MAX_NEIGHBOUR_DISTANCE + 1):
            sides = (at - distance, at + distance)
            neighbours += [(order[index][1], distance) for index in sides if 0 <= index < len(order)]
        return neighbours


class MemoryIndex:
    """The index over the memories of both stores, as one checkout sees them; read while `Catalogue.current` locks it.

    - `exempt`: memories that a block may show without a match;
    - `grounded`: memories that each checkout judges by the files that they name;
    - `ratings`: memories that people or agents have rated.
    """

    def __init__(self, stores: tuple[MemoryStore, MemoryStore], meaning: Meaning, view: CheckoutView) -> None:
        self.stores = stores
        self.meaning = meaning
        self.view = view
        self.rows = CatalogueRows()
        self.by_file: LazyCollections[str, set[str]] = LazyCollections(set, set.union)
        self.superseding = Supersession(self.rows)
        self.exempt: set[str] = set()
        self.ratings: dict[str, int] = {}
        self.grounded: set[str] = set()
        self.entities = EntityIndex()
        self.words = LexicalIndex()
        self.in_sessions = SessionOrders()
        self.selections: RecentlyUsed[Filters, Selection] = RecentlyUsed(_MAX_CACHED_SELECTIONS)
        self.corrections = 0  # how often `fetch` found a memory that another process had changed

    def by_store(self, ids: Iterable[str]) -> Iterator[tuple[MemoryStore, list[str]]]:
        """Yield each store with those of `ids` whose memories it holds."""
        holders = [(id, row.store) for id in ids if (row := self.rows.get(id)) is not None]
        for store in self.stores:
            if group := [id for id, holder in holders if holder is store]:
                yield store, group

    def select(self, filters: Filters, now: int) -> Selection:
        selection: Selection | None = self.selections.get(filters)
        if selection is None or not selection.is_valid(now):
            selection = self.selections[filters] = Selection(filters, self.rows, now)
        return selection

    def fetch(self, ids: Iterable[str]) -> dict[str, MemoryRecord]:
        """Return those of the memories `ids` that exist, as the checkout sees them.

        A memory that another process has changed is corrected here; `Catalogue.consistent_answer` then makes its
        answer again.
        """
        fetched: dict[str, MemoryRecord] = {}
        for store, group in self.by_store(ids):
            records = store.get_many(group)
            for id in group:
                if (record := records.get(id)) is None:
                    self.corrections += self.remove(id)
                    continue
                if (self.rows[id].version, self.rows[id].updated_at) != (record.version, record.updated_at):
                    self.add(record, store)
                    self.corrections += 1
                fetched[id] = self.view.judged(record, store)
        return fetched

    def search(self, query: str, selection: Selection, limit: int) -> tuple[Sequence[str], Sequence[float]]:
        """Return the ids and BM25 scores of the `limit` best selected memories, and of all that tie with the last."""
        return self.words.ranked(query, None if len(selection) == len(self.rows) else selection.ids.__contains__, limit)

    def neighbours(self, id: str) -> list[tuple[str, int]]:
        """Return (id, distance) of the memories recorded next to a memory in its session, nearest first."""
        session = self.rows.session(id)
        return [] if session is None else self.in_sessions.neighbours(session, self.rows[id].created_at, id)

    def add(self, record: MemoryRecord, store: MemoryStore) -> bool:
        """Add or replace a memory; return whether its text had to be analysed."""
        self._forget(record.id)
        stored_record, record = record, self.view.judge_and_keep(record, store)
        row = self.rows[record.id] = row_of(stored_record, record, store)
        if record.session_id is not None:
            self.in_sessions.add(record.session_id, record.created_at, record.id)
        for selection in self.selections.values():
            selection.add(row)
        for path in row.files:
            self.by_file.setdefault(path, set()).add(record.id)
        wish = record.type == "feedback" and rule_of(record.source) in WISH_RULES
        needs_no_match = record.pinned or record.category == "directive" or record.type == "user" or wish
        if any(reference.path is not None and reference.hash is not None for reference in stored_record.references):
            self.grounded.add(record.id)
        if needs_no_match and not row.foreign:
            self.exempt.add(record.id)
        if votes := rating(record.useful, record.not_useful):
            self.ratings[record.id] = votes
        if record.supersedes is not None:
            self.superseding.add_record(record.id, record.supersedes)
        self.meaning.add(record)
        self.entities.put(record)
        return self.words.add(record.id, indexed_fields(stored_record))

    def remove(self, id: str) -> bool:
        """Remove a memory; return whether it was in the index."""
        self._forget(id)
        self.meaning.remove(id)
        return self.words.remove(id)

    def _forget(self, id: str) -> None:
        row = self.rows.pop(id)
        if row is None:
            return
        for selection in self.selections.values():
            selection.remove(row)
        if row.session is not None:
            self.in_sessions.remove(row.session, row.created_at, id)
        for path in row.files:
            discard(self.by_file, path, id)
        if row.supersedes is not None:
            self.superseding.drop_record(id, row.supersedes)
        self.exempt.discard(id)
        self.ratings.pop(id, None)
        self.grounded.discard(id)
        self.entities.drop(id)


def field_weights() -> tuple[float, ...]:
    return NAME_WEIGHT, DESCRIPTION_WEIGHT, CONTENT_WEIGHT, TAGS_WEIGHT, FILES_WEIGHT, DATE_WEIGHT


def indexed_fields(record: MemoryRecord) -> list[tuple[str, float]]:
    weighted = [(record.content, CONTENT_WEIGHT)]
    if not is_derived(record.name, record.content):
        weighted.append((record.name, NAME_WEIGHT))
    if record.description:
        weighted.append((record.description, DESCRIPTION_WEIGHT))
    if record.tags:
        weighted.append((" ".join(record.tags), TAGS_WEIGHT))
    if record.files:
        weighted.append((" ".join(record.files), FILES_WEIGHT))
    weighted.append((month(record.created_at), DATE_WEIGHT))
    return weighted


def month(moment: int) -> str:
    """Return a time's month (UTC) as searchable words such as `May 2026`; "" for an impossible time."""
    try:
        day = datetime.fromtimestamp(moment / 1000, UTC)
    except (ValueError, OverflowError, OSError):
        return ""
    return f"{MONTHS[day.month - 1]} {day.year}"
