"""The test whether a sentence repeats another facet or the file's outline."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Final

from sidecar.files.facets.admission_result import RefusalReason
from sidecar.files.facets.content import PROSE_LANGUAGES, WORDS, Content
from sidecar.text.identifiers import split_identifier
from sidecar.text.lazy_patterns import lazy
from sidecar.text.stems import stem
from sidecar.text.words import STOP_WORDS

# Jaccard similarity of stems from which two sentences say the same (tests/files/facets/test_sameness.py)
PARAPHRASE_SHARE: Final = 0.6
# A sentence repeats a known one that has this share of its stems.
CONTAINED_SHARE: Final = 0.85
# A sentence must have this many stems that the outline lacks.
MIN_NEW_STEMS: Final = 3
# Each further identifier counts for this many stems, unless the outline shows it.
RELATED_STEMS: Final = 2
# A sentence repeats a document that has this share of its stems within a few lines.
WRITTEN_SHARE: Final = 0.75
_MAX_LINES: Final = 200
_WORD: Final = lazy(r"[^\W_][\w']*|_\w+|\d+")
_STRUCTURE_STEMS: Final = frozenset(map(stem, WORDS["structure"]))


def stems(text: str) -> frozenset[str]:
    stemmed: set[str] = set()
    for word in _WORD.findall(text.replace("`", " ")):
        low = word.lower()
        parts = split_identifier(word) if not low.isalpha() or not (word.islower() or word.istitle()) else [word]
        for part in parts:
            low = part.lower()
            if (low not in STOP_WORDS and len(low) > 1) or low.isdigit():
                stemmed.add(stem(low))
    return frozenset(stemmed)


def is_paraphrase(sentence: str, known: Sequence[str]) -> bool:
    """Return whether a known sentence says the same, with the same negation and numbers."""
    mine = stems(sentence)
    if not mine:
        return False
    for other in known:
        theirs = stems(other)
        if not theirs:
            continue
        shared = len(mine & theirs)
        same = shared / len(mine | theirs) >= PARAPHRASE_SHARE or shared / len(mine) >= CONTAINED_SHARE
        if same and _denies(sentence) == _denies(other) and _numbers(sentence) <= _numbers(other):
            return True
    return False


def is_outline(sentence: str, named: Iterable[str], content: Content, *, rule: bool) -> RefusalReason | None:
    """Return why a sentence adds nothing to the outline's names, signatures and docs; None if it adds something.

    `named` are its identifiers that occur in the content. A relation between two identifiers is new unless a signature
    shows both. A rule counts as new.
    """
    named = tuple(named)
    names = {name.rpartition(".")[2] for name in named}
    outline: set[str] = set(_STRUCTURE_STEMS)
    for name in named:
        outline |= stems(name)
    described = [content.record.doc or ""]
    signatures: list[str] = []
    for symbol in content.symbols:
        if symbol.name.rpartition(".")[2] in names:
            outline |= stems(" ".join((symbol.signature, symbol.name, *(child.name for child in symbol.children))))
            signatures.append(symbol.signature)
            described.append(symbol.doc or "")
    added = stems(sentence) - outline
    telling = rule + sum(word in WORDS["telling"] or word in WORDS["negation"] for word in _words(sentence))
    shown = " ".join((*described, *signatures))
    telling += RELATED_STEMS * sum(name.rpartition(".")[2] not in shown for name in named[1:])
    if len(added) + telling < MIN_NEW_STEMS:
        return "saysLittle" if added else "alreadyInOutline"
    if any(len(added - stems(doc)) + telling < MIN_NEW_STEMS for doc in described if doc):
        return "alreadyInOutline"
    if content.record.language in PROSE_LANGUAGES and _is_written(stems(sentence), names, content):
        return "alreadyInOutline"
    return None


def _is_written(mine: frozenset[str], names: set[str], content: Content) -> bool:
    """Return whether the lines of a document around one of `names` contain the stems `mine`."""
    lines = content.text.splitlines()
    near = [number for number, line in enumerate(lines) if any(name in line for name in names)][:_MAX_LINES]
    return any(
        len(mine & stems(" ".join(lines[max(0, number - 1) : number + 2]))) >= WRITTEN_SHARE * len(mine)
        for number in near
    )


def _words(text: str) -> set[str]:
    return {word.lower().replace("’", "'") for word in _WORD.findall(text)}


def _denies(text: str) -> bool:
    return bool(_words(text) & WORDS["negation"])


def _numbers(text: str) -> set[str]:
    return set(re.findall(r"\d+", text))
