"""Statements in messages that are worth keeping: what a user wants, what was decided, what blocks, what was learned.

`preferences` and `findings` never answer with the same sentence: one that states a decision, a blocker or a lesson
is no preference. What was pasted, quoted or rendered by this program is not read at all. Time is linear in the length
of the text; the same text always gives the same statements.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Literal

from sidecar.learning.language import (
    blockers,
    corrections,
    decisions,
    facts,
    guards,
    other_languages,
)
from sidecar.learning.language import (
    preferences as wishes,
)
from sidecar.learning.language.mark import Kind, Mark
from sidecar.patterns import lazy
from sidecar.text.own_blocks import without_own_text
from sidecar.text.prose import passages
from sidecar.text.sentences import LONGEST, Sentence, read, split_sentences

Speaker = Literal["user", "assistant"]
LONGEST_STATEMENT = 300
MOST_STATEMENTS = 12
"""A message with more is a document; the first ones are kept."""

MOST_SENTENCES = 2_000
"""Sentences that are read of one message: what is longer is data that somebody pasted."""

_MANY_HEADINGS = 3
_MANY_ITEMS = 10
_LONG = 5_000  # characters
_HEADINGS = lazy(r"^[ ]{0,3}#{1,6}\s", re.MULTILINE)
_LIST_ITEMS = lazy(r"^[ \t]*(?:[-*+•]|\d{1,3}[.)])[ \t]", re.MULTILINE)
_IN_PERSON = frozenset(
    f"preference.{rule}"
    for rule in ("prefer", "from now on", "habit of mine", "self", "we", "remember", "other language")
)
_WORD = lazy(r"\w")
_TRAILING = " \t,;:–—-("


@dataclass(frozen=True, slots=True)
class Statement:
    """One statement: text as it was written, at most `LONGEST_STATEMENT` characters, and the rule that found it."""

    kind: Kind
    text: str
    rule: str
    score: float
    standing: bool = True


def preferences(text: str) -> list[Statement]:
    """What a user's message says of how to work: preferences (type user) and corrections (type feedback)."""
    return [found for found in statements(text) if found.kind in ("preference", "correction")]


def findings(text: str, speaker: Speaker) -> list[Statement]:
    """The decisions, blockers and lessons that a message states."""
    return [
        found for found in statements(text, "", speaker) if found.kind not in ("preference", "correction")
    ]


def statements(text: str, before: str = "", speaker: Speaker = "user") -> list[Statement]:
    """All that a message states, in its order; of an assistant no preferences or corrections."""
    in_person_only = speaker == "user" and is_document(text)
    kept: list[Statement] = []
    seen: set[str] = set()
    left = MOST_SENTENCES
    for passage in passages(without_own_text(text)):
        sentences = list(islice(split_sentences(passage), left))
        left -= len(sentences)
        for statement in _of_passage(sentences, speaker):
            if in_person_only and statement.kind == "preference" and statement.rule not in _IN_PERSON:
                continue
            key = " ".join(statement.text.lower().split())
            if key not in seen:
                seen.add(key)
                kept.append(statement)
                if len(kept) == MOST_STATEMENTS:
                    return kept
        if not left:
            break
    return kept


_UNSPACED_ENDS = ("。", "！", "？")


def is_document(text: str) -> bool:
    """Whether a message is a brief or a pasted document: its rules are that text's, not its sender's habits."""
    if len(text) >= _LONG:
        return True
    return len(_HEADINGS.findall(text)) >= _MANY_HEADINGS or len(_LIST_ITEMS.findall(text)) >= _MANY_ITEMS


def _of_passage(written: list[str], speaker: Speaker) -> Iterator[Statement]:
    sentences = [read(sentence) for sentence in written]
    skip = False
    for number, sentence in enumerate(sentences):
        if skip:
            skip = False
            continue
        if len(sentence.text) > LONGEST:
            continue
        following = sentences[number + 1] if number + 1 < len(sentences) else None
        mark = _classify(sentence, following, speaker == "user")
        if mark is None:
            continue
        source = sentence.text
        if mark.end > len(source) and following is not None:
            joined = f"{source}{'' if source.endswith(_UNSPACED_ENDS) else ' '}{following.text}"
            source, skip = (joined, True) if len(joined) <= LONGEST_STATEMENT else (following.text, True)
            start = mark.start if source is joined else 0
        else:
            start = mark.start
        text = _cleaned(source, start, mark.at)
        if text and not guards.says_nothing(text):
            yield Statement(mark.kind, text, mark.rule, mark.score)


def _classify(sentence: Sentence, following: Sentence | None, by_user: bool) -> Mark | None:
    reading = sentence.reading
    finding = blockers.find(reading) or decisions.find(reading, by_user) or facts.find(reading, by_user)
    if finding is not None:
        return finding
    if by_user:
        after = following.reading if following is not None and len(following.text) <= LONGEST else ""
        if mark := corrections.find(reading, after) or wishes.find(reading):
            return mark
    if mark := other_languages.find(reading):
        return mark if by_user or mark.kind not in ("preference", "correction") else None
    return None


def _cleaned(text: str, start: int, at: int) -> str:
    """The statement without what only opens the turn; its clause alone when the whole is too long; else nothing."""
    kept = text[start:].strip().rstrip(_TRAILING)
    if len(kept) > LONGEST_STATEMENT:
        kept = _clause(text, at).strip().rstrip(_TRAILING)
    kept = kept.lstrip(_TRAILING.replace("(", ""))
    if len(kept) > LONGEST_STATEMENT or not _WORD.search(kept):
        return ""
    return kept


def _clause(text: str, at: int) -> str:
    """The part of a long sentence around a position, between semicolons, colons, dashes or full stops."""
    ends = [0, *(found.end() for found in re.finditer(r"[;:]\s|\s[–—-]\s|[.!?]\s", text)), len(text)]
    start = max(end for end in ends if end <= at)
    return text[start : min((end for end in ends if end > at), default=len(text))]
