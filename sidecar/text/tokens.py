"""Estimate how many tokens a language model would count in a text.

The estimate is meant for budgets: a little above the byte-pair encodings cl100k and o200k (the larger of the two),
hardly ever below. Every match of one regular expression counts as one token of the ASCII part; the rest is weighted by
script. Chunk lengths and weights were fitted to counts made with `bpe-openai` over source code of 20 languages, prose,
translated documentation and generated identifiers. The estimate is low by a tenth or more for base64 and for languages
in plain Latin letters that the encodings cover badly (Dutch, Finnish, Swahili).
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter
from pathlib import Path

from sidecar.text.lazy_patterns import lazy

_TOKEN = lazy(
    # Ordered for speed where the result does not depend on the order: what is most frequent in code comes first, and a
    # blank that is not a token of its own is matched with what follows it.
    r"(?: |(?<![A-Z0-9]))[a-z]{1,7}"
    r"| (?=[0-9])"  # no encoding joins a number and the blank before it
    r"|[ \f\v]{2,64}"
    r"| ?(?:={4,16}|-{4,16}|\*{4,16}|#{4,16}|/{4,16}|~{4,16}|\.{4,16}"
    r"|[!-/:-@\[-^`{-~]{1,3}[\r\n]*)"
    r"| ?_+"
    r"|[\r\n]+"
    # Letters just after a digit, or between changes of case, are hashes and base64: two letters per token.
    r"|(?<=[0-9])[A-Za-z]{1,2}"
    r"|(?<=[A-Z][a-z])[A-Z]"
    r"|(?<=[a-z])[A-Z]{2}"
    r"|(?<=[A-Z]{2})[a-z]{1,2}"
    r"|[A-Z]?[a-z]{1,7}"
    r"|[A-Z]{1,3}"
    r"|[0-9]{1,3}"
    r"|\t{2,16}",
    re.ASCII,
)
# A token ends between these two characters, whatever is before and after them.
_GAP = lazy(r"\n[^\r\n]|[^ \f\v] |[A-Za-z0-9][!-/:-@\[-^`{-~]")
_ASCII = lazy(r"[\x00-\x7f]+")

_WEIGHTS = [line.split(maxsplit=2) for line in Path(__file__).with_name("token_weights.txt").read_text().splitlines()]
"""Hundredths of a token per character from the code point (hex) on, by script."""

_STARTS = tuple(int(row[0], 16) for row in _WEIGHTS)
_COSTS = (0, *(int(row[1]) for row in _WEIGHTS))

PIECE_CHARS = 4_096
"""A longer text is counted piece by piece: while a regular expression runs, no other Python thread does."""

SAMPLES = 16  # of a long file, ...
SAMPLE_CHARS = 1_024  # ... of this length


def estimate_file(text: str) -> int:
    """Estimate the tokens of a whole file, from evenly spaced samples if it is long: a few hundredths off, but faster.

    Use it to report what a file would cost, not to keep within a budget.
    """
    if len(text) <= SAMPLES * SAMPLE_CHARS:
        return estimate(text)
    step = (len(text) - SAMPLE_CHARS) / (SAMPLES - 1)
    starts = (round(number * step) for number in range(SAMPLES))
    sampled = sum(estimate(text[start : start + SAMPLE_CHARS]) for start in starts)
    return round(sampled * len(text) / (SAMPLES * SAMPLE_CHARS))


def estimate(text: str) -> int:
    """Return the number of tokens in the text, 0 for an empty one, in linear time.

    `estimate(a + b) <= estimate(a) + estimate(b) + 1`: the sum over parts, plus one for each, bounds the whole.
    """
    count = hundredths = offset = 0
    while offset < len(text):
        cut = _GAP.search(text, offset + PIECE_CHARS)
        end = cut.start() + 1 if cut is not None else len(text)
        tokens, weighed = measure_piece(text, offset, end)
        count, hundredths, offset = count + tokens, hundredths + weighed, end
    return max(count + -(-hundredths // 100), 1) if text else 0


def measure_piece(text: str, start: int, end: int) -> tuple[int, int]:
    """Return the tokens of the ASCII part between two places, and hundredths of a token for the rest."""
    count = len(_TOKEN.findall(text, start, end))
    if text.isascii():
        return count, 0
    return count, sum(
        times * _COSTS[bisect_right(_STARTS, ord(char))]
        for char, times in Counter(_ASCII.sub("", text[start:end])).items()
    )
