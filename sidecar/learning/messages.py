"""Statements in messages and reasoning as lessons: what kind of memory each kind of statement becomes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

if TYPE_CHECKING:
    from sidecar.learning.statements import Speaker, Statement

TEXT_MOST: Final = 100_000
"""Characters of a message that are read; a longer one is a paste."""


class Becomes(NamedTuple):
    """The memory of a kind of statement."""

    type: str
    scope: str | None
    category: str | None


KINDS: Final = {
    "preference": Becomes("user", "personal", None),
    "correction": Becomes("feedback", None, None),
    "decision": Becomes("project", None, "decision"),
    "blocker": Becomes("project", None, "blocker"),
    "fact": Becomes("project", None, "fact"),
}


def stated(text: str, speaker: Speaker) -> list[Statement]:
    """What a message states; of an assistant no preferences or corrections."""
    from sidecar.learning.statements import (
        statements,  # a fifth of a start: its expressions are compiled then
    )

    return statements(text[:TEXT_MOST], speaker)
