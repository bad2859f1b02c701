"""Decide which words of a message change something that was said before, by rules and estimate together.

`user_lessons.py` calls it after `user_statements.py`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from sidecar.learning.clause_estimates import changes, may_change, surely_changes
from sidecar.learning.lesson import MENTION, Revision
from sidecar.learning.retraction import overlap, revisions
from sidecar.learning.user_statements import UserStatement, placed_clauses


class MessageChanges(NamedTuple):
    """The words of a message that may change something."""

    revised: dict[str, tuple[Revision, ...]]  # sentences that take something back
    possible: list[str]  # clauses that may change something, by the estimate
    sure: list[str]  # clauses that surely do and are no standing statements


def message_changes(text: str, before: str, stated: Sequence[UserStatement]) -> MessageChanges:
    """Return what a message changes.

    `stated` are the statements found in it; `before` is the end of what the agent had said.
    """
    likely = {clause.text: changes(clause) for clause in placed_clauses(text, before)}
    revised = dict(revisions(text))
    alone = len(likely) == 1
    standing = [statement.text for statement in stated if statement.standing]
    waiting = [statement.text for statement in stated if not statement.standing and statement.kind != MENTION]
    possible = [
        clause
        for clause, probability in likely.items()
        if may_change(probability, is_whole_message=alone, standing=_overlaps(clause, standing))
    ]
    sure = [
        clause
        for clause in possible
        if surely_changes(likely[clause], alone=alone or _overlaps(clause, waiting))
        and not _overlaps(clause, (*revised, *standing))
    ]
    return MessageChanges(revised, possible, sure)


def _overlaps(text: str, others: Iterable[str]) -> bool:
    return any(overlap(text, other) for other in others)
