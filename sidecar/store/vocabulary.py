"""The words allowed for a memory's scope, type and category, and for what a change did to it."""

from __future__ import annotations

from typing import Literal

SCOPES = ("personal", "project", "global")
TYPES = ("user", "feedback", "project", "reference")
CATEGORIES = tuple("decision blocker procedure fact event directive plan idea conversation reminder".split())
_Written = Literal["created", "merged", "updated", "archived", "restored", "deleted", "promoted"]
MemoryChange = Literal[_Written, "undone", "redone", "resolved", "reopened"]
REPOSITORY_SOURCE = "import:memory-file"
"""The source of what a workspace's own file says and no user of this store has said."""
LEARNED_PREFIX = "extractor:"  # begins the source of a memory that a rule learned; the rule's name follows


def rule_of(source: str) -> str | None:
    return source.removeprefix(LEARNED_PREFIX) if source.startswith(LEARNED_PREFIX) else None
