"""Tell whether an agent recorded in a session, in its own words, what the user said: a lesson would only repeat it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from sidecar.memories.candidates.changed_mind import says_otherwise
from sidecar.models.static_table import packaged_table
from sidecar.models.vectors import VectorIndex
from sidecar.store.records import MemoryRecord
from sidecar.store.vocabulary import REPOSITORY_SOURCE, rule_of

_MIN_SIMILARITY: Final = 0.5
"""The least cosine of a lesson and a memory that says the same.

Of what a stand-in for a chat model recorded of 70 messages, three quarters reach it beside the lesson of the same
message, and 5 of 7,482 beside that of another message.
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
    if not texts:
        return False
    try:
        table = packaged_table()
    except (OSError, ValueError):  # the program's files were removed or replaced while it was running
        return False
    index = VectorIndex(table.dimensions)
    for number, vector in enumerate(table.embed(texts)):
        index.put(str(number), vector)
    cosines = index.closest(table.embed_query(lesson), 1).cosines
    return any(cosine >= _MIN_SIMILARITY for cosine in cosines.values())
