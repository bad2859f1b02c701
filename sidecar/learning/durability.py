"""Estimate how likely a user's sentence is to outlive its task: a logistic regression over its words and moods.

`tests/bench/estimates.py` fits the weights on sentences of public sessions that readers labelled.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Final, NamedTuple

from sidecar.learning.estimate import hashed, read_estimate, spoken_words
from sidecar.learning.language.words import LanguageWords

BITS: Final = 15  # of a feature's hash
WEIGHTS: Final = Path(__file__).with_name("language") / "durability.bin"
_ESTIMATE: Final = read_estimate(WEIGHTS)  # now, while the file of this version exists
_OPENING: Final = 3  # words whose place counts


class PlacedSentence(NamedTuple):
    """A sentence, its reading, and its place in a message.

    It is sentence `position` of `total` in a message of `length` characters; `answers_question` if the agent had ended
    with one.
    """

    text: str
    reading: str
    position: int
    total: int
    length: int
    answers_question: bool


def features(sentence: PlacedSentence, words: LanguageWords) -> list[int]:
    return hashed(_features(sentence, words), BITS)


def durability(sentence: PlacedSentence, words: LanguageWords) -> float:
    """Return the probability that a reader would keep this sentence for later sessions."""
    return _ESTIMATE.probability(features(sentence, words))


def _features(sentence: PlacedSentence, words: LanguageWords) -> Iterator[str]:
    spoken = spoken_words(sentence.text)
    yield from spoken
    yield from map(" ".join, pairwise(spoken))
    yield from map(" ".join, zip(spoken, spoken[1:], spoken[2:], strict=False))
    yield from (f"{index}^{word}" for index, word in enumerate(spoken[:_OPENING]))
    yield f"^{' '.join(spoken[:2])}"
    yield f"=words {min(6, len(spoken) // 5)}"
    yield f"=length {min(12, sentence.length.bit_length())}"
    yield f"=total {min(6, sentence.total)}"
    yield f"=first {sentence.position == 0}"
    yield f"=asked {sentence.answers_question}"
    for name, pattern in zip(words._fields, words, strict=True):
        match = pattern.search(sentence.reading) if isinstance(pattern, re.Pattern) else None
        if match is not None:
            yield f"={name} {match.start() == 0}"
