"""Estimate two things about a user's clause: is it meant for all later work, and does it change what was said?

`user_statements.py` asks the first question, `message_changes.py` the second. People say both in more ways than rules
can list. The telling words often stand in the next clause ("put that wherever you put such things"), so that clause
counts, too. `tests/bench/estimates.py` fits the weights.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Final, NamedTuple

from sidecar.learning.estimate import hashed, read_estimate, spoken_words
from sidecar.learning.language.mood import Mood

HASH_BITS: Final = 17  # of a feature's hash
_LANGUAGE: Final = Path(__file__).with_name("language")
ASKS_FILE: Final = _LANGUAGE / "asks_to_keep.bin"
KEPT_FILE: Final = _LANGUAGE / "kept.bin"
CHANGES_FILE: Final = _LANGUAGE / "changes.bin"
# Read now: the package's files may be replaced while the program runs.
_ASKS, _KEPT, _CHANGES = (read_estimate(file, scaled=True) for file in (ASKS_FILE, KEPT_FILE, CHANGES_FILE))
_MAY_CHANGE: Final = 0.08
"""The probability above which a clause is compared with earlier statements.

Of messages in real sessions that were not fitted on, 1 % have such a clause and change nothing.
"""
_MAY_CHANGE_ALONE: Final = 0.2  # the same for a clause that is a whole message: mostly a report or a complaint
_MAY_CHANGE_STANDING: Final = 0.5  # the same for a clause that is learned as a standing statement anyway
_SURELY_CHANGES: Final = 0.1
"""The probability above which a clause is shown by itself if nobody can tell which memory it changes."""
_SURELY_CHANGES_ALONE: Final = 0.6  # the same for a whole message, and for a clause that may become a statement
_OPENING_WORDS: Final = 3  # first words, whose position counts
_LONG_WORD_CHARS: Final = 4  # the beginning and end of a longer word count by themselves, because of inflections


class PlacedClause(NamedTuple):
    """One clause of a message, and what rules tell of it."""

    clauses: Sequence[str]  # all clauses of the message
    position: int  # of this clause
    mood: Mood | None
    change_marks: Sequence[str]  # words that may say that something changes
    length: int  # characters of the message
    answers_question: bool  # the agent had ended with a question

    @property
    def text(self) -> str:
        return self.clauses[self.position]


def asks_to_keep(clauses: Sequence[PlacedClause]) -> float:
    """Return the probability that a message asks to keep some part of it for all later work."""
    return _ASKS.probability(message_features(clauses))


def probability_to_keep(clause: PlacedClause) -> float:
    """Return the probability that a clause should be kept, if its message asks to keep something."""
    return _KEPT.probability(features(clause))


def changes(clause: PlacedClause) -> float:
    """Return the probability that a clause ends or changes something that was said before."""
    return _CHANGES.probability(features(clause))


def message_features(clauses: Sequence[PlacedClause]) -> list[int]:
    found = (feature for clause in clauses for feature in _features(clause))
    return hashed((feature for feature in found if not feature.startswith((">", "=position", "=last"))), HASH_BITS)


def may_change(probability: float, *, is_whole_message: bool, standing: bool) -> bool:
    """Return whether to compare a clause with earlier statements.

    `is_whole_message`: it is all of its message. `standing`: it is learned as a standing statement anyway.
    """
    return probability >= (_MAY_CHANGE_STANDING if standing else _MAY_CHANGE_ALONE if is_whole_message else _MAY_CHANGE)


def surely_changes(probability: float, *, alone: bool) -> bool:
    """Return whether to show a clause by itself although the memory that it changes is unknown.

    `alone`: it is all of its message, or may be learned as a statement.
    """
    return probability >= (_SURELY_CHANGES_ALONE if alone else _SURELY_CHANGES)


def features(clause: PlacedClause) -> list[int]:
    return hashed(_features(clause), HASH_BITS)


def _features(clause: PlacedClause) -> Iterator[str]:
    position, count = clause.position, len(clause.clauses)
    words = spoken_words(clause.text)
    yield from _phrases(words, "")
    yield from (f"{index}^{word}" for index, word in enumerate(words[:_OPENING_WORDS]))
    yield f"^{' '.join(words[:2])}"
    yield f"${' '.join(words[-1:])}"
    yield f"${' '.join(words[-2:])}"
    yield from _phrases(spoken_words(clause.clauses[position + 1]), ">") if position + 1 < count else (">none",)
    yield "=mood" if clause.mood is None else f"=mood {clause.mood.kind} {clause.mood.standing} {clause.mood.points}"
    yield f"=standing {clause.mood is not None and clause.mood.standing}"
    yield from (f"=revises {mark}" for mark in clause.change_marks)
    yield f"=words {min(6, len(words) // 4)}"
    yield f"=total {min(6, count)}"
    yield f"=position {min(3, position)}"
    yield f"=last {position == count - 1}"
    yield f"=asked {clause.answers_question}"
    yield f"=question {clause.text.rstrip().endswith('?')}"
    yield f"=length {min(12, clause.length.bit_length())}"


def _phrases(words: Sequence[str], mark: str) -> Iterator[str]:
    """Yield words, pairs, pairs around a third word, triples, and stems and endings of longer words."""
    triples = list(zip(words, words[1:], words[2:], strict=False))
    yield from (mark + word for word in words)
    yield from (mark + " ".join(pair) for pair in pairwise(words))
    yield from (mark + " ".join(triple) for triple in triples)
    yield from (f"{mark}{first}_{third}" for first, _, third in triples)
    for word in words:
        if len(word) > _LONG_WORD_CHARS:
            yield f"{mark}~{word[:_LONG_WORD_CHARS]}"
            yield f"{mark}~{word[-_LONG_WORD_CHARS:]}"
