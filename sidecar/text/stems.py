"""Stems of words, by script and, for the Latin script, by language.

A language is recognised by its most common words. It only adds a second stem to a word: so a short query, whose
language cannot be recognised, still finds a long document.
"""

from __future__ import annotations

import threading
import unicodedata
from collections.abc import Iterable
from functools import cache, lru_cache
from typing import Any

from sidecar.text.lazy_patterns import lazy
from sidecar.text.word_lists import word_lines

# First code point, last code point, name of the Snowball algorithm.
_SCRIPT_RANGES = (
    (0x0041, 0x024F, "english"),
    (0x0370, 0x03FF, "greek"),
    (0x0400, 0x052F, "russian"),
    (0x0530, 0x058F, "armenian"),
    (0x0600, 0x06FF, "arabic"),
    (0x0900, 0x097F, "hindi"),
    (0x0B80, 0x0BFF, "tamil"),
    (0x1E00, 0x1EFF, "english"),
)
# Common words of each language that are rare in the others; two of them determine the language.
_MARKERS_BY_LANGUAGE = word_lines("markers.txt")
_ALL_MARKERS = frozenset[str]().union(*_MARKERS_BY_LANGUAGE.values())
_ENGLISH = frozenset("the and of to is in that it was for are with this not be have from you we or but when".split())
_NO_DECOMPOSITION = str.maketrans(
    {"ø": "o", "ł": "l", "đ": "d", "æ": "ae", "œ": "oe", "ı": "i", "þ": "th", "ð": "d", "ħ": "h"}
)
_LATIN_MARKS = lazy("[\u0300-\u036f]+")
_OPTIONAL_MARKS = lazy("[\u0591-\u05c7\u0610-\u061a\u0640\u064b-\u065f\u0670]+")
# A longer run is not a word.
_MAX_WORD_CHARS = 40
# Base form of each irregular verb form and plural ("bought"), except forms that are mostly another word ("rose").
_BASE_PATTERNS = {form: base for base, forms in word_lines("irregular.txt").items() for form in forms}


# PyStemmer's stemmers are not thread-safe.
_STEMMER_LOCK = threading.Lock()


@cache
def _stemmer(algorithm: str) -> Any:
    import Stemmer

    return Stemmer.Stemmer(algorithm, 0)


def _snowball(algorithm: str, word: str) -> str:
    with _STEMMER_LOCK:
        return str(_stemmer(algorithm).stemWord(word))


def language_of(words: Iterable[str]) -> str | None:
    """Return the Snowball name of the words' language if it is clearly a Latin-script language other than English."""
    distinct = frozenset(words)
    if len(distinct & _ALL_MARKERS) < 2:
        return None
    best, hits = None, max(1, len(distinct & _ENGLISH))
    for language, markers in _MARKERS_BY_LANGUAGE.items():
        count = len(distinct & markers)
        if count > hits:
            best, hits = language, count
    return best


def fold_case(word: str) -> str:
    """Fold case; remove the marks of Latin letters, Hebrew points and Arabic vowel signs."""
    folded = word.casefold()
    if folded.isascii():
        return folded
    first = ord(folded[0])
    if first < 0x250 or 0x1E00 <= first < 0x1F00:
        folded = unicodedata.normalize("NFD", folded.translate(_NO_DECOMPOSITION))
        return unicodedata.normalize("NFC", _LATIN_MARKS.sub("", folded))
    if 0x590 <= first < 0x700:
        return _OPTIONAL_MARKS.sub("", folded) or folded
    return folded


@lru_cache(maxsize=10_000)
def stem(word: str, language: str | None = None) -> str:
    """Return a word's stem by the algorithm of its script or of `language`; of a long word, only fold the case."""
    folded = fold_case(word)
    if len(folded) > _MAX_WORD_CHARS:
        return folded
    if language is not None:
        return fold_case(_snowball(language, word.casefold())) or folded
    first = ord(folded[0])
    for start, end, algorithm in _SCRIPT_RANGES:
        if start <= first <= end:
            if algorithm == "english":
                folded = _BASE_PATTERNS.get(folded, folded)
            return _snowball(algorithm, folded) or folded
    return folded
