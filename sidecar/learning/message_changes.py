"""Tell which words of a message change something that was said before, as rules and the estimate read them together."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from sidecar.learning.clause_estimates import changes, may_change, surely_changes
from sidecar.learning.lesson import MENTION, Revision
from sidecar.learning.retraction import overlap, revisions
from sidecar.learning.statements import UserStatement, placed_clauses


class MessageChanges(NamedTuple):
    """The words of a message that may change something, whatever that is.

    `revised`: sentences that take something back; `possible`: clauses that the estimate finds; `sure`: those of which
    it is sure, unless they are standing statements.
    """

    revised: dict[str, tuple[Revision, ...]]
    possible: list[str]
    sure: list[str]


def message_changes(text: str, before: str, stated: Sequence[UserStatement]) -> MessageChanges:
    """Read what a message that `stated` something changes; `before` is the end of what the agent had said."""
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
