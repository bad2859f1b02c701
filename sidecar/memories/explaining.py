"""Why a memory is shown for a prompt, or is not, and what would change that."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from sidecar.memories import reasons
from sidecar.memories.catalogue import Catalogue
from sidecar.memories.confidence import OPEN, Evidence, least_beside
from sidecar.memories.drafts import Filters
from sidecar.memories.matching import LOOKED_AT, Match, match, strongest
from sidecar.memories.prompt import questions
from sidecar.memories.results import Explanation
from sidecar.memories.selection import Row, Selection
from sidecar.store.memory_store import MemoryStore
from sidecar.store.records import MemoryRecord
from sidecar.text.words import query_words, terms

_TELLING: Final = 4
_HIDDEN: Final = {
    "archived": "It is archived: restore it first.",
    "resolved": "It is resolved: reopen it first.",
}

Asked = tuple[str, str | None, str | None]
"""A prompt, the agent that is given the block, and its session."""


def explain(catalogue: Catalogue, home: MemoryStore, id: str, asked: Asked, now: int) -> Explanation:
    """The probability of a memory that exists, and the evidence for it."""
    prompt, agent, session_id = asked
    session = None if session_id is None else home.session(session_id)
    queries = questions(prompt, "" if session is None else session.asked)
    for query in queries:
        catalogue.meaning.prepare(query)
    with catalogue.current():
        row = catalogue.rows[id]
        selection = catalogue.select(Filters(agent=agent or row.agent), now)
        query = queries[0] if queries else ""
        found = match(catalogue, query, selection)
        order = strongest(found.shares, LOOKED_AT)
        evidence = found.evidence({*order, id})
        held = catalogue.index.matches(query, [id]).held.get(id, (0.0, ()))[1]
        record = row.home.get(id)
    nothing = Evidence((), "words")
    own = evidence.get(id, nothing)
    probability = own.probability if id in evidence and id in selection else 0.0
    best = max((one.probability for one in evidence.values()), default=0.0)
    change = _change(row, record, selection, found, query, probability, best)
    return Explanation(
        probability=probability,
        label=reasons.label(probability),
        threshold=least_beside(best),
        best=best,
        opens=OPEN,
        gains=own.gains() if id in evidence else {},
        words=tuple(reasons.Words(query).of(held)),
        cosine=found.meaning.get(id),
        rank=order.index(id) + 1 if id in order else None,
        change=tuple(change),
    )


def _change(
    row: Row,
    record: MemoryRecord | None,
    selection: Selection,
    found: Match,
    query: str,
    probability: float,
    best: float,
) -> Iterator[str]:
    if row.pinned or row.category == "directive":
        yield "Shown whatever the prompt is: unpin it, or give it another category."
    if row.id not in selection:
        yield _HIDDEN.get(row.status, "It is expired, or for another agent.")
        return
    if probability >= least_beside(best) and best >= OPEN:
        return
    if probability >= least_beside(best):
        yield f"Nothing is shown for this prompt: its likeliest memory has {best:.2f}, and {OPEN:.2f} is needed."
    if record is not None:
        asked = {term for word in query_words(query) for term in word}
        missing = [word for word in dict.fromkeys(record.content.split()) if not asked & set(terms(word))]
        telling = sorted(missing, key=lambda word: (-len(word), word))[:_TELLING]
        if telling:
            yield f"A prompt that shares words with it would find it, such as {', '.join(telling)}."
    if not found.meaning:
        yield "Only words are compared now: there is no embedding model, or it is still being loaded."
    yield "Record how people ask for it as its description: that is searched as well."
