"""The lessons in what a session's user says: statements, and words that take back or may change earlier ones.

`session.py` calls it for each message of the user.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from sidecar.learning.lesson import REVISION, Lesson, Quotation, Revision
from sidecar.learning.message_changes import MessageChanges, message_changes
from sidecar.learning.retraction import overlap, remark
from sidecar.learning.user_statements import UserStatement, user_statements
from sidecar.learning.workspace_paths import WorkspacePaths

_MAX_TAKEN_BACK = 2  # "scratch that" takes back at most this many statements
_MAX_QUOTED_CHARS = 200  # characters quoted of a message that takes something back
_TYPE_BY_RULE = {"preference": "user", "decision": "project", "fact": "project"}  # of a memory, by kind; else feedback


class UserLessons:
    """Reads the user's messages of one session, in order."""

    def __init__(self, session_id: str, paths: WorkspacePaths) -> None:
        self._session_id = session_id
        self._paths = paths
        self._last_stated: list[str] = []  # what the user's last message stated

    def lessons_of(self, text: str, before: str, whole: str, opening: str, now: int) -> list[Lesson]:
        """Return the lessons in the user's own words; `before` is what the agent had said.

        `whole` and `opening` are digests of the whole message and of the session's first message.
        """
        quoted = partial(Quotation, speaker="user", before=before, message=whole, opening=opening, size=len(text))
        stated = user_statements(text, before)
        changes = message_changes(text, before, stated)
        lessons = [
            Lesson(
                REVISION,
                content,
                self._session_id,
                now,
                quotation=quoted(words),
                revisions=revisions,
                surely_changes=any(overlap(clause, content) for clause in changes.sure),
            )
            for content, words, revisions in self._revisions(text, changes, stated)
        ]
        self._last_stated = [self._paths.local(statement.text) for statement in stated]
        for statement, content in zip(stated, self._last_stated, strict=True):
            lesson = Lesson(
                rule=statement.kind,
                content=content,
                type=_TYPE_BY_RULE.get(statement.kind, "feedback"),
                scope="personal" if statement.kind == "preference" else None,
                category=statement.kind if statement.kind in ("decision", "fact") else None,
                session_id=self._session_id,
                at=now,
                quotation=quoted(statement.text),
                standing=statement.standing,
                at_once=statement.standing and statement.alone,
                revisions=next(
                    (each for sentence, each in changes.revised.items() if overlap(statement.text, sentence)), ()
                ),
            )
            lessons.append(lesson)
        return lessons

    def _revisions(
        self, text: str, changes: MessageChanges, stated: Sequence[UserStatement]
    ) -> list[tuple[str, str, tuple[Revision, ...]]]:
        """Return (content, quotation, revisions) of words that only take back or may change an earlier statement."""
        revised = changes.revised
        if not revised:
            standing = [statement.text for statement in stated if statement.standing]
            later = remark(text, standing, changes.possible)
            if later is None:
                return []
            return [(later, later, (Revision("remark", later, " ".join(changes.possible) or later),))]
        quotation = text.strip()[:_MAX_QUOTED_CHARS]
        lessons: list[tuple[str, str, tuple[Revision, ...]]] = []
        if any(revision.kind == "last" for each in revised.values() for revision in each):
            last = self._last_stated if len(self._last_stated) <= _MAX_TAKEN_BACK else ()
            lessons += ((content, quotation, (Revision("rule", content, content),)) for content in last)
        for sentence, each in revised.items():
            if not any(overlap(statement.text, sentence) for statement in stated):
                lessons.append((self._paths.local(sentence), quotation, each))
        return lessons
