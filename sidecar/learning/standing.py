"""Estimate how likely a user asks to keep a clause for all later work: "put that wherever you put such things".

People ask in more ways than rules can list. The asking words often follow what is to be kept, so the next clause
counts too. `tests/bench/estimates.py` fits the weights.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Final, NamedTuple

from sidecar.learning.estimate import estimate_in, hashed, spoken_words
from sidecar.learning.language.mood import Mood

BITS: Final = 17  # of a feature's hash
WEIGHTS: Final = Path(__file__).with_name("language") / "standing.bin"
_OPENING: Final = 3  # words whose place counts
_LONG_WORD: Final = 4  # characters of a word whose beginning and end count by themselves, for its inflections


class PlacedClause(NamedTuple):
    """The clause `position` of a message's `clauses`, and what rules tell of its mood.

    `length` is the message's in characters; `answers_question` if the agent had ended with a question.
    """

    clauses: Sequence[str]
    position: int
    mood: Mood | None
    length: int
    answers_question: bool


def standing(clause: PlacedClause) -> float:
    """Return the probability that a reader would keep this clause as said for all later work."""
    return estimate_in(WEIGHTS).probability(features(clause))


def features(clause: PlacedClause) -> list[int]:
    return hashed(_features(clause), BITS)


def _features(clause: PlacedClause) -> Iterator[str]:
    at, count = clause.position, len(clause.clauses)
    text = clause.clauses[at]
    words = spoken_words(text)
    yield from _phrases(words, "")
    yield from (f"{index}^{word}" for index, word in enumerate(words[:_OPENING]))
    yield f"^{' '.join(words[:2])}"
    yield f"${' '.join(words[-1:])}"
    yield f"${' '.join(words[-2:])}"
    yield from _phrases(spoken_words(clause.clauses[at + 1]), ">") if at + 1 < count else (">none",)
    yield "=mood" if clause.mood is None else f"=mood {clause.mood.kind} {clause.mood.standing} {clause.mood.points}"
    yield f"=standing {clause.mood is not None and clause.mood.standing}"
    yield f"=words {min(6, len(words) // 4)}"
    yield f"=total {min(6, count)}"
    yield f"=position {min(3, at)}"
    yield f"=last {at == count - 1}"
    yield f"=asked {clause.answers_question}"
    yield f"=question {text.rstrip().endswith('?')}"
    yield f"=length {min(12, clause.length.bit_length())}"


def _phrases(words: Sequence[str], mark: str) -> Iterator[str]:
    """Yield words, pairs, pairs around a third, triples, and the stems and endings of longer words."""
    yield from (mark + word for word in words)
    yield from (mark + " ".join(pair) for pair in pairwise(words))
    triples = list(zip(words, words[1:], words[2:], strict=False))
    yield from (f"{mark}{first}_{third}" for first, _, third in triples)
    yield from (mark + " ".join(triple) for triple in triples)
    for word in words:
        if len(word) > _LONG_WORD:
            yield f"{mark}~{word[:_LONG_WORD]}"
            yield f"{mark}~{word[-_LONG_WORD:]}"
