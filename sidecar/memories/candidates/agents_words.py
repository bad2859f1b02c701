"""Decide whether an agent has recorded the user's statement in its own words: a lesson would only repeat it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from sidecar.memories.candidates.changed_mind import says_otherwise
from sidecar.memories.candidates.later_words import cosines
from sidecar.store.records import MemoryRecord
from sidecar.store.vocabulary import REPOSITORY_SOURCE, rule_of

_MIN_COSINE: Final = 0.5
"""The least cosine of a lesson and a memory that says the same.

A stand-in for a chat model recorded memories of 70 messages. Three quarters of them reach this cosine with the lesson
of the same message; with that of another message, 5 of 7,482 pairs do.
"""


def say_the_same(lesson: str, memories: Iterable[MemoryRecord]) -> bool:
    """Return whether one of `memories`, all of a lesson's session, says what the lesson says."""
    texts = [
        memory.content
        for memory in memories
        if memory.source != REPOSITORY_SOURCE
        and rule_of(memory.source) is None
        and not says_otherwise(lesson, memory.content)
    ]
    return bool(texts) and any(cosine >= _MIN_COSINE for row in cosines([lesson], texts) for cosine in row)
