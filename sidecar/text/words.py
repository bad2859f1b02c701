"""The terms of a text for full text search: the same analysis for index and query.

A text gives, in order:

- words: Unicode NFKC, case folded, Latin letters without marks, reduced to their Snowball stem by script; a text
  that clearly is in another Latin-script language gives that language's stems as well;
- identifiers: the whole (`parse_header`, `parseheader`) and the words in it;
- dotted names, paths and addresses: the whole, the last segment with and without its extension, and the words but
  the extension of a source file, which says only its language;
- versions and numbers whole (`3.11`, `v2.0.1` also as `2.0.1`), issue marks whole and as a number (`#34`, `34`);
- words joined by a hyphen: the words, and the whole without the hyphen;
- scripts written without blanks: pairs of neighbouring characters, and single ones, which a query uses
  only when it has no pair;
- pictographs, one by one.

Stop words are left out unless a text consists of nothing else. Runs longer than any word (base64) are dropped.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache
from itertools import pairwise

from sidecar.text.identifiers import split_identifier
from sidecar.text.lazy_patterns import lazy
from sidecar.text.stems import fold_case, language_of, stem
from sidecar.text.word_lists import word_lines

# Raise it when `terms` returns anything else: an index of another recipe does not fit.
RECIPE = 3
# Longer runs are base64.
_MAX_WORD_CHARS = 64
# This many letters and digits in turn are a hash, not an identifier.
_MIN_HASH_CHARS = 7
# A longer chunk is read word by word.
_MAX_CHUNK_CHARS = 200

# Combining marks of letters, which `\w` leaves out.
_COMBINING_MARKS = (
    "\u0300-\u036f\u0483-\u0487\u0591-\u05bd\u05bf-\u05c2\u05c4\u05c5\u05c7\u0610-\u061a\u064b-\u065f\u0670"
    "\u06d6-\u06dc\u06df-\u06e8\u06ea-\u06ed\u0730-\u074a\u07a6-\u07b0\u0900-\u0963\u0966-\u0df3\u0e31-\u0e3a"
    "\u0e47-\u0e4e\u0eb1-\u0ebc\u0ec8-\u0ecd\u0f71-\u0f84\u0f8d-\u0fbc\u102b-\u103e\u1056-\u1059\u17b4-\u17d3"
    "\u1dc0-\u1dff\u20d0-\u20f0\u302a-\u302f\u3099\u309a"
)
_WORD = rf"[\w{_COMBINING_MARKS}]"
_PICTOGRAPH = "[\u2600-\u27bf\U0001f000-\U0001faff]"
# File extensions left out of the terms, since they only say the language.
EXTENSIONS = word_lines("words.txt")["extensions"]
# A chunk is a run of words joined by single signs: `src/text/words.py`, `re-use`, `don't`, `#34`, `os.path`.
_CHUNK_OF_WORDS = lazy(rf"\b(?:[cC]\+\+|[cCfF]#)(?!{_WORD})|[#!&]?{_WORD}+(?:[-./\\:'’@+]{_WORD}+)*|{_PICTOGRAPH}")
_WORDS = lazy(rf"{_WORD}+")
# The same two patterns for ASCII text: compiling those above takes ten milliseconds.
_ASCII_CHUNK = lazy(r"\b(?:[cC]\+\+|[cCfF]#)(?!\w)|[#!&]?\w+(?:[-./\\:'@+]\w+)*", re.ASCII)
_ASCII_WORDS = lazy(r"\w+", re.ASCII)
_BEFORE_MONTHS = frozenset("in of since until till during by last this next early late mid before after from".split())
_LANGUAGES = frozenset(("c++", "C++", "c#", "C#", "f#", "F#"))
_ISSUE = lazy(r"[#!&][0-9]{1,9}")
_NUMBER = lazy(r"[vV]?([0-9]+(?:[-.:/][0-9A-Za-z]+)*)")
# Han, kana, Hangul, Thai, Lao, Tibetan, Burmese, Khmer: pairs of characters are used as words.
_UNSPACED_CHARS = (
    "\u0e00-\u0eff\u0f00-\u0fff\u1000-\u109f\u1100-\u11ff\u1780-\u17ff\u3005-\u3007\u3040-\u30ff\u3130-\u318f\u3400-\u4dbf"
    "\u4e00-\u9fff\ua960-\ua97f\uac00-\ud7ff\uf900-\ufaff\U00020000-\U0003ffff"
)
_UNSPACED_CHAR = lazy(rf"[{_UNSPACED_CHARS}]")
_UNSPACED_CHAR_TERM = lazy("[\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7a3\uf900-\ufaff\U00020000-\U0003ffff]")
_UNSPACED_RUN = lazy(rf"([{_UNSPACED_CHARS}]+)")

_STOP_WORD_LISTS = word_lines("stop_words.txt")
# Words left out of the index: articles, pronouns, auxiliaries, prepositions, conjunctions.
STOP_WORDS = _STOP_WORD_LISTS["index"]
# Words left out of a query: the stop words, and words that only phrase a question ("how").
QUERY_STOP_WORDS = STOP_WORDS | _STOP_WORD_LISTS["query"]


def terms(text: str) -> list[str]:
    """Return the terms to index, in order, with repetitions; empty only for a text without any word."""
    return _analyse(text, STOP_WORDS, singles=True)


def word_terms(word: str) -> tuple[str, ...]:
    """Do the same as `terms` for one word, much faster; a stop word gives no terms."""
    if word.isascii():
        return _terms_of_word(word, STOP_WORDS, None)
    return tuple(_analyse(word, STOP_WORDS, singles=True))


def query_terms(text: str) -> list[str]:
    """Return the terms of a query, without stop words and words that phrase questions."""
    return _analyse(text, QUERY_STOP_WORDS, singles=False)


def query_words(text: str) -> list[tuple[str, ...]]:
    """Return the words of a query, each as its terms; `query_terms` are the same terms in one list."""
    return list(_words_with_terms(text, QUERY_STOP_WORDS, singles=False))


def _analyse(text: str, stop_words: frozenset[str], *, singles: bool) -> list[str]:
    return [term for word in _words_with_terms(text, stop_words, singles=singles) for term in word]


@lru_cache(maxsize=256)  # several callers read the same query or new memory
def _words_with_terms(text: str, stop_words: frozenset[str], *, singles: bool) -> tuple[tuple[str, ...], ...]:
    whole = text if text.isascii() else unicodedata.normalize("NFKC", text)
    chunks = (_ASCII_CHUNK if text.isascii() else _CHUNK_OF_WORDS).findall(whole)
    language = language_of(map(str.casefold, chunks))
    for ignored in (stop_words, STOP_WORDS, frozenset[str]()):
        term_groups: list[tuple[str, ...]] = []
        for before, chunk in pairwise(("", *chunks)):
            if len(chunk) > _MAX_CHUNK_CHARS or (not chunk.isascii() and _UNSPACED_CHAR.search(chunk)):
                for run in _split_runs(chunk):
                    term_groups.extend((term,) for term in _mixed_terms(run, ignored, language, singles=singles))
            elif chunk_terms := _chunk_terms(chunk, ignored, language):
                term_groups.append(chunk_terms)
            elif _names_a_month(chunk, before):
                term_groups.append((chunk.casefold(),))
        if term_groups:
            return tuple(term_groups)
    return ()


def _names_a_month(chunk: str, before: str) -> bool:
    """Return whether `may`, otherwise a stop word, is the month: it follows `in` and the like, or is a name."""
    if chunk.casefold() != "may":
        return False
    return before.casefold() in _BEFORE_MONTHS or (chunk == "May" and before != "")


@lru_cache(maxsize=10_000)
def _chunk_terms(chunk: str, ignored: frozenset[str], language: str | None) -> tuple[str, ...]:
    if chunk in _LANGUAGES:
        return (chunk.casefold(),)
    if _ISSUE.fullmatch(chunk):
        return (chunk, chunk[1:])
    chunk = chunk.lstrip("#!&")
    if number := _NUMBER.fullmatch(chunk):
        bare = number[1].casefold()
        return (*dict.fromkeys((chunk.casefold(), bare)), *(_split_runs(bare) if "-" in bare or "/" in bare else ()))
    if "'" in chunk or "’" in chunk:
        chunk = chunk.replace("’", "'")
        if chunk.casefold() in STOP_WORDS:
            return () if ignored else (chunk.casefold(),)
        chunk = chunk.removesuffix("'s").removesuffix("'S")
    words = _split_runs(chunk)
    if not words:
        return (chunk.casefold(),)
    if len(words) == 1:
        return _terms_of_word(words[0], ignored, language)
    chunk_terms: list[str] = []
    if "/" in chunk or "\\" in chunk or "." in chunk or "@" in chunk:
        whole = fold_case(chunk.replace("\\", "/"))
        name = whole.rpartition("/")[2]
        chunk_terms.append(whole)
        if name != whole and name not in words:
            chunk_terms.append(name)
        without_extension = name.rpartition(".")[0]
        if "." in without_extension or "-" in without_extension:
            chunk_terms.append(without_extension)
        if words[-1].casefold() in EXTENSIONS and whole.endswith("." + words[-1].casefold()):
            words.pop()  # an extension would match every memory that names a file of that language
    elif "-" in chunk and len(words) <= 3 and all(word.isalpha() for word in words):
        chunk_terms.append(stem("".join(words)))
    for word in words:
        chunk_terms.extend(_terms_of_word(word, ignored, language))
    return tuple(chunk_terms)


def _split_runs(text: str) -> list[str]:
    return (_ASCII_WORDS if text.isascii() else _WORDS).findall(text)


def _terms_of_word(word: str, ignored: frozenset[str], language: str | None) -> tuple[str, ...]:
    word = word.strip("_")
    if not word or len(word) > _MAX_WORD_CHARS:
        return ()
    folded = fold_case(word)
    if folded in ignored:
        return ()
    parts = (word,) if word.isalpha() and (word.islower() or word.isupper()) else split_identifier(word)
    if len(parts) > 1:
        # A hash such as `3f7868a5e3` has shorter parts than a name such as `getUserById`.
        if 3 * len(parts) > len(word) >= _MIN_HASH_CHARS:
            hash_part = 3 if sum(part.isdigit() for part in parts) > 1 else 2
            if len(parts) * hash_part > len(word):
                return (folded,)
        word_terms = [folded]
        for part in parts:
            word_terms += _part_terms(part, ignored, language)
        return tuple(word_terms)
    return _stems(word, language)


@lru_cache(maxsize=10_000)
def _part_terms(part: str, ignored: frozenset[str], language: str | None) -> tuple[str, ...]:
    return _stems(part, language) if len(part) > 1 and fold_case(part) not in ignored else ()


def _stems(word: str, language: str | None) -> tuple[str, ...]:
    plain = stem(word)
    if language is not None and ord(word[0]) < 0x250:
        own = stem(word, language)
        if own != plain:
            return (plain, own)
    return (plain,)


def _mixed_terms(run: str, ignored: frozenset[str], language: str | None, *, singles: bool) -> list[str]:
    """Return the terms of a run of letters that is long, or partly in a script written without blanks."""
    mixed_terms: list[str] = []
    for index, part in enumerate(_UNSPACED_RUN.split(run)):
        if index % 2 == 0:
            mixed_terms.extend(_terms_of_word(part, ignored, language))
            continue
        mixed_terms.extend(part[offset : offset + 2] for offset in range(len(part) - 1))
        if len(part) == 1:
            mixed_terms.append(part)
        elif singles:
            mixed_terms.extend(_UNSPACED_CHAR_TERM.findall(part))
    return mixed_terms
