"""What a lesson proposes as a candidate, and whether it only repeats what the agent was just shown."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from sidecar.memories.drafts import Draft
from sidecar.runtime.made_once import made_once
from sidecar.settings.model import MemorySettings
from sidecar.store.candidates import EvidenceRecord
from sidecar.store.vocabulary import LEARNED_PREFIX
from sidecar.text.lazy_patterns import lazy

if TYPE_CHECKING:  # the learning code is imported with the first event
    from sidecar.learning.lesson import Lesson
    from sidecar.memories.candidates.candidacy import Mode
    from sidecar.memories.candidates.repetition import CandidateProposal

_NON_WORDS = lazy(r"[\W_]+")
_SENTENCE = lazy(r"[.!?](?=[\s<])|\n|\(\d{4}-\d\d-\d\d\)|\*\*|[<>]")  # and the delimiters of items
_MIN_SENTENCE_CHARS = 20
_MIN_SHOWN_SHARE = 0.6  # "as noted, ..." before a sentence that was shown adds nothing


class ShownBlock:
    """An injected block as plain words, prepared when a lesson is first compared with it."""

    def __init__(self, text: str) -> None:
        self._text = text

    @made_once
    def whole(self) -> str:
        return _words_only(self._text)

    @made_once
    def sentences(self) -> tuple[str, ...]:
        """Return the sentences long enough to be a statement."""
        sentences = (_words_only(part) for part in _SENTENCE.split(self._text))
        return tuple(part for part in sentences if len(part) >= _MIN_SENTENCE_CHARS)


def mode_of(settings: MemorySettings) -> Mode:
    """Return how far a proposal may go without a person's answer."""
    return "propose" if settings.learn == "propose" else "confirm"


def proposal_of(lesson: Lesson) -> CandidateProposal:
    from sidecar.learning.lesson import Quotation
    from sidecar.memories.candidates.repetition import CandidateProposal

    draft = Draft(
        content=lesson.content,
        name=lesson.name,
        type=lesson.type,
        scope=lesson.scope,
        category=lesson.category,
        session_id=lesson.session_id,
        files=lesson.files,
        source=f"{LEARNED_PREFIX}{lesson.rule}",
    )
    said = lesson.quotation or Quotation(lesson.content, "tool")
    evidence = EvidenceRecord(
        at=lesson.at,
        session_id=lesson.session_id,
        speaker=said.speaker,
        words=said.words,
        before=said.before,
        message=said.message,
        opening=said.opening,
        size=said.size,
    )
    return CandidateProposal(
        draft,
        lesson.rule,
        evidence,
        lesson.at_once,
        lesson.sessions,
        lesson.standing,
        lesson.revisions,
        lesson.surely_changes,
    )


def repeats(lesson: Lesson, shown: Iterable[ShownBlock]) -> bool:
    """Return whether a statement says no more than what was just shown; what a session did itself is always news."""
    from sidecar.learning.lesson import STATED_RULES

    if lesson.rule not in STATED_RULES and lesson.rule != "compaction":
        return False
    content = _words_only(lesson.content)
    least = len(content) * _MIN_SHOWN_SHARE
    return any(
        content in block.whole or any(len(part) >= least and part in content for part in block.sentences)
        for block in shown
    )


def _words_only(text: str) -> str:
    return _NON_WORDS.sub(" ", text.casefold()).strip()
