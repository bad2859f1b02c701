"""Decide whether a statement was said before, in whatever words, and whether enough sessions said it.

`proposer.py` asks. Copies of a message and templates count once. This comparison is looser than `gist.py`; its
thresholds come from all pairs of statements in eight public repositories.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from typing import Final, NamedTuple

from msgspec.structs import replace

from sidecar.learning.lesson import MENTION, Revision
from sidecar.learning.repeated_command import RULE as COMMAND
from sidecar.memories.candidates import file_proposals
from sidecar.memories.candidates.changed_mind import exclusive_values, says_otherwise
from sidecar.memories.drafts import Draft
from sidecar.memories.wording.gist import denied_by, first_said, gist_of
from sidecar.store.candidates import CandidateRecord, EvidenceRecord
from sidecar.store.records import MemoryRecord
from sidecar.text.lazy_patterns import lazy
from sidecar.text.words import terms

_MIN_SHARE_OF_WORDS: Final = 0.45  # of the words of both (Jaccard)
_MIN_SHARED_WORDS: Final = 2
_MIN_CLOSE_SIMILARITY: Final = 0.6
_MIN_CLOSE_WORDS: Final = 3
_MIN_CONTAINED_WORDS: Final = 4
_FRAME_TERMS: Final = frozenset(
    term
    for word in (
        "able agreed all allow also decided each ensure every give going if just keep let like make much now one "
        "ones remember sure time way "
        "debe deberia deben hay necesito puede quiero ser tiene que la los las del una con para por "
        "bitte ich immer möchte muss nie soll wir und der die das nicht "
        "dois faut jamais toujours veux les des une dans pour "
        "deve nunca preciso quero sempre uma com não"
    ).split()
    for term in terms(word)
)
"""How wishes are phrased, in six languages, rather than what they are about."""


_ORDER_WORDS: Final = frozenset("before after vor nach avant après antes después depois".split())
_CODE_OR_NUMBER: Final = lazy(r"`([^`]+)`|\b([\w.]*\d[\w.]*)")
MIN_SESSIONS: Final = 2  # a wish that this many sessions said becomes a memory without confirmation
MAX_PIECES: Final = 8  # pieces of evidence kept for a candidate
_INSTALLATION_REMEDY: Final = lazy(
    r"^.* after `(?:cd \S+ && )?(?:npm|pnpm|yarn|bun|uv|poetry|bundle|composer|mix|pipenv|pdm)"
    r"(?: (?:-\S+|ci|i|install|sync|deps\.get))*`.*$"
)
_NEEDS_MORE: Final = frozenset(("decision", "fact"))  # need one more session: decisions are remade, facts pasted
_MIN_STATEMENT_WORDS: Final = 3  # a statement of fewer words is not complete in itself
_MAX_SHORT_CHARS: Final = 100  # a longer statement needs more than two sessions
_MIN_RETRY_CHARS: Final = 60  # a longer message repeated is a task begun again or pasted, not a recurring wish
_MIN_TEMPLATE_CHARS: Final = 200  # a sentence in two messages this long was written once, in a template


class WishWords(NamedTuple):
    """What a statement wishes."""

    words: frozenset[str]  # significant words
    denied: frozenset[str]  # those that it denies
    names: frozenset[str]  # what it names exactly


@lru_cache(maxsize=4_000)
def wish_of(text: str) -> WishWords:
    text = first_said(text)
    names = exclusive_values(text).union(code or number for code, number in _CODE_OR_NUMBER.findall(text.casefold()))
    names |= _ORDER_WORDS.intersection(text.casefold().split())
    gist = gist_of(text)
    if gist is None:
        words = frozenset(terms(text))
        return WishWords(words - _FRAME_TERMS or words, frozenset(), names)
    core = gist._replace(words=gist.words - _FRAME_TERMS or gist.words)
    return WishWords(core.words, denied_by(core), names)


def same_wish(wish: WishWords, other_wish: WishWords) -> bool:
    """Return whether two statements ask for the same."""
    if wish.names - other_wish.names and other_wish.names - wish.names:
        return False
    if wish.words == other_wish.words:
        return wish.denied == other_wish.denied
    shared = wish.words & other_wish.words
    # If one word is exchanged, the wish is about another thing.
    if len(wish.words) == len(other_wish.words) == len(shared) + 1:
        return False
    if len(shared) < _MIN_SHARED_WORDS or bool(wish.denied & shared) != bool(other_wish.denied & shared):
        return False
    return len(shared) >= _MIN_SHARE_OF_WORDS * len(wish.words | other_wish.words)


def close_wish(wish: WishWords, other_wish: WishWords) -> bool:
    """Return whether two statements ask for the same in much the same words, or one adds to what the other says."""
    shared = len(wish.words & other_wish.words)
    both, fewer = len(wish.words | other_wish.words), min(len(wish.words), len(other_wish.words))
    much = shared >= _MIN_CLOSE_WORDS and shared >= _MIN_CLOSE_SIMILARITY * both
    within = shared >= _MIN_CONTAINED_WORDS and shared == fewer
    return same_wish(wish, other_wish) and (much or within or shared == both)


class CandidateProposal(NamedTuple):
    """What a rule, a model or an agent found worth keeping."""

    draft: Draft
    rule: str
    evidence: EvidenceRecord
    at_once: bool = False  # make it a memory without confirmation
    sessions: int = MIN_SESSIONS  # how many must say it
    standing: bool = False  # the user said it as a rule from now on, which overrides an earlier rejection
    revisions: tuple[Revision, ...] = ()
    surely_changes: bool = False  # it surely changes something said before


def find_alike(
    candidates: Iterable[CandidateRecord], proposal: CandidateProposal, record: MemoryRecord, wish: WishWords
) -> CandidateRecord | None:
    """Return the candidate that says the same as a proposal, preferring one that was decided on.

    Lessons from tools are the same if their remedy or name is.
    """

    def alike(candidate: CandidateRecord) -> bool:
        if candidate.rule == file_proposals.RULE:  # not a person's wish
            return False
        if proposal.evidence.speaker == "tool" or candidate.evidence[0].speaker == "tool":
            remedied = _remedy(candidate.content) == _remedy(record.content)
            return candidate.rule == proposal.rule and remedied and (not record.files or candidate.name == record.name)
        heard = (wish_of(evidence.words) for evidence in candidate.evidence)
        said = same_wish(wish_of(candidate.content), wish) or any(close_wish(each, wish) for each in heard)
        if not said or says_otherwise(record.content, first_said(candidate.content)):
            return False
        words = wish_of(candidate.content).words
        apart = wish.words - words and words - wish.words
        return not (apart and proposal.standing and candidate.status == "confirmed")

    matches = (candidate for candidate in candidates if candidate.evidence and alike(candidate))
    return min(
        matches, key=lambda candidate: (candidate.status == "waiting", -candidate.sessions, candidate.id), default=None
    )


def only_counts(candidate: CandidateRecord) -> bool:
    """Return whether another session must say or do the same: what happens within one session is part of its work."""
    return not candidate.sessions or (candidate.sessions < MIN_SESSIONS and candidate.rule in (COMMAND, MENTION))


def _remedy(content: str) -> str:
    """Return what made a failed command pass, as `failure_fix` words it; all installations are one remedy."""
    return _INSTALLATION_REMEDY.sub("it passes after an installation", content.rpartition("”; ")[2])


def says_enough(candidate: CandidateRecord) -> bool:
    """Return whether a candidate makes sense by itself; a lesson from tools always does."""
    return candidate.evidence[0].speaker == "tool" or len(wish_of(candidate.content).words) >= _MIN_STATEMENT_WORDS


def is_confirmed(candidate: CandidateRecord, proposal: CandidateProposal) -> bool:
    """Return whether enough sessions said nearly the same; long, vague, pasted or revised ones need one more."""
    if proposal.evidence.speaker == "tool":
        return candidate.sessions >= proposal.sessions
    wish = wish_of(candidate.content)
    sessions = {evidence.session_id for evidence in candidate.evidence if close_wish(wish_of(evidence.words), wish)}
    more = len(candidate.content) > _MAX_SHORT_CHARS or not says_enough(candidate) or candidate.category in _NEEDS_MORE
    return len(sessions) >= proposal.sessions + more


def with_evidence(candidate: CandidateRecord, evidence: EvidenceRecord, now: int, standing: bool) -> CandidateRecord:
    """Add a piece of evidence. A session counts once, a copied message never, a template only if `standing`."""
    if any(_is_copy(evidence, before, standing) for before in candidate.evidence):
        return candidate
    known = {piece.session_id for piece in candidate.evidence}
    pieces = (*candidate.evidence, evidence)
    return replace(
        candidate,
        evidence=pieces if len(pieces) <= MAX_PIECES else (*pieces[: MAX_PIECES // 2], *pieces[-MAX_PIECES // 2 :]),
        sessions=candidate.sessions + (evidence.session_id not in known),
        updated_at=now,
    )


def sessions_before(candidate: CandidateRecord, at: int) -> int:
    """Count the sessions that had said it by the time `at`."""
    return min(candidate.sessions, len({evidence.session_id for evidence in candidate.evidence if evidence.at <= at}))


def _is_copy(evidence: EvidenceRecord, before: EvidenceRecord, standing: bool) -> bool:
    """Return whether two pieces of evidence are one message, from a copied session or a template.

    A template does not make a copy if the statement is `standing`. A short message that begins both sessions was said
    twice.
    """
    if evidence.session_id == before.session_id:
        return evidence.message == before.message
    if evidence.message and evidence.message == before.message:
        begins = evidence.opening == evidence.message
        return (evidence.opening == before.opening and not begins) or evidence.size > _MIN_RETRY_CHARS
    if standing:
        return False
    least = _MIN_TEMPLATE_CHARS if len(evidence.words) <= _MIN_RETRY_CHARS else 0
    return min(evidence.size, before.size) > least and evidence.words == before.words
