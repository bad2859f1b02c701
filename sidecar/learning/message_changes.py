"""Tell which words of a message change something that was said before, as rules and the estimate read them together."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple

from sidecar.learning.clause_estimates import changes, may_change, surely_changes
from sidecar.learning.lesson import MENTION, Revision
from sidecar.learning.retraction import overlap, revisions
from sidecar.learning.statements import UserStatement, placed_clauses

_EXPLICIT: Final = frozenset(("last", "rule", "allowed"))  # kinds of revision that name what was said before


class MessageChanges(NamedTuple):
    """The words of a message that may change something, whatever that is.

    `revised`: sentences that rules understand; `possible`: clauses that the estimate finds; `sure`: those of which it
    is sure and that are not learned as statements.
    """

    revised: dict[str, tuple[Revision, ...]]
    possible: list[str]
    sure: list[str]


def message_changes(text: str, before: str, stated: Sequence[UserStatement]) -> MessageChanges:
    """Read what a message that `stated` something changes; `before` is the end of what the agent had said."""
    likely = {clause.text: changes(clause) for clause in placed_clauses(text, before)}
    revised = {
        sentence: found
        for sentence, found in revisions(text)
        if _is_explicit(found)
        or any(may_change(likely[clause], "rules") for clause in likely if overlap(clause, sentence))
    }
    standing = [statement.text for statement in stated if statement.standing]
    possible = [
        clause
        for clause, probability in likely.items()
        if may_change(probability, "standing" if _overlaps(clause, standing) else "estimate")
    ]
    changed, explicit = (
        [sentence for sentence, found in revised.items() if _is_explicit(found) is wanted] for wanted in (False, True)
    )
    new = [statement.text for statement in stated if statement.kind != MENTION or statement.standing]
    sure = [
        clause
        for clause in possible
        if surely_changes(likely[clause], alone=len(likely) == 1)
        and not _overlaps(clause, explicit)
        and (_overlaps(clause, changed) or not _overlaps(clause, new))
    ]
    return MessageChanges(revised, possible, sure)


def _is_explicit(revisions: Iterable[Revision]) -> bool:
    return any(revision.kind in _EXPLICIT for revision in revisions)


def _overlaps(text: str, others: Iterable[str]) -> bool:
    return any(overlap(text, other) for other in others)
