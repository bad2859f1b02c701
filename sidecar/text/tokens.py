"""Estimate how many tokens a language model would count in a text.

The estimate is a little above the larger count of the byte-pair encodings cl100k and o200k, and hardly ever below; it
was fitted to counts of `bpe-openai`. For base64, and for Dutch, Finnish or Swahili, it is low by a tenth or more.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter
from pathlib import Path

from sidecar.text.lazy_patterns import lazy

_TOKEN = lazy(
    # Where order does not change the result, the most frequent alternatives come first; a blank that is not a token of
    # its own is matched with the characters after it.
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
# A token always ends between these two characters.
_PIECE_GAP = lazy(r"\n[^\r\n]|[^ \f\v] |[A-Za-z0-9][!-/:-@\[-^`{-~]")
_ASCII = lazy(r"[\x00-\x7f]+")

# By script: the first code point (hex), and hundredths of a token per character from there on.
_WEIGHTS = [line.split(maxsplit=2) for line in Path(__file__).with_name("token_weights.txt").read_text().splitlines()]
_FIRST_CODE_POINTS = tuple(int(row[0], 16) for row in _WEIGHTS)
_CODE_POINT_COSTS = (0, *(int(row[1]) for row in _WEIGHTS))

# One call of a regular expression, during which no other thread runs, counts this many characters.
PIECE_CHARS = 4_096
# A long file is estimated from this many samples.
MAX_SAMPLES = 16
SAMPLE_CHARS = 1_024


def estimate_file(text: str) -> int:
    """Estimate a whole file's tokens; of a long file, from samples. For reports, not for budgets."""
    if len(text) <= MAX_SAMPLES * SAMPLE_CHARS:
        return estimate(text)
    step = (len(text) - SAMPLE_CHARS) / (MAX_SAMPLES - 1)
    starts = (round(number * step) for number in range(MAX_SAMPLES))
    sampled = sum(estimate(text[start : start + SAMPLE_CHARS]) for start in starts)
    return round(sampled * len(text) / (MAX_SAMPLES * SAMPLE_CHARS))


def estimate(text: str) -> int:
    """Return the number of tokens in the text, in linear time; `estimate(a + b) <= estimate(a) + estimate(b) + 1`."""
    count = hundredths = offset = 0
    while offset < len(text):
        cut = _PIECE_GAP.search(text, offset + PIECE_CHARS)
        end = cut.start() + 1 if cut is not None else len(text)
        tokens, weighed = measure_piece(text, offset, end)
        count, hundredths, offset = count + tokens, hundredths + weighed, end
    return max(count + -(-hundredths // 100), 1) if text else 0


def measure_piece(text: str, start: int, end: int) -> tuple[int, int]:
    """Return the tokens of the ASCII part of a piece, and hundredths of a token for the rest."""
    count = len(_TOKEN.findall(text, start, end))
    if text.isascii():
        return count, 0
    return count, sum(
        times * _CODE_POINT_COSTS[bisect_right(_FIRST_CODE_POINTS, ord(char))]
        for char, times in Counter(_ASCII.sub("", text[start:end])).items()
    )
