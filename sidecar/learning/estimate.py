"""Fitted estimates: logistic regressions over hashed features; each has a file of one signed byte per hash."""

from __future__ import annotations

import struct
from collections.abc import Collection, Iterable
from math import exp, sqrt
from pathlib import Path
from typing import Final, NamedTuple
from zlib import crc32

from sidecar.learning.language.words import fold_accents
from sidecar.text.lazy_patterns import lazy

ESTIMATE_HEAD: Final = struct.Struct("<ff")  # the value of one step of a weight, and the bias
_NAME_LIKE: Final = lazy(r"`[^`]*`|\S*[/\\]\S+|@\S+|\b\w+\.\w{1,5}\b|\b\w+_\w+\b|\b[a-z]+[A-Z]\w*\b")
_WORD_OR_MARK: Final = lazy(r"[\u3040-\u30ff\u4e00-\u9fff\uac00-\ud7a3]|[^\W\d_]+(?:’\w+)?|\d+|[?!:]")


class Estimate(NamedTuple):
    """A regression. The number of its weights is a power of two."""

    step: float  # the value of one step of a weight
    bias: float
    weights: memoryview  # one for each hash of a feature
    # The more features a text has, the less each one counts, so that length alone makes nothing likely.
    scaled: bool

    def probability(self, features: Collection[int]) -> float:
        score = self.step * sum(self.weights[feature] for feature in features)
        if self.scaled:
            score /= sqrt(max(1, len(features)))
        return 1 / (1 + exp(-max(-30.0, min(30.0, self.bias + score))))


def read_estimate(file: Path, *, scaled: bool) -> Estimate:
    data = file.read_bytes()
    step, bias = ESTIMATE_HEAD.unpack_from(data)
    return Estimate(step, bias, memoryview(data)[ESTIMATE_HEAD.size :].cast("b"), scaled)


def hashed(features: Iterable[str], bits: int) -> list[int]:
    """Return the distinct hashes of features, sorted, each of `bits` bits."""
    return sorted({crc32(feature.encode("utf-8", "replace")) >> (32 - bits) for feature in features})


def spoken_words(text: str) -> list[str]:
    """Return a sentence's words in lower case, `nnn` in place of each name and `#` in place of each number.

    Names (paths, identifiers, code spans) differ between projects; ways of wording a wish do not.
    """
    words = _WORD_OR_MARK.findall(fold_accents(_NAME_LIKE.sub(" nnn ", text).lower()))
    return ["#" if word.isdigit() else word for word in words]
