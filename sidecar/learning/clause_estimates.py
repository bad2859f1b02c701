"""Estimate what a user means by a clause: whether to keep it for all later work, and whether it changes what was said.

People say both in more ways than rules can list. The telling words often stand in the next clause ("put that wherever
you put such things"), so that clause counts too. `tests/bench/estimates.py` fits the weights.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Final, Literal, NamedTuple

from sidecar.learning.estimate import hashed, read_estimate, spoken_words
from sidecar.learning.language.mood import Mood

BITS: Final = 17  # of a feature's hash
_LANGUAGE: Final = Path(__file__).with_name("language")
ASKS: Final = _LANGUAGE / "asks_to_keep.bin"
KEPT: Final = _LANGUAGE / "kept.bin"
CHANGES: Final = _LANGUAGE / "changes.bin"
_ASKS, _KEPT, _CHANGES = map(read_estimate, (ASKS, KEPT, CHANGES))  # now, while the files of this version exist
_MAY_CHANGE: Final = {"estimate": 0.25, "rules": 0.2, "standing": 0.5}
"""The probability above which a clause is compared with earlier statements.

It is that of a clause of which only the estimate says so, of one of which rules say so, too, and of one that is learned
as a standing statement anyway. Of messages in real sessions that were not fitted on, 2 % reach the first.
"""
_SURELY_CHANGES: Final = (0.3, 0.6)
"""The probability above which a clause is shown by itself if nobody can tell which memory it changes.

The second is that of a clause which is all of its message: these are fewer words to tell it by, and mostly reports and
complaints about the work at hand.
"""
_OPENING: Final = 3  # words whose place counts
_LONG_WORD: Final = 4  # characters of a word whose beginning and end count by themselves, for its inflections


class PlacedClause(NamedTuple):
    """The clause `position` of a message's `clauses`, and what rules tell of it: its mood, and how it revises.

    `length` is the message's in characters; `answers_question` if the agent had ended with a question.
    """

    clauses: Sequence[str]
    position: int
    mood: Mood | None
    revision_marks: Sequence[str]
    length: int
    answers_question: bool

    @property
    def text(self) -> str:
        return self.clauses[self.position]


def asks_to_keep(clauses: Sequence[PlacedClause]) -> float:
    """Return the probability that a message asks to keep something of it for all later work."""
    return _ASKS.probability(message_features(clauses))


def kept(clause: PlacedClause) -> float:
    """Return the probability that a clause is to be kept, given that its message asks to keep something."""
    return _KEPT.probability(features(clause))


def changes(clause: PlacedClause) -> float:
    """Return the probability that this clause ends or changes something that was said before."""
    return _CHANGES.probability(features(clause))


def message_features(clauses: Sequence[PlacedClause]) -> list[int]:
    found = (feature for clause in clauses for feature in _features(clause))
    return hashed((feature for feature in found if not feature.startswith((">", "=position", "=last"))), BITS)


def may_change(probability: float, evidence: Literal["estimate", "rules", "standing"]) -> bool:
    """Return whether to compare a clause with earlier statements; see `_MAY_CHANGE`."""
    return probability >= _MAY_CHANGE[evidence]


def surely_changes(probability: float, *, alone: bool) -> bool:
    """Return whether to show a clause by itself that changes an unknown memory; `alone`: it is all of its message."""
    return probability >= _SURELY_CHANGES[alone]


def features(clause: PlacedClause) -> list[int]:
    return hashed(_features(clause), BITS)


def _features(clause: PlacedClause) -> Iterator[str]:
    at, count = clause.position, len(clause.clauses)
    words = spoken_words(clause.text)
    yield from _phrases(words, "")
    yield from (f"{index}^{word}" for index, word in enumerate(words[:_OPENING]))
    yield f"^{' '.join(words[:2])}"
    yield f"${' '.join(words[-1:])}"
    yield f"${' '.join(words[-2:])}"
    yield from _phrases(spoken_words(clause.clauses[at + 1]), ">") if at + 1 < count else (">none",)
    yield "=mood" if clause.mood is None else f"=mood {clause.mood.kind} {clause.mood.standing} {clause.mood.points}"
    yield f"=standing {clause.mood is not None and clause.mood.standing}"
    yield from (f"=revises {mark}" for mark in clause.revision_marks)
    yield f"=words {min(6, len(words) // 4)}"
    yield f"=total {min(6, count)}"
    yield f"=position {min(3, at)}"
    yield f"=last {at == count - 1}"
    yield f"=asked {clause.answers_question}"
    yield f"=question {clause.text.rstrip().endswith('?')}"
    yield f"=length {min(12, clause.length.bit_length())}"


def _phrases(words: Sequence[str], mark: str) -> Iterator[str]:
    """Yield words, pairs, pairs around a third, triples, and the stems and endings of longer words."""
    triples = list(zip(words, words[1:], words[2:], strict=False))
    yield from (mark + word for word in words)
    yield from (mark + " ".join(pair) for pair in pairwise(words))
    yield from (mark + " ".join(triple) for triple in triples)
    yield from (f"{mark}{first}_{third}" for first, _, third in triples)
    for word in words:
        if len(word) > _LONG_WORD:
            yield f"{mark}~{word[:_LONG_WORD]}"
            yield f"{mark}~{word[-_LONG_WORD:]}"
