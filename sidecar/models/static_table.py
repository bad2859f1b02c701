"""Embeddings from the table in the package: a text's vector is the weighted sum of the rows of its words.

A word of probability p weighs a/(a + p), the smooth inverse frequency of Arora et al., "A Simple but Tough-to-Beat
Baseline for Sentence Embeddings" (2017). `tests/bench/distill` writes the weights into the table.

A row is one large integer, with each of its bytes in a lane of 32 bits. It is multiplied by the row's weight and added.
No lane overflows as long as the weights' sum is below 2^24. So a text costs one addition per word.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache, lru_cache
from pathlib import Path
from typing import NamedTuple

from sidecar.models.embedding import MAX_COMPONENT
from sidecar.models.table_file import ZERO_BYTE, TableFile
from sidecar.models.wordpiece import VOCABULARY_FILE, WordPiece, read_vocabulary
from sidecar.store.columns import ones, weighted_sum
from sidecar.text.identifiers import split_identifier

TABLE_FILE = Path(__file__).parent / "data" / "table.bin"
# Raise it whenever a text's words are chosen differently: vectors of two recipes are not comparable.
RECIPE = 1
# One component is summed in this many bytes.
_LANE_BYTES = 4
# The greatest sum of weights that a lane holds.
_MAX_WEIGHT_SUM = 2**24 - 1
# A cached word takes 1 KB.
MAX_CACHED_WORDS = 4096
# 2^52 as a double, whose lower half holds whatever is added.
_TWO_TO_52 = b"\0\0\0\0\0\0\x30\x43"
# A word of shorter pieces is only spelled.
_MIN_CHARS_PER_PIECE = 2
# This many alternating letters and digits are a hash, not an identifier.
_MIN_HASH_CHARS = 7
_MAX_READ_WORDS = 20_000
_WORDS = re.compile(r"[^\W_]+")


class _WeightedWord(NamedTuple):
    lanes: int
    weight: int


class StaticTable:
    """An `Embedder`; each table and recipe has a name of its own. Thread-safe."""

    def __init__(self, table: TableFile, vocabulary: Sequence[str]) -> None:
        if len(vocabulary) != len(table.weights):
            raise ValueError("the table and the vocabulary have different sizes")
        self._table = table
        self._wordpiece = WordPiece(vocabulary)
        self._word = lru_cache(MAX_CACHED_WORDS)(self._add_pieces)
        self.name = f"static-{RECIPE}-{table.fingerprint}"
        self.dimensions = table.dimensions

    @classmethod
    def load(cls, table: Path = TABLE_FILE, vocabulary: Path = VOCABULARY_FILE) -> StaticTable:
        """Load the package's table. Raises OSError if it is missing, ValueError if it is damaged."""
        return cls(TableFile(table), read_vocabulary(vocabulary))

    def embed(self, texts: Sequence[str]) -> list[bytes]:
        return [self._vector(_WORDS.findall(text)[:_MAX_READ_WORDS]) for text in texts]

    def embed_query(self, text: str) -> bytes:
        return self.embed([text])[0]

    def pieces(self, text: str) -> list[int]:
        """Return the numbers of the rows that add up to a text's vector."""
        return [piece for word in _WORDS.findall(text)[:_MAX_READ_WORDS] for piece in self._pieces_of_word(word)]

    def _vector(self, words: Sequence[str]) -> bytes:
        weighted = [self._word(word) for word in words]
        weight = sum([word.weight for word in weighted])
        while weight > _MAX_WEIGHT_SUM:  # the sum of thousands of rare words would overflow
            weight -= weighted.pop().weight
        if weight == 0:
            return bytes(self.dimensions)
        lanes = sum([word.lanes for word in weighted])
        return _quantise(lanes.to_bytes(_LANE_BYTES * self.dimensions, "little"), ZERO_BYTE * weight)

    def _add_pieces(self, word: str) -> _WeightedWord:
        lanes = weight = 0
        for piece in self._pieces_of_word(word):
            piece_weight = self._table.weights[piece]
            if weight + piece_weight <= _MAX_WEIGHT_SUM:
                weight += piece_weight
                lanes += piece_weight * self._row(piece)
        return _WeightedWord(lanes, weight)

    def _pieces_of_word(self, word: str) -> list[int]:
        parts = (word,) if word.islower() and word.isalpha() else split_identifier(word)
        if len(word) >= _MIN_HASH_CHARS and len(parts) * 3 > len(word):
            return []
        numbers: list[int] = []
        for part in parts:
            simple = part.islower() and part.isalpha() and part.isascii()
            for plain in (part,) if simple else self._wordpiece.words(part):
                pieces = self._wordpiece.pieces(plain)
                # Leave out single characters and words that the vocabulary can only spell: hashes, most other scripts.
                if len(plain) >= _MIN_CHARS_PER_PIECE * len(pieces) > 0:
                    numbers += [piece for piece in pieces if self._table.weights[piece]]
        return numbers

    def _row(self, piece: int) -> int:
        spread = bytearray(_LANE_BYTES * self.dimensions)
        spread[::_LANE_BYTES] = self._table.row(piece)
        return int.from_bytes(spread, "little")


def _quantise(lanes: bytes, zero: int) -> bytes:
    """Do the same as `quantise`, by the numeric library, after `zero` is subtracted from each lane."""
    size = len(lanes) // _LANE_BYTES
    unit, doubles = ones(size), bytearray(_TWO_TO_52 * size)
    for place in range(_LANE_BYTES):
        doubles[place::8] = lanes[place::_LANE_BYTES]
    values = weighted_sum(memoryview(doubles).cast("d"), unit, 1.0, -(2.0**52 + zero))
    peak = max(max(values), -min(values))
    if peak == 0:
        return bytes(size)
    # Adding 1.5 × 2^52 rounds each value to an integer, which is then in the lowest byte of the mantissa.
    return weighted_sum(values, unit, MAX_COMPONENT / peak, 1.5 * 2.0**52).tobytes()[::8]


@cache
def packaged_table() -> StaticTable:
    """Return the package's table, loaded once per process. Raises like `StaticTable.load`."""
    return StaticTable.load()
