"""Estimate how likely a user's clause outlives its task: a logistic regression over its words and mood.

`user_statements.py` asks where no rule decides. `tests/bench/estimates.py` fits the weights to sentences of public
sessions that readers labelled.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Final

from sidecar.learning.clause_estimates import PlacedClause
from sidecar.learning.estimate import hashed, read_estimate, spoken_words
from sidecar.learning.language.words import LanguageWords

HASH_BITS: Final = 15  # of a feature's hash
WEIGHTS_FILE: Final = Path(__file__).with_name("language") / "durability.bin"
_ESTIMATE: Final = read_estimate(WEIGHTS_FILE, scaled=False)  # read now: the file may be replaced later
_OPENING_WORDS: Final = 3  # first words, whose position counts


def features(clause: PlacedClause, reading: str, words: LanguageWords) -> list[int]:
    return hashed(_features(clause, reading, words), HASH_BITS)


def durability(clause: PlacedClause, reading: str, words: LanguageWords) -> float:
    """Return the probability that a reader would keep this clause for later sessions."""
    return _ESTIMATE.probability(features(clause, reading, words))


def _features(clause: PlacedClause, reading: str, words: LanguageWords) -> Iterator[str]:
    spoken = spoken_words(clause.text)
    yield from spoken
    yield from map(" ".join, pairwise(spoken))
    yield from map(" ".join, zip(spoken, spoken[1:], spoken[2:], strict=False))
    yield from (f"{index}^{word}" for index, word in enumerate(spoken[:_OPENING_WORDS]))
    yield f"^{' '.join(spoken[:2])}"
    yield f"=words {min(6, len(spoken) // 5)}"
    yield f"=length {min(12, clause.length.bit_length())}"
    yield f"=total {min(6, len(clause.clauses))}"
    yield f"=first {clause.position == 0}"
    yield f"=asked {clause.answers_question}"
    for name, pattern in zip(words._fields, words, strict=True):
        match = pattern.search(reading) if isinstance(pattern, re.Pattern) else None
        if match is not None:
            yield f"={name} {match.start() == 0}"
