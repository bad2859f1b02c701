"""Say in words why a memory was found."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache

from sidecar.memories.index import ranking
from sidecar.memories.index.judging import suspicion
from sidecar.memories.retrieval.confidence import MIN_BLOCK_PROBABILITY, SURE_PROBABILITY
from sidecar.store.records import MemoryRecord
from sidecar.text.lazy_patterns import lazy
from sidecar.text.words import query_terms

_WORD = lazy(r"\S+")
_EDGE_CHARS = " .,;:!?\"'`()[]{}<>*。，；：！？、（）「」"
_MAX_WORDS = 6  # words that one reason names
_MAX_QUERY_WORDS = 400  # first words of a query, of which a reason names some
CLOSE_IN_MEANING = "close in meaning"
FITS_PREVIOUS_PROMPT = "bears on the prompt before"
LIKELY, PERHAPS, UNLIKELY = "likely", "perhaps", "only close in words or meaning"  # how sure a match is


@lru_cache(maxsize=5_000)
def _terms_of(word: str) -> tuple[str, ...]:
    return tuple(query_terms(word))


class QueryWords:
    """The words of a query by their terms, so that a reason can name the words that a memory has in common with it."""

    def __init__(self, query: str) -> None:
        distinct = dict.fromkeys(word.strip(_EDGE_CHARS) for word in _WORD.findall(query))
        self._word_of: dict[str, str] = {}
        for word in list(distinct)[:_MAX_QUERY_WORDS]:
            for term in _terms_of(word):
                self._word_of.setdefault(term, word)

    def having(self, terms: Iterable[str]) -> list[str]:
        """Return the query's words that have one of the terms, each once, in the order of the terms."""
        return list(dict.fromkeys(self._word_of.get(term, term) for term in terms))


def matching(words: Sequence[str], close: bool) -> list[str]:
    """Return the reason `matches: a, b`; without words, `CLOSE_IN_MEANING` if the meaning is `close`."""
    if not words:
        return [CLOSE_IN_MEANING] if close else []
    more = f" and {len(words) - _MAX_WORDS} more" if len(words) > _MAX_WORDS else ""
    return [f"matches: {', '.join(words[:_MAX_WORDS])}{more}"]


def recorded_next_to(id: str) -> str:
    return f"recorded beside {id}"


def label(probability: float) -> str:
    return LIKELY if probability >= SURE_PROBABILITY else PERHAPS if probability >= MIN_BLOCK_PROBABILITY else UNLIKELY


def stands_for(id: str, ground: str) -> str:
    return f"supersedes {id}" if ground == "superseded" else f"newer than {id}, which it contradicts"


def doubt(id: str) -> str:
    return f"may be contradicted by {id}"


def age(updated_at: int, now: int) -> str:
    days = max(0, now - updated_at) // ranking.DAY_MS
    if days == 0:
        return "updated today"
    return f"updated {days} day{'s' if days > 1 else ''} ago"


def state_notes(record: MemoryRecord, now: int) -> list[str]:
    """Return what a reader should know of a memory's state, such as that it is suspect."""
    marks: list[str] = []
    if record.pinned:
        marks.append("pinned")
    if record.status in ("archived", "resolved", "suspect"):
        marks.append(f"suspect: {suspicion(record.references)}" if record.status == "suspect" else record.status)
    if record.expires_at is not None and record.expires_at <= now:
        marks.append("expired")
    return marks
