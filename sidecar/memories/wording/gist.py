"""Decide whether one memory says everything that another says, so that a block need not show both.

`packing.py` asks. In doubt the answer is no: the longer text must contain all words of the shorter one, must not be
much longer, and must deny the same. A word that only the longer text has must not stand next to a shared word, whose
meaning it would narrow: "run the tests on CI" says less than "run the tests".
"""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import pairwise
from typing import Final, NamedTuple

from sidecar.text.lazy_patterns import lazy
from sidecar.text.words import terms

_MAX_GIST_CHARS: Final = 400  # a longer text says many things
_MIN_WORDS: Final = 2  # fewer words say nothing
_MIN_COMMON_SHARE: Final = 0.5  # least share of the longer text's words that the shorter text has
_DENYING_WORDS: Final = frozenset(
    "not no never dont doesnt isnt shouldnt wont cannot cant "
    "don't doesn't isn't mustn't shouldn't won't aren't can't avoid without nobody none nothing "
    "hardly stop instead rather over than".split()
)
_FILLERS: Final = (*"always please must should use used using prefer need want here".split(), *_DENYING_WORDS)
_FILLER_TERMS: Final = frozenset(term for word in _FILLERS for term in terms(word))
"""Words that hardly change what a wish says. Negating words are compared separately."""
_TURNING_WORDS: Final = frozenset(
    "above after before below but can could down during except few first if last least less may might more most off "
    "once only out some under unless until up was were when where while".split()
)
"""Mostly stop words, but exchanging one for another changes what a text says."""
_DIRECTED_WORDS: Final = frozenset("after before from into then until".split())  # the order around them matters
_PLACE_WORDS: Final = frozenset("at by during for from in inside into of on outside under via with within".split())
_ARTICLE_WORDS: Final = frozenset("a an any each every our that the their these this your".split())
FRAMING: Final = lazy(
    r"\A\s*(?:the )?user (?=(?:always )?(?:prefer|want|need)s?\b)"
    r"|\b(?:in|for) (?:this|the|our) (?:repo|repository|project|codebase)\b",
    re.IGNORECASE,
)
"""Words that say who wishes something, and where, which are alike in all memories of a section."""
_TOKEN: Final = lazy(r"[^\W_](?:[\w.+#@/:'-]*[\w+#])?|\S")

LATER_PREFIX: Final = " (Said later: “"  # stands between a memory's first text and the user's later words on it

Token = tuple[str, frozenset[str]]  # a word or sign, and its terms among the text's significant words


class Gist(NamedTuple):
    words: frozenset[str]
    text: str


class GistReading(NamedTuple):
    """A gist in detail."""

    denied: frozenset[str]  # the words that it denies
    turns: frozenset[str]  # its words in `_TURNING_WORDS`
    tokens: tuple[Token, ...]  # all tokens, in order


def first_said(text: str) -> str:
    return text.partition(LATER_PREFIX)[0]


def gist_of(text: str) -> Gist | None:
    """Return the gist of a text; None if the text is too long or too short to compare."""
    if len(text) > _MAX_GIST_CHARS:
        return None
    bare = FRAMING.sub("", text)
    words = frozenset(terms(bare)) - _FILLER_TERMS
    return Gist(words, bare) if len(words) >= _MIN_WORDS else None


def sketch_of(gist: Gist | None) -> int:
    """Return bits that include the bits of every gist whose words are all among this one's; 0 for None."""
    sketch = 0
    for word in () if gist is None else gist.words:
        sketch |= 1 << (hash(word) & 63)
    return sketch


def says_all(longer: Gist, shorter: Gist) -> bool:
    """Return whether the longer gist says everything that the shorter gist says."""
    if not shorter.words <= longer.words or len(shorter.words) < _MIN_COMMON_SHARE * len(longer.words):
        return False
    from sidecar.memories.wording.contradiction import contradicts  # takes 5 ms, and most blocks do not need it

    more, less = _reading_of(longer), _reading_of(shorter)
    return (
        less.denied == more.denied
        and less.turns == more.turns
        and (not _directed(more) or _order(more, shorter.words) == _order(less, shorter.words))
        and not _narrows(more, shorter.words)
        and contradicts(shorter.text, longer.text) is None
    )


def denied_by(gist: Gist) -> frozenset[str]:
    return _reading_of(gist).denied


@lru_cache(maxsize=1_000)
def _reading_of(gist: Gist) -> GistReading:
    plain = _TOKEN.findall(gist.text.casefold().replace("’", "'"))
    tokens = tuple((word, gist.words.intersection(terms(word))) for word in plain if word not in _ARTICLE_WORDS)
    return GistReading(_denied(tokens), _TURNING_WORDS.intersection(plain), tokens)


def _denied(tokens: tuple[Token, ...]) -> frozenset[str]:
    """Return the denied words: after each denying word, the next (or the last) significant word of its clause."""
    denied: set[str] = set()
    for at, (word, _) in enumerate(tokens):
        if word in _DENYING_WORDS:
            clause = next((n for n in range(at, len(tokens)) if tokens[n][0] in ",;.:!"), len(tokens))
            nearest = (terms for _, terms in (*tokens[at + 1 : clause], *tokens[at::-1]) if terms)
            denied |= next(nearest, frozenset("-"))
    return frozenset(denied)


def _directed(reading: GistReading) -> bool:
    return any(word in _DIRECTED_WORDS for word, _ in reading.tokens)


def _order(reading: GistReading, words: frozenset[str]) -> list[frozenset[str]]:
    return list(dict.fromkeys(terms & words for _, terms in reading.tokens if terms & words))


def _narrows(longer: GistReading, shared: frozenset[str]) -> bool:
    """Return whether a word that only the longer text has stands next to a shared word and may narrow its meaning."""
    if any(terms & shared and terms - shared for _, terms in longer.tokens):
        return True
    for (before, left), (_, right) in pairwise(longer.tokens):
        if (right - shared and (before in _PLACE_WORDS or left & shared)) or (left - shared and right & shared):
            return True
    return False
