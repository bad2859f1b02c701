"""Tell what was said before and what was not, and when enough sessions said it.

Copies of a session and messages made from a template say nothing again.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, NamedTuple

import msgspec

from sidecar.memories import hearsay
from sidecar.memories.drafts import Draft
from sidecar.memories.same_wish import Wish, close, same, wish_of
from sidecar.store.candidates import CandidateRecord, EvidenceRecord
from sidecar.store.records import MemoryRecord
from sidecar.text.lazy_patterns import lazy

SESSIONS: Final = 2
"""Sessions that must have said a wish for it to be a memory without anybody's word."""

EVIDENCE: Final = 8
"""Pieces that are kept of a candidate's evidence."""

_INSTALLS: Final = lazy(
    r"^.* after `(?:cd \S+ && )?(?:npm|pnpm|yarn|bun|uv|poetry|bundle|composer|mix|pipenv|pdm)"
    r"(?: (?:-\S+|ci|i|install|sync|deps\.get))*`.*$"
)
_TELLING: Final = 3  # words of a statement that is complete in itself
_SHORT: Final = 100  # characters of a statement that two sessions may confirm
_RETRY: Final = 60  # characters: the same again is a task begun anew or pasted, not a wish that came back
_TEMPLATE: Final = 200  # characters of two messages: the same sentence in both was written once


class Proposal(NamedTuple):
    """What a rule, a model or an agent found. `at_once`: it needs nobody's word; `sessions`: how many it needs.

    `standing`: the user said it as holding from now on, and so even of what was rejected before.
    """

    draft: Draft
    rule: str
    evidence: EvidenceRecord
    at_once: bool = False
    sessions: int = SESSIONS
    standing: bool = False


def like(
    candidates: Iterable[CandidateRecord], proposal: Proposal, record: MemoryRecord, wish: Wish
) -> CandidateRecord | None:
    """The candidate that says the same; one that was decided on before one that waits.

    What was done is the same by the same remedy, or under the same name, what was said whatever its words.
    """

    def alike(one: CandidateRecord) -> bool:
        if one.rule == hearsay.RULE:  # nobody's wish
            return False
        if proposal.evidence.speaker == "tool" or one.evidence[0].speaker == "tool":
            remedied = _remedy(one.content) == _remedy(record.content)
            return one.rule == proposal.rule and remedied and (not record.files or one.name == record.name)
        return same(wish_of(one.content), wish) or any(
            close(wish_of(each.words), wish) for each in one.evidence
        )

    found = (one for one in candidates if one.evidence and alike(one))
    return min(found, key=lambda one: (one.status == "waiting", -one.sessions, one.id), default=None)


def _remedy(content: str) -> str:
    """What a failed command passed by, as `failure_fix` puts it; whatever installed all dependencies is one remedy."""
    return _INSTALLS.sub("it passes after an installation", content.rpartition("”; ")[2])


def tells(one: CandidateRecord) -> bool:
    """Whether it says enough by itself; what was done always does."""
    return one.evidence[0].speaker == "tool" or len(wish_of(one.content).words) >= _TELLING


def is_confirmed(found: CandidateRecord, proposal: Proposal) -> bool:
    """Whether enough sessions said it in much the same words: one more of what is long, vague or often decided anew."""
    if proposal.evidence.speaker == "tool":
        return found.sessions >= proposal.sessions
    wish = wish_of(found.content)
    sessions = {each.session_id for each in found.evidence if close(wish_of(each.words), wish)}
    more = len(found.content) > _SHORT or not tells(found) or found.category == "decision"
    return len(sessions) >= proposal.sessions + more


def said_again(
    found: CandidateRecord, evidence: EvidenceRecord, now: int, standing: bool = False
) -> CandidateRecord:
    """With one more piece of evidence; a session counts once, a copy not at all, a template where it is `standing`."""
    if any(_copies(evidence, before, standing) for before in found.evidence):
        return found
    known = {each.session_id for each in found.evidence}
    kept = (*found.evidence, evidence)
    return msgspec.structs.replace(
        found,
        evidence=kept if len(kept) <= EVIDENCE else (*kept[: EVIDENCE // 2], *kept[-EVIDENCE // 2 :]),
        sessions=found.sessions + (evidence.session_id not in known),
        updated_at=now,
    )


def sessions_before(candidate: CandidateRecord, at: int) -> int:
    """How many sessions had said it by then."""
    return min(candidate.sessions, len({each.session_id for each in candidate.evidence if each.at <= at}))


def _copies(evidence: EvidenceRecord, before: EvidenceRecord, standing: bool) -> bool:
    """Whether it is the same message: of a copied session, or, unless `standing`, made from the same template."""
    if evidence.session_id == before.session_id:
        return evidence.message == before.message
    if evidence.message and evidence.message == before.message:
        return evidence.opening == before.opening or evidence.size > _RETRY
    if standing:
        return False
    least = _TEMPLATE if len(evidence.words) <= _RETRY else 0
    return min(evidence.size, before.size) > least and evidence.words == before.words
