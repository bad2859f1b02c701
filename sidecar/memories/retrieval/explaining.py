"""Explain why a memory is shown for a prompt or not, and how to change that: the answer to `memory/explain`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from sidecar.memories.drafts import Filters
from sidecar.memories.index.catalogue import Catalogue
from sidecar.memories.index.row import Row
from sidecar.memories.index.selection import Selection
from sidecar.memories.results import Explanation
from sidecar.memories.retrieval import reasons
from sidecar.memories.retrieval.confidence import MIN_BLOCK_PROBABILITY, Evidence, min_probability_beside
from sidecar.memories.retrieval.matching import Match, match
from sidecar.memories.retrieval.prompt import PREVIOUS_SHARE, queries_of
from sidecar.store.records import MemoryRecord
from sidecar.text.words import query_words, terms

_MAX_MISSING_WORDS: Final = 4  # words that the advice names
_HIDDEN: Final = {"archived": "It is archived: restore it first.", "resolved": "It is resolved: reopen it first."}

_FITS_PREVIOUS: Final = "It bears on the prompt before, which counts half: a prompt that says more stands by itself."


class QueryMatch(NamedTuple):
    """How memories match one of a prompt's queries."""

    query: str
    weight: float  # how much the query counts
    match: Match
    evidence: dict[str, Evidence]
    shared_terms: Sequence[str]

    def probability(self, id: str) -> float:
        return self.weight * self.evidence[id].probability if id in self.evidence else 0.0


def explain(
    catalogue: Catalogue, id: str, prompt: str, agent: str | None, session_id: str | None, now: int
) -> Explanation:
    session = None if session_id is None else catalogue.workspace_store.session(session_id)
    queries = queries_of(prompt, "" if session is None else session.asked) or ("",)
    catalogue.prepare(*queries)
    with catalogue.current() as index:
        row = index.rows[id]
        selection = index.select(Filters(agent=agent or row.agent), now)
        matches = []
        for query, weight in zip(queries, (1.0, PREVIOUS_SHARE), strict=False):
            result = match(index, query, selection)
            shared = index.words.matches(query, [id]).get(id, ())
            matches.append(QueryMatch(query, weight, result, result.evidence({*result.best, id}), shared))
        record = row.store.get(id)
    likeliest = max(matches, key=lambda item: item.probability(id))
    probability = likeliest.probability(id) if id in selection else 0.0
    highest_probability = max((item.probability(other) for item in matches for other in item.match.best), default=0.0)
    change = _advice(row, record, selection, matches[0], probability, highest_probability)
    return Explanation(
        probability=probability,
        label=reasons.label(probability),
        threshold=min_probability_beside(highest_probability),
        best=highest_probability,
        opens=MIN_BLOCK_PROBABILITY,
        gains=likeliest.evidence[id].gains() if id in likeliest.evidence else {},
        words=tuple(reasons.QueryWords(likeliest.query).having(likeliest.shared_terms)),
        cosine=likeliest.match.meaning.get(id),
        rank=likeliest.match.best.index(id) + 1 if id in likeliest.match.best else None,
        change=(*([_FITS_PREVIOUS] if likeliest.weight < 1.0 else []), *change),
    )


def _advice(
    row: Row,
    record: MemoryRecord | None,
    selection: Selection,
    own_match: QueryMatch,
    probability: float,
    highest_probability: float,
) -> Iterator[str]:
    """Say what would change whether the memory is shown; `own_match` is its match with the prompt alone."""
    if row.pinned or row.category == "directive":
        yield "Shown whatever the prompt is: unpin it, or give it another category."
    if row.id not in selection:
        yield _HIDDEN.get(row.status, "It is expired, or for another agent.")
        return
    if probability >= min_probability_beside(highest_probability) and highest_probability >= MIN_BLOCK_PROBABILITY:
        return
    if probability >= min_probability_beside(highest_probability):
        shortfall = f"its likeliest memory has {highest_probability:.2f}, and {MIN_BLOCK_PROBABILITY:.2f} is needed"
        yield f"Nothing is shown for this prompt: {shortfall}."
    if record is not None:
        sought = {term for word in query_words(own_match.query) for term in word}
        missing = [word for word in dict.fromkeys(record.content.split()) if not sought & set(terms(word))]
        longest = sorted(missing, key=lambda word: (-len(word), word))[:_MAX_MISSING_WORDS]
        if longest:
            yield f"A prompt that shares words with it would find it, such as {', '.join(longest)}."
    if not own_match.match.meaning:
        yield "Only words are compared now: there is no embedding model, or it is still being loaded."
    yield "Record how people ask for it as its description: that is searched as well."
