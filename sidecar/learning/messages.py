"""What kind of memory each kind of statement becomes."""

from __future__ import annotations

from typing import Final, NamedTuple


class Becomes(NamedTuple):
    """The memory of a kind of statement."""

    type: str
    scope: str | None
    category: str | None


KINDS: Final = {
    "preference": Becomes("user", "personal", None),
    "correction": Becomes("feedback", None, None),
    "rule": Becomes("feedback", None, None),
    "request": Becomes("feedback", None, None),
    "decision": Becomes("project", None, "decision"),
    "fact": Becomes("project", None, "fact"),
}
