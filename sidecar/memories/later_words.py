"""Add the user's later words to a memory or candidate that they may change, where no rule tells how.

Whoever reads both can tell what holds now; without the later words, the memory would be shown as if they had never
been said.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, TypeVar

from msgspec.structs import replace

from sidecar.memories.changed_mind import Said, says_otherwise, topic_of, values
from sidecar.memories.gist import LATER, first_said
from sidecar.memories.repetition import same_wish, wish_of
from sidecar.store.candidates import CandidateRecord
from sidecar.store.records import MemoryRecord
from sidecar.text.cutting import cut_at_word
from sidecar.text.lazy_patterns import lazy
from sidecar.text.words import terms

_MAX_WORDS: Final = 240  # characters
_MIN_SHARED: Final = 2  # words of the memory's topic
_MIN_SHARE: Final = 0.2  # of them; of 270 judged cases, 0.5 noted 18 changes, 0.2 noted 24; neither a near miss, of 38
_MIN_CANDIDATE_SHARE: Final = 0.5  # a candidate is a looser statement, which more remarks touch by chance
_CODE: Final = lazy(r"[a-z]\w*[_/]|[_/]\w+")
_MARGIN: Final = 0.2  # between the memory that is meant and the next
SaidRecord = TypeVar("SaidRecord", MemoryRecord, CandidateRecord)


def about(words: str, said: Iterable[Said], revising: str, *, candidates: bool = False) -> Said | None:
    """Return the one statement that later words are about, unless they repeat it.

    Those of them that are `revising` something may share a name in code, or a single word with a memory of two.
    """
    min_share = _MIN_CANDIDATE_SHARE if candidates else _MIN_SHARE
    spoken, revised, wish = frozenset(terms(words)), frozenset(terms(revising)), wish_of(words)
    codes = frozenset(name for name in values(revising) if _CODE.search(name))
    scores: list[tuple[float, Said]] = []
    for each in said:
        topic = topic_of(each.content)
        shared = sum(not spoken.isdisjoint(word) for word in topic)
        names_it = not codes.isdisjoint(values(each.content))
        half = not candidates and len(topic) == _MIN_SHARED and any(not revised.isdisjoint(word) for word in topic)
        enough = shared >= _MIN_SHARED or half
        repeats = same_wish(wish_of(each.content), wish) and not says_otherwise(words, each.content)
        if (enough or names_it) and not repeats:
            scores.append((max(shared / len(topic), _MIN_CANDIDATE_SHARE if names_it else 0.0), each))
    scores.sort(key=lambda score: -score[0])
    if not scores or scores[0][0] < min_share or (len(scores) > 1 and scores[0][0] - scores[1][0] < _MARGIN):
        return None
    return scores[0][1]


def as_first_said(record: SaidRecord) -> SaidRecord:
    return replace(record, content=first_said(record.content)) if LATER in record.content else record


def with_later(content: str, words: str) -> str:
    """Return a memory's first text with the user's latest words on it."""
    return f"{content}{LATER}{cut_at_word(' '.join(words.split()), _MAX_WORDS)}”)"
