"""Explain why a memory is shown for a prompt or not, and how to change that."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, NamedTuple

from sidecar.memories import reasons
from sidecar.memories.catalogue import Catalogue
from sidecar.memories.choosing import PREVIOUS_SHARE
from sidecar.memories.confidence import MIN_BLOCK, Evidence, min_probability_beside
from sidecar.memories.drafts import Filters
from sidecar.memories.matching import Match, match
from sidecar.memories.prompt import queries_of
from sidecar.memories.results import Explanation
from sidecar.memories.row import Row
from sidecar.memories.selection import Selection
from sidecar.store.memory_store import MemoryStore
from sidecar.store.records import MemoryRecord
from sidecar.text.words import query_words, terms

_MAX_MISSING_WORDS: Final = 4  # words that the advice names
_HIDDEN: Final = {"archived": "It is archived: restore it first.", "resolved": "It is resolved: reopen it first."}

_FITS_PREVIOUS: Final = "It bears on the prompt before, which counts half: a prompt that says more stands by itself."

PromptContext = tuple[str, str | None, str | None]  # a prompt, the agent that gets the block, and its session


class QueryMatch(NamedTuple):
    """How memories match one of a prompt's queries, and that query's weight (`counts`)."""

    query: str
    counts: float
    found: Match
    evidence: dict[str, Evidence]
    words: tuple[str, ...]

    def probability(self, id: str) -> float:
        return self.counts * self.evidence[id].probability if id in self.evidence else 0.0


def explain(catalogue: Catalogue, store: MemoryStore, id: str, context: PromptContext, now: int) -> Explanation:
    prompt, agent, session_id = context
    session = None if session_id is None else store.session(session_id)
    queries = queries_of(prompt, "" if session is None else session.asked) or ("",)
    for query in queries:
        catalogue.meaning.prepare(query)
    with catalogue.current():
        row = catalogue.rows[id]
        selection = catalogue.select(Filters(agent=agent or row.agent), now)
        matches = [
            _match_query(catalogue, id, weighted, selection)
            for weighted in zip(queries, (1.0, PREVIOUS_SHARE), strict=False)
        ]
        record = row.store.get(id)
    likeliest = max(matches, key=lambda item: item.probability(id))
    probability = likeliest.probability(id) if id in selection else 0.0
    best = max((item.probability(other) for item in matches for other in item.found.best), default=0.0)
    change = _advice(row, record, selection, matches[0].found, matches[0].query, probability, best)
    return Explanation(
        probability=probability,
        label=reasons.label(probability),
        threshold=min_probability_beside(best),
        best=best,
        opens=MIN_BLOCK,
        gains=likeliest.evidence[id].gains() if id in likeliest.evidence else {},
        words=tuple(reasons.QueryWords(likeliest.query).having(likeliest.words)),
        cosine=likeliest.found.meaning.get(id),
        rank=likeliest.found.best.index(id) + 1 if id in likeliest.found.best else None,
        change=(*([_FITS_PREVIOUS] if likeliest.counts < 1.0 else []), *change),
    )


def _match_query(catalogue: Catalogue, id: str, weighted: tuple[str, float], selection: Selection) -> QueryMatch:
    query, counts = weighted
    result = match(catalogue, query, selection)
    shared = catalogue.index.matches(query, [id]).get(id, ())
    return QueryMatch(query, counts, result, result.evidence({*result.best, id}), tuple(shared))


def _advice(
    row: Row,
    record: MemoryRecord | None,
    selection: Selection,
    result: Match,
    query: str,
    probability: float,
    best: float,
) -> Iterator[str]:
    if row.pinned or row.category == "directive":
        yield "Shown whatever the prompt is: unpin it, or give it another category."
    if row.id not in selection:
        yield _HIDDEN.get(row.status, "It is expired, or for another agent.")
        return
    if probability >= min_probability_beside(best) and best >= MIN_BLOCK:
        return
    if probability >= min_probability_beside(best):
        yield f"Nothing is shown for this prompt: its likeliest memory has {best:.2f}, and {MIN_BLOCK:.2f} is needed."
    if record is not None:
        sought = {term for word in query_words(query) for term in word}
        missing = [word for word in dict.fromkeys(record.content.split()) if not sought & set(terms(word))]
        telling = sorted(missing, key=lambda word: (-len(word), word))[:_MAX_MISSING_WORDS]
        if telling:
            yield f"A prompt that shares words with it would find it, such as {', '.join(telling)}."
    if not result.meaning:
        yield "Only words are compared now: there is no embedding model, or it is still being loaded."
    yield "Record how people ask for it as its description: that is searched as well."
