"""Add the user's later words to a memory or candidate that they may change, where no rule tells how.

`proposer.py` calls it when `changed_mind.py` finds no replaced statement. Whoever reads the memory together with the
later words can tell what holds now; without them, the memory would be shown as if they had never been said.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Final, TypeVar

from msgspec.structs import replace

from sidecar.learning.lesson import REVISION
from sidecar.memories.candidates.changed_mind import StatementT, says_otherwise, topic_of
from sidecar.memories.candidates.repetition import same_wish, wish_of
from sidecar.memories.drafts import Draft
from sidecar.memories.wording.gist import LATER_PREFIX, first_said
from sidecar.models.static_table import packaged_table
from sidecar.models.vectors import VectorIndex
from sidecar.store.candidates import CandidateRecord
from sidecar.store.records import MemoryRecord
from sidecar.store.vocabulary import LEARNED_PREFIX
from sidecar.text.cutting import cut_at_word
from sidecar.text.words import terms

_UNMATCHED_LIFETIME_MS: Final = 14 * 24 * 3_600_000  # how long words are shown that change an unknown memory
_MAX_LATER_CHARS: Final = 240  # characters of the later words that are kept
_MIN_LIKENESS: Final = 0.5
"""The least likeness of later words to what they may change, in 0..2.5.

Among 12 memories, it finds the one that is meant in 288 of 550 cases, and another in 12. Where none is meant, it finds
one in 104 of 540 cases, which were written to mislead.
"""
_MIN_CANDIDATE_LIKENESS: Final = 1.0  # higher than for a memory: a looser statement resembles more remarks by chance
_MIN_LIKENESS_LEAD: Final = 0.3  # by which the likeness of the memory that is meant exceeds the next one's
SaidRecord = TypeVar("SaidRecord", MemoryRecord, CandidateRecord)


def statement_meant(
    words: str, earlier_statements: Iterable[StatementT], revising: str, *, candidates: bool = False
) -> StatementT | None:
    """Return the earlier statement that later words are about; None if there is none, or if they only repeat it.

    The likeness is the similarity to the `revising` words, plus half of the similarity to all words and half of the
    share of the statement's topic that the words name.
    """
    wish = wish_of(words)
    statements = [
        statement
        for statement in earlier_statements
        if not same_wish(wish_of(statement.content), wish) or says_otherwise(words, statement.content)
    ]
    scores = sorted(_likenesses(words, revising or words, statements), key=lambda score: -score[0])
    least = _MIN_CANDIDATE_LIKENESS if candidates else _MIN_LIKENESS
    (best, statement), (second, _) = (*scores, (0.0, None), (0.0, None))[:2]
    return statement if best >= least and best - second >= _MIN_LIKENESS_LEAD else None


def _likenesses(words: str, revising: str, statements: Sequence[StatementT]) -> Iterator[tuple[float, StatementT]]:
    both = cosines([words, revising], [statement.content for statement in statements])
    if not both:
        return
    whole, part = both
    spoken, revised = frozenset(terms(words)), frozenset(terms(revising))
    for number, statement in enumerate(statements):
        topic = topic_of(statement.content)
        shared = sum((not spoken.isdisjoint(word)) + (not revised.isdisjoint(word)) for word in topic)
        yield part[number] + (whole[number] + shared / max(1, len(topic))) / 2, statement


def cosines(texts: Sequence[str], others: Sequence[str]) -> list[list[float]]:
    """Return each text's cosines with the others; nothing if the packaged table is gone."""
    try:
        table = packaged_table()
    except (OSError, ValueError):  # the program's files were removed or replaced while it was running
        return []
    index = VectorIndex(table.dimensions)
    numbers = [str(number) for number in range(len(others))]
    for number, vector in zip(numbers, table.embed(others), strict=True):
        index.put(number, vector)
    found = (index.closest(vector, len(others)).cosines for vector in table.embed(texts))
    return [[scores[number] for number in numbers] for scores in found]


def without_later(record: SaidRecord) -> SaidRecord:
    return replace(record, content=first_said(record.content)) if LATER_PREFIX in record.content else record


def unmatched(words: str, draft: Draft, now: int) -> Draft:
    """Return a draft that keeps the user's words, for when the memory that they change is not found."""
    return replace(
        draft,
        name=None,
        content=f"The user said: “{_shortened(words)}” What was noted before may no longer hold.",
        type="feedback",
        scope="personal",
        category=None,
        source=f"{LEARNED_PREFIX}{REVISION}",
        expires_at=now + _UNMATCHED_LIFETIME_MS,
    )


def with_later(content: str, words: str) -> str:
    """Return a memory's first text, followed by the user's latest words on it."""
    return f"{content}{LATER_PREFIX}{_shortened(words)}”)"


def _shortened(words: str) -> str:
    return cut_at_word(" ".join(words.split()), _MAX_LATER_CHARS)
