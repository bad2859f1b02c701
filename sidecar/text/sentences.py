"""Split a passage of prose into sentences, and mark the parts of a sentence that are not language.

A sentence ends at `.`, `!`, `?` or `…` before white space, or at a full stop of a script without blanks, but not after
an abbreviation, an initial or a list number, nor inside a code span. The next sentence need not begin with a capital.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from sidecar.text.lazy_patterns import lazy
from sidecar.text.lookalikes import lower_in_place
from sidecar.text.word_lists import word_lines

_SENTENCE_END = lazy(r"(?<![.!?…])[.!?…]++[\"'”’)\]*_]*+(?=\s)|[。！？।؟]+[”」』）]*")
_ABBREVIATIONS = word_lines("words.txt")["abbreviations"]
# Abbreviations that may end a sentence: the sentence continues only before a lower-case word.
_OPEN = frozenset("etc usw no max min p v sec st sat sun mon inc co est mar ms".split())
_CODE_SPAN = lazy(r"(?<!`)(`{1,3})(?!`)[^`]+\1(?!`)")
_URL = lazy(r"\b[a-z][a-z0-9+.-]{1,20}://\S+", re.IGNORECASE)
# Quotations in double quotes; single quotes are too often apostrophes.
_QUOTATION = lazy(r"\"[^\"]*\"|“[^“”]*”|„[^„“”]*[“”]|«[^«»]*»|「[^「」]*」")


class Sentence(NamedTuple):
    """A sentence."""

    text: str
    reading: str  # in lower case and as long; code and addresses as `x`, quotations as `q`


def split_sentences(passage: str) -> Iterator[str]:
    """Yield the sentences of a one-line passage, with their end signs."""
    covered = [code.span() for code in _CODE_SPAN.finditer(passage)] if "`" in passage else []
    position = span = start = 0
    for end in _SENTENCE_END.finditer(passage):
        position = end.start()
        while span < len(covered) and covered[span][1] <= position:
            span += 1
        if span < len(covered) and covered[span][0] <= position:
            continue
        if end[0].startswith(".") and _is_inner_stop(passage, start, end):
            continue
        if sentence := passage[start : end.end()].strip():
            yield sentence
        start = end.end()
    if sentence := passage[start:].strip():
        yield sentence


def read_sentence(text: str) -> Sentence:
    reading = lower_in_place(text).replace("’", "'").replace("‘", "'").replace("ʼ", "'")
    reading = _CODE_SPAN.sub(lambda match: "x" * len(match[0]), reading)
    reading = _URL.sub(lambda match: "x" * len(match[0]), reading)
    return Sentence(text, _QUOTATION.sub(lambda match: "q" * len(match[0]), reading))


def _is_inner_stop(passage: str, start: int, end: re.Match[str]) -> bool:
    """Return whether a full stop belongs to an abbreviation, an initial or the number of a list item."""
    if end[0].startswith(".."):
        return False
    head = passage[max(start, end.start() - 24) : end.start()]
    word = head.rsplit(None, 1)[-1].lstrip("([\"'“").lower() if head.strip() else ""
    following = passage[end.end() : end.end() + 2].strip()[:1]
    if passage[start : end.start()].strip().lower() == "no":  # an answer
        return following.isdigit()
    if word in _ABBREVIATIONS:
        return word not in _OPEN or following.islower() or (word in ("no", "p", "v") and following.isdigit())
    if word.isdigit():  # "1. first" opens a list; "in 2024. Then" does not
        return len(word) <= 2 and passage[start : end.start()].strip() == word
    return len(word) == 1 and word != "i" and following.isupper() and passage[end.start() - 1].isupper()
