"""Tell when one memory says all that another says, so that a block need not say it twice.

Like `contradiction.py`, right when it speaks and silent otherwise: what is left out here is not told to the agent. The
words of the shorter text all stand in the longer one, which is not much longer, and both deny the same. What the longer
one has besides stands apart: beside a word that both have it would narrow it ("integration tests", "on CI").
"""

from __future__ import annotations

import re
from itertools import pairwise
from typing import Final, NamedTuple

from sidecar.patterns import lazy
from sidecar.text.words import terms

_LONGEST: Final = 400  # characters: a longer text says many things
_FEWEST: Final = 2  # words that say something
_LEAST_SHARE: Final = 0.5  # of the words of the longer text
_DENYING: Final = frozenset(
    "not no never don't doesn't isn't mustn't shouldn't won't aren't cannot can't avoid without nobody none nothing "
    "hardly stop instead rather over than".split()
)
# What hardly changes what a wish says. Words that deny are counted apart.
_FILLERS: Final = frozenset(
    term
    for word in (
        *"always please must should use used using prefer need want here".split(),
        *_DENYING,
    )
    for term in terms(word)
)
# No terms, most of them, and yet a text with another one of them says something else.
_TURNING: Final = frozenset(
    "above after before below but can could down during except few first if last least less may might more most off "
    "once only out some under unless until up was were when where while".split()
)
_DIRECTED: Final = frozenset("after before from into then until".split())  # what stands first matters
_PLACES: Final = frozenset("at by during for from in inside into of on outside under via with within".split())
_ARTICLES: Final = frozenset("a an any each every our that the their these this your".split())
_FRAME: Final = lazy(
    r"\A\s*(?:the )?user (?=(?:always )?(?:prefer|want|need)s?\b)"
    r"|\b(?:in|for) (?:this|the|our) (?:repo|repository|project|codebase)\b",
    re.IGNORECASE,
)
"""Who wishes it and where: all memories of a section say that alike."""

_TOKEN: Final = lazy(r"[^\W_](?:[\w.+#@/:'-]*[\w+#])?|\S")

Token = tuple[str, frozenset[str]]
"""A word or sign, and which of the text's telling words it gives."""


class Gist(NamedTuple):
    """What a short text says: its words, those of them it denies, its turns (see `_TURNING`), and the text."""

    words: frozenset[str]
    denied: frozenset[str]
    turns: frozenset[str]
    tokens: tuple[Token, ...]
    text: str


def gist_of(text: str) -> Gist | None:
    """The gist; None of a text that is too long or too short to be compared."""
    if len(text) > _LONGEST:
        return None
    bare = _FRAME.sub("", text)
    words = frozenset(terms(bare)) - _FILLERS
    if len(words) < _FEWEST:
        return None
    plain = _TOKEN.findall(bare.casefold().replace("’", "'"))
    tokens = tuple((one, words.intersection(terms(one))) for one in plain if one not in _ARTICLES)
    return Gist(words, _denied(tokens), _TURNING.intersection(plain), tokens, text)


def says_all(longer: Gist, shorter: Gist) -> bool:
    """Whether nothing is lost when only the longer one is told."""
    if not shorter.words <= longer.words or len(shorter.words) < _LEAST_SHARE * len(longer.words):
        return False
    from sidecar.memories.contradiction import contradicts  # 5 ms of patterns that most blocks do without

    return (
        shorter.denied == longer.denied
        and shorter.turns == longer.turns
        and (not _directed(longer) or _order(longer, shorter.words) == _order(shorter, shorter.words))
        and not _narrows(longer, shorter.words)
        and contradicts(shorter.text, longer.text) is None
    )


def _denied(tokens: tuple[Token, ...]) -> frozenset[str]:
    """What each denying word is about: the next telling word of its clause, else the last one before."""
    found: set[str] = set()
    for at, (word, _) in enumerate(tokens):
        if word in _DENYING:
            clause = next((n for n in range(at, len(tokens)) if tokens[n][0] in ",;.:!"), len(tokens))
            telling = [of for _, of in tokens[at + 1 : clause] if of]
            found |= telling[0] if telling else next((of for _, of in tokens[at::-1] if of), frozenset("-"))
    return frozenset(found)


def _directed(gist: Gist) -> bool:
    return any(word in _DIRECTED for word, _ in gist.tokens)


def _order(gist: Gist, words: frozenset[str]) -> list[frozenset[str]]:
    return list(dict.fromkeys(of & words for _, of in gist.tokens if of & words))


def _narrows(longer: Gist, shared: frozenset[str]) -> bool:
    """Whether a word that only the longer text has bears on one that both have."""
    if any(of & shared and of - shared for _, of in longer.tokens):
        return True
    for (before, left), (_, right) in pairwise(longer.tokens):
        if (right - shared and (before in _PLACES or left & shared)) or (left - shared and right & shared):
            return True
    return False
