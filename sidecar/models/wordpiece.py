"""BERT's uncased WordPiece tokenizer.

By the rules of Devlin et al., "BERT" (2018), and Wu et al., "Google's Neural Machine Translation System" (2016): drop
control characters and accents, lower the case, and split at white space and around every punctuation mark and CJK
ideograph. Then take the longest piece of the vocabulary from the left, again and again. If any part of a word is in no
piece, the whole word is unknown.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path

VOCABULARY_FILE = Path(__file__).parent / "data" / "vocabulary.txt"
# A longer word counts as unknown.
MAX_WORD_CHARS = 100
MAX_CACHED_WORDS = 20_000

_ASCII_WORDS = re.compile(r"[a-z0-9]+|[!-/:-@\[-`{-~]")
_ASCII_CONTROLS = dict.fromkeys([*range(9), 11, 12, *range(14, 32), 127])
_IDEOGRAPHS = (
    (0x4E00, 0x9FFF),
    (0x3400, 0x4DBF),
    (0x20000, 0x2A6DF),
    (0x2A700, 0x2B73F),
    (0x2B740, 0x2B81F),
    (0x2B920, 0x2CEAF),
    (0xF900, 0xFAFF),
    (0x2F800, 0x2FA1F),
)


def read_vocabulary(path: Path = VOCABULARY_FILE) -> list[str]:
    """Read the pieces, one per line in the order of their numbers. Raises OSError; ValueError unless it is UTF-8."""
    return path.read_text(encoding="utf-8").removesuffix("\n").split("\n")


class WordPiece:
    """A tokenizer over one vocabulary. Thread-safe."""

    def __init__(self, vocabulary: Sequence[str]) -> None:
        # A word of `words` is never a special token or an inner piece, since both contain punctuation.
        self._numbers = dict(zip(vocabulary, range(len(vocabulary)), strict=True))
        self._longest = len(max(vocabulary, key=len, default=""))
        self._characters = _Characters()
        self._split_once = lru_cache(MAX_CACHED_WORDS)(self._split)

    def words(self, text: str) -> list[str]:
        if text.isascii():
            return _ASCII_WORDS.findall(text.translate(_ASCII_CONTROLS).lower())
        return unicodedata.normalize("NFD", text).translate(self._characters).split()

    def pieces(self, word: str) -> tuple[int, ...]:
        """Return the piece numbers of one word from `words`; empty if the word is unknown."""
        return self._split_once(word)

    def encode(self, text: str, unknown: int, limit: int) -> list[int]:
        """Return up to `limit` piece numbers of a text, with `unknown` for each unknown word."""
        numbers: list[int] = []
        for word in self.words(text):
            numbers.extend(self.pieces(word) or (unknown,))
            if len(numbers) >= limit:
                break
        return numbers[:limit]

    def _split(self, word: str) -> tuple[int, ...]:
        if len(word) > MAX_WORD_CHARS:
            return ()
        numbers = []
        start, before = 0, ""
        while start < len(word):
            for end in range(min(len(word), start + self._longest), start, -1):
                number = self._numbers.get(before + word[start:end])
                if number is not None:
                    break
            else:
                return ()
            numbers.append(number)
            start, before = end, "##"
        return tuple(numbers)


class _Characters(dict[int, str | None]):
    """A table for `str.translate` of decomposed text, filled as characters occur."""

    def __missing__(self, code: int) -> str | None:
        self[code] = character = _character(chr(code))
        return character


def _character(char: str) -> str | None:
    category = unicodedata.category(char)
    if char in "\t\n\r" or category in ("Zs", "Zl", "Zp"):
        return " "
    if category in ("Cc", "Cf", "Co", "Cs", "Cn", "Mn") or char == "\ufffd":
        return None
    code = ord(char)
    if category.startswith("P") or (code < 128 and not char.isalnum()):
        return f" {char} "
    if any(first <= code <= last for first, last in _IDEOGRAPHS):
        return f" {char} "
    return char.lower()
