"""Find stored memories: by a query, by filters or by id; `match` in `matching.py` does the ranking."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Mapping, Sequence
from heapq import nlargest
from typing import Final

from sidecar.memories.drafts import Filters
from sidecar.memories.index import ranking
from sidecar.memories.index.catalogue import Catalogue, not_found
from sidecar.memories.index.memory_index import MemoryIndex
from sidecar.memories.results import Explanation, FoundMemory, Page, Similar
from sidecar.memories.retrieval import paging, reasons
from sidecar.memories.retrieval.matching import Match, match
from sidecar.memories.retrieval.paging import Position
from sidecar.memories.retrieval.prompt import what_is_asked
from sidecar.memories.retrieval.weights import Weights
from sidecar.runtime.clock import Clock
from sidecar.store.memory_store import MemoryStore, Use
from sidecar.store.records import MemoryRecord, VersionRecord
from sidecar.store.vocabulary import SCOPES

MIN_LIKENESS: Final = 0.6  # least likeness of memories that are reported as similar
MAX_SIMILAR: Final = 5  # similar memories named in an answer
_MAX_COMPARED: Final = 20  # best matches whose likeness is computed
_MAX_MENTIONING: Final = 40  # memories that may be what the user takes back
Ranked = tuple[float, str]
_EPSILON = 1e-6  # more than rounding changes a score
_NO_USE = Use()


def similar(
    index: MemoryIndex, store: MemoryStore, record: MemoryRecord, text: str, now: int, scopes: tuple[str, ...]
) -> tuple[Similar, ...]:
    """Return the visible memories in `scopes` whose text says nearly the same as `text`, nearest first."""
    visible = index.select(Filters(scopes=scopes, agent=record.agent), now)
    near = index.words.holders(text, _MAX_COMPARED, lambda id: id in visible.ids and id != record.id, MIN_LIKENESS)
    records = store.get_many([id for id, _ in near])
    alike = [(index.words.likeness(text, memory.content), memory) for memory in records.values()]
    matches = sorted((-score, memory.id, memory.name) for score, memory in alike if score >= MIN_LIKENESS)
    return tuple(Similar(id, name, round(-score, 4)) for score, id, name in matches[:MAX_SIMILAR])


def mentioning(index: MemoryIndex, text: str, now: int, scopes: tuple[str, ...]) -> list[str]:
    """Return the visible memories in `scopes` that share most words with `text`, best first."""
    visible = index.select(Filters(scopes=scopes), now)
    scores = index.words.search(text, visible.ids.__contains__, limit=_MAX_MENTIONING)
    return sorted(scores, key=lambda id: (-scores[id], id))[:_MAX_MENTIONING]


class Searcher:
    def __init__(self, catalogue: Catalogue, weights: Weights, clock: Clock) -> None:
        self._catalogue = catalogue
        self._weights = weights
        self._clock = clock

    def search(self, query: str, filters: Filters, limit: int = 10, cursor: str | None = None) -> Page[FoundMemory]:
        """Return the best matches, scored by probability; for an empty query, the heaviest memories.

        Memories recorded after the first page are not on later pages, so that no memory appears twice. Raises
        InvalidField for a cursor of another query.
        """
        limit, now = paging.check_limit(limit), self._clock()
        self._catalogue.prepare(what_is_asked(query))
        question = paging.digest("search", query, filters)
        position = paging.decode(cursor, question) if cursor is not None else None
        return self._catalogue.consistent_answer(
            lambda index: self._search_page(index, query, filters, limit, question, position, now), _ids_on
        )

    def _search_page(
        self,
        index: MemoryIndex,
        query: str,
        filters: Filters,
        limit: int,
        question: bytes,
        position: Position | None,
        now: int,
    ) -> Page[FoundMemory]:
        result = Match()
        asked_at = now if position is None else position.asked_at
        allowed = index.select(filters, asked_at)
        if query.strip():
            result = match(index, what_is_asked(query), allowed)
            ranked: Sequence[Ranked] = self._rank_page(index, result, asked_at, limit, position)
        else:
            heaviest = self._weights.heaviest(index, allowed, len(allowed), asked_at, None)
            ranked = [(ranking.round_score(weight), id) for weight, id in heaviest]
        if position is not None:
            ranked = [pair for pair in ranked if index.rows[pair[1]].created_at <= asked_at]
            ranked = ranked[_index_after(ranked, position) :]
        page = ranked[:limit]
        records = index.fetch([id for _, id in page])
        uses = self._weights.uses(index, [id for _, id in page])
        replaced = _successor_reasons(index, [id for _, id in ranked], records)
        doubts = {id: doubted[0] for id in records if (doubted := index.superseding.doubts(id))}
        shared = index.words.matches(query, records)
        likely = result.likely(records)
        words = reasons.QueryWords(query)
        items = tuple(
            FoundMemory(
                records[id],
                uses.get(id, _NO_USE).times,
                ranking.round_score(likely[id]) if likely else score,
                (
                    *_matching(id, words.having(shared.get(id, ())), result, likely),
                    *_reasons(records[id], filters, now, replaced.get(id), doubts.get(id)),
                ),
                uses.get(id, _NO_USE).last,
            )
            for score, id in page
            if id in records
        )
        more = len(ranked) > limit
        return Page(items, _cursor(question, asked_at, page[-1]) if more else None)

    def list(self, filters: Filters, limit: int = 50, cursor: str | None = None) -> Page[FoundMemory]:
        """Return memories, newest update first, of equal times the newest id first.

        Memories updated meanwhile do not shift later pages. Raises InvalidField for a cursor of another query.
        """
        limit, now = paging.check_limit(limit), self._clock()
        question = paging.digest("list", filters)
        position = paging.decode(cursor, question) if cursor is not None else None
        asked_at = now if position is None else position.asked_at

        def make_page(index: MemoryIndex) -> Page[FoundMemory]:
            oldest_first = index.select(filters, asked_at).by_update()
            end = len(oldest_first)
            if position is not None:
                end = bisect_left(oldest_first, (position.rank, position.id))
            page = [(float(at), id) for at, id in oldest_first[max(0, end - limit) : end][::-1]]
            ids = [id for _, id in page]
            items = with_uses(ids, index.fetch(ids), self._weights.uses(index, ids))
            return Page(items, _cursor(question, asked_at, page[-1]) if end > limit else None)

        return self._catalogue.consistent_answer(make_page, _ids_on)

    def get(self, id: str) -> FoundMemory:
        """Return one memory, whatever its status. Raises MemoryNotFound."""
        store = self._catalogue.holder_of(id)
        record = store.get(id)
        if record is None:
            raise not_found(id, store.history(id))
        self._catalogue.correct([id])
        use = store.uses([id]).get(id, _NO_USE)
        return FoundMemory(self._catalogue.view.judged(record, store), use.times, accessed_at=use.last)

    def get_many(self, ids: Iterable[str]) -> Mapping[str, MemoryRecord]:
        """Return those of the memories `ids` that exist, by id, as the checkout sees them."""
        wanted = tuple(ids)
        self._catalogue.correct(wanted)
        return {
            id: self._catalogue.view.judged(record, store)
            for store in self._catalogue.stores
            for id, record in store.get_many(wanted).items()
        }

    def history(self, id: str) -> Sequence[VersionRecord]:
        """Return the versions of a memory, newest first, even if it was deleted. Raises MemoryNotFound."""
        versions = self._catalogue.holder_of(id).history(id)
        if not versions:
            raise not_found(id, versions)
        return versions

    def explain(self, id: str, prompt: str, agent: str | None, session_id: str | None) -> Explanation:
        """Return how likely a memory bears on a prompt, and why. Raises MemoryNotFound."""
        from sidecar.memories.retrieval.explaining import explain

        self.get(id)
        return explain(self._catalogue, id, prompt, agent, session_id, self._clock())

    def counts(self) -> dict[str, int]:
        """Count the memories that are not archived, by scope; an empty scope counts 0."""
        counts = {store: store.count() for store in self._catalogue.stores}
        return {scope: counts[self._catalogue.store_of(scope)].get(scope, 0) for scope in SCOPES}

    def _rank_page(
        self, index: MemoryIndex, result: Match, now: int, limit: int, position: Position | None
    ) -> Sequence[Ranked]:
        """Return the ranking around one page.

        Only memories that can be on the page are weighed, since weighing reads the store.
        """
        shares: Mapping[str, float] = result.shares
        if position is not None:
            shares = {id: share for id, share in shares.items() if index.rows[id].created_at <= now}
            top = max(shares.values(), default=1.0)
            shares = {id: share / top for id, share in shares.items()}
        if not (result.best if position is None else shares):
            return []
        superseding = index.superseding
        linked = {id for old in superseding.superseded_among(shares) for id in (old, *superseding[old])}
        near = _window(shares, limit, None if position is None else position.rank, result.best) | {
            id for id in linked if id in shares
        }
        first = {id for id, share in shares.items() if share >= ranking.NUDGE_FLOOR - _EPSILON} if position else near
        weights = self._weights.weights_of(index, near | first, now, None)
        nudged = {id: shares[id] * ranking.nudge(weights[id], index.rows[id].status) for id in near | first}
        best = max(nudged.values())
        return rank_with_successors(index, {id: nudged[id] / best for id in near})


def _ids_on(page: Page[FoundMemory]) -> list[str]:
    return [item.record.id for item in page.items]


def _window(shares: Mapping[str, float], limit: int, rank: float | None, best_ids: Sequence[str]) -> set[str]:
    """Return the ids that a nudge can move onto the page of `limit` items after `rank` (None: onto the first page)."""
    if rank is None and limit < len(best_ids):
        least = shares[best_ids[limit]] * ranking.NUDGE_FLOOR - _EPSILON
        if shares[best_ids[-1]] < least:
            return {id for id in best_ids if shares[id] >= least}
    most, before, below = 1.0, 0, list(shares.values())
    if rank is not None:
        most = rank / ranking.NUDGE_FLOOR + _EPSILON
        below = [share for share in below if share <= most]
        before = sum(share >= rank * ranking.NUDGE_FLOOR for share in below)
    wanted = before + limit + 1
    least = 0.0 if len(below) <= wanted else nlargest(wanted, below)[-1] * ranking.NUDGE_FLOOR - _EPSILON
    return {id for id, share in shares.items() if least <= share <= most}


def rank_with_successors(index: MemoryIndex, scores: Mapping[str, float]) -> list[Ranked]:
    """Return memories, best score first, then by id.

    A superseding memory gets the better of both scores, and comes before the superseded one.
    """
    lifted = {id: ranking.round_score(score) for id, score in scores.items()}
    depth = dict.fromkeys(scores, 0)
    for id in index.superseding.superseded_among(scores):
        visited = {id}
        level, frontier = 0, [id]
        while frontier:
            level += 1
            newer = [n for old in frontier for n in sorted(index.superseding.get(old, ())) if n not in visited]
            visited.update(newer)
            for current in newer:
                if current in lifted:
                    lifted[current] = max(lifted[current], ranking.round_score(scores[id]))
                    depth[id] = max(depth[id], level)
            frontier = newer
    order = sorted(lifted, key=lambda id: (-lifted[id], depth[id], id))
    return [(lifted[id], id) for id in order]


def with_uses(
    ids: Iterable[str], records: Mapping[str, MemoryRecord], uses: Mapping[str, Use]
) -> tuple[FoundMemory, ...]:
    pairs = ((records[id], uses.get(id, _NO_USE)) for id in ids if id in records)
    return tuple(FoundMemory(record, use.times, accessed_at=use.last) for record, use in pairs)


def _successor_reasons(
    index: MemoryIndex, answered: Sequence[str], records: Mapping[str, MemoryRecord]
) -> dict[str, str]:
    """Return, for each record that another answer replaces, the id of that answer and the reason."""
    answered_ids = set(answered)
    why = {}
    for id in [id for id in records if id in index.superseding]:
        if newer := [other for other in index.superseding[id] if other in answered_ids]:
            why[id] = f"{index.superseding.ground(id, min(newer))} by {min(newer)}"
    return why


def _matching(id: str, words: Sequence[str], result: Match, likely: Mapping[str, float]) -> list[str]:
    why = reasons.matching(words, id in result.meaning)
    if id in result.recorded_next_to:
        why.append(reasons.recorded_next_to(result.recorded_next_to[id]))
    if id in likely:
        why.append(reasons.label(likely[id]))
    return why


def _reasons(record: MemoryRecord, filters: Filters, now: int, newer: str | None, doubt: str | None) -> tuple[str, ...]:
    why: list[str] = []
    about = [path for path in record.files if filters.files and path in filters.files]
    why.extend(f"about {path}" for path in about)
    why.extend(reasons.state_notes(record, now))
    if newer is not None:
        why.append(newer)
    if doubt is not None:
        why.append(reasons.doubt(doubt))
    why.append(reasons.age(record.updated_at, now))
    return tuple(why)


def _index_after(ranked: Sequence[Ranked], position: Position) -> int:
    for index, (_, id) in enumerate(ranked):
        if id == position.id:
            return index + 1
    for index, (score, _) in enumerate(ranked):
        if score < position.rank:
            return index
    return len(ranked)


def _cursor(question: bytes, asked_at: int, last: Ranked) -> str:
    return paging.encode(Position(question, asked_at, last[0], last[1]))
