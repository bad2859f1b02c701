"""Estimate how likely a user's sentence is to outlive its task: a logistic regression over its words and moods.

`tests/bench/durability.py` fits the weights on sentences of public sessions that readers labelled. Words are hashed, so
the file holds none. Names (paths, identifiers, code spans) count as one word, because they differ between projects
while ways of wording a wish do not.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Iterator
from functools import cache
from itertools import pairwise
from math import exp
from pathlib import Path
from typing import Final, NamedTuple
from zlib import crc32

from sidecar.learning.language.words import LanguageWords, fold_accents
from sidecar.text.lazy_patterns import lazy

BITS: Final = 15  # of a feature's hash: 32,768 weights
HEAD: Final = struct.Struct("<ff")  # the value of one step of a weight, and the bias; then a signed byte for each hash
_DATA: Final = Path(__file__).with_name("language") / "durability.bin"
_NAMES: Final = lazy(r"`[^`]*`|\S*[/\\]\S+|@\S+|\b\w+\.\w{1,5}\b|\b\w+_\w+\b|\b[a-z]+[A-Z]\w*\b")
_WORDS: Final = lazy(r"[\u3040-\u30ff\u4e00-\u9fff\uac00-\ud7a3]|[^\W\d_]+(?:’\w+)?|\d+|[?!:]")
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
    """Return the sorted hashes of a sentence's features."""
    return sorted({crc32(feature.encode("utf-8", "replace")) >> (32 - BITS) for feature in _features(sentence, words)})


def durability(sentence: PlacedSentence, words: LanguageWords) -> float:
    """Return the probability that a reader would keep this sentence for later sessions."""
    step, bias, weights = _model()
    score = bias + step * sum(weights[feature] for feature in features(sentence, words))
    return 1 / (1 + exp(-max(-30.0, min(30.0, score))))


def _features(sentence: PlacedSentence, words: LanguageWords) -> Iterator[str]:
    spoken = _WORDS.findall(fold_accents(_NAMES.sub(" nnn ", sentence.text).lower()))
    spoken = ["#" if word.isdigit() else word for word in spoken]
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


@cache
def _model() -> tuple[float, float, memoryview]:
    data = _DATA.read_bytes()
    step, bias = HEAD.unpack_from(data)
    return step, bias, memoryview(data)[HEAD.size :].cast("b")
