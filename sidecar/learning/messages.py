"""The user's standing words as lessons: what kind of memory each kind of statement becomes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

if TYPE_CHECKING:
    from sidecar.learning.statements import Statement

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
    "rule": Becomes("feedback", None, None),
    "decision": Becomes("project", None, "decision"),
    "fact": Becomes("project", None, "fact"),
}


def stated(text: str, before: str = "") -> list[Statement]:
    """What a message of the user states; `before` is the end of what the agent had said."""
    from sidecar.learning.statements import (
        statements,  # a fifth of a start: its expressions are compiled then
    )

    return statements(text[:TEXT_MOST], before)
