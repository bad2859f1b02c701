"""Compute what a lexical index stores from a document's fields, each a pair (text, weight)."""

from __future__ import annotations

import math
from collections.abc import Sequence

import xxhash

from sidecar.text.words import terms

WEIGHT_UNIT = 1000  # frequencies are in thousandths
MAX_FREQUENCY = 2**32 - 1  # the greatest number in a column of 32 bits


def term_frequencies(fields: Sequence[tuple[str, float]]) -> dict[str, int]:
    """Return the frequency of each term in thousandths. Raises ValueError for a weight outside 0 to 1,000."""
    frequencies: dict[str, int] = {}
    for text, weight in fields:
        if not 0 <= weight <= 1_000:
            raise ValueError(f"a field's weight is between 0 and 1,000, not {weight}")
        units = round(weight * WEIGHT_UNIT)
        if units:
            for term in terms(text):
                frequencies[term] = frequencies.get(term, 0) + units
    if max(frequencies.values(), default=0) > MAX_FREQUENCY:
        return {term: min(frequency, MAX_FREQUENCY) for term, frequency in frequencies.items()}
    return frequencies


def idf(size: int, count: int) -> float:
    """Return the inverse document frequency of a term that `count` of `size` documents hold."""
    return math.log(1 + (size - count + 0.5) / (count + 0.5))


def fingerprint_of_fields(fields: Sequence[tuple[str, float]]) -> bytes:
    """Return eight bytes that identify the fields' texts and weights."""
    parts = [f"{weight} {len(text)} {text}" for text, weight in fields]
    return xxhash.xxh3_64_digest("".join(parts).encode("utf-8", "surrogatepass"))
