"""Decide, without a model, whether two short statements contradict each other: "use pnpm" and "use npm".

`memory_links.py` records the contradictions, and `supersession.py` then hides the older statement; so in doubt there
is none. Two sentences contradict each other only if they say the same except for a negation, one of two opposites, one
of several tools or a value. Any other different word may be a condition under which both are true.
"""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import product
from pathlib import Path
from typing import Any, Final, NamedTuple

import msgspec

from sidecar.text.lazy_patterns import lazy

MAX_STATEMENT_CHARS: Final = 400  # a longer text says many things and is not compared
MAX_SINGLE_CHARS: Final = 200  # in a longer text, or in several sentences, a contradiction is only a guess
_GUESS_CERTAINTY: Final = 0.4  # below `supersession.MIN_STRENGTH`: a guess is shown as a doubt and hides nothing
_MAX_SHORT_WORDS: Final = 8  # a sentence this short is searched for even if no word of it has a known contrary
_MAX_WORDS: Final = 10_000
_SENTENCE: Final = lazy(r"(?<=[.!])\s+|[\n;]+")
# None of these states how things are: code, quotations, links, list items, mentions of issues, lines such as
# `Fixes: #12` or `Signed-off-by: ...`.
_CODE_BLOCK: Final = lazy(r"(```|~~~).*?(?:\1|\Z)", re.DOTALL)
_OTHER_START: Final = lazy(r"\s*(?:>|[-*+\u2022]\s|\d+[.)]\s|[|#])|'\w|\S+-\S+:\s|[A-Z]\w*: ")
_OTHER_VOICE: Final = lazy(r":(?=//)|\.(?<=\bwww\.)|[\"\u201c\u201d\u00ab]|'(?<=\s')\w|#\d|@(?<=[\w-]@)\w")
"""Each alternative begins with a sign, so that a search skips letters."""
_PAST_DEED: Final = lazy(
    r"\A(?:\w+(?:\([^)]*\))?!?:\s+)?"
    r"(?:bump|upgrade|downgrade|update|increase|decrease|raise|lower|reduce|revert|reapply|publish|merge"
    r"|release(?=s?d? v?\d)|fix|pin|unpin|backport|change|extend|add|remove|drop|delete|rename|replace"
    r"|refactor|improve|introduce)(?:s|es|d|ed|ing)?\b"
)
"""A deed that is done once, as in commit subjects: the next deed denies no earlier one."""
_TOKEN: Final = lazy(r"[\w.+#@/:-]*\w[\w.+#@/-]*|--?\w[\w-]*|\?")
_WORD_TABLE: Final[dict[str, Any]] = msgspec.json.decode(Path(__file__).with_name("contradiction.json").read_bytes())
"""Words of `fillers` change nothing; words of `history` mark the past, a proposal or a condition, which deny nothing;
a project uses only one member of each of the `families`.
"""
_NEGATIONS, _FILLERS, _HISTORY, _COPULAS, _VALUE_BEFORE, _LOOSE_SUBJECTS = (
    frozenset(_WORD_TABLE[name].split())
    for name in ("negations", "fillers", "history", "copulas", "value_before", "loose_subjects")
)
EXCLUSIVE_VALUES: Final = {
    member: (name, frozenset(topic.split()))
    for name, (members, topic) in _WORD_TABLE["families"].items()
    for member in members.split()
}
_ALIASES: Final[dict[str, str]] = _WORD_TABLE["aliases"]
_OPPOSITES: Final = {word: pair for pair in map(str.split, _WORD_TABLE["opposites"]) for word in pair}
_NUMBER: Final = lazy(r"(\d+(?:\.\d+)?)([a-z%]*)\Z")
_INSTEAD_PHRASE: Final = lazy(
    r",?\s+(?:rather than|instead of|in place of|and not|but not|not|never|over)\s+[\w.@/+-]+"
    r"(?:\s+(?=in |for |to |when )|,|$|(?=[.!]))"
)
_SWITCHED_PHRASE: Final = lazy(
    r"\b(?:switch(?:ed|ing)?|move[d]?|migrat(?:ed|e|ing)|changed?)\s+(?:from\s+[\w.-]+\s+)?to\s+(?=\S)"
)
_JOINED_NAMES: Final = (
    ("github actions", "github-actions"),
    ("gitlab ci", "gitlab-ci"),
    ("do not", "not"),
    ("no longer", "not"),
    ("from now on", ""),
)


class _Sentence(NamedTuple):
    """A sentence as the comparison reads it."""

    raw: tuple[str, ...]  # tokens as written
    tokens: tuple[str, ...]  # the same tokens, reduced
    denies: bool
    deed: bool  # it tells what somebody did


def contradicts(first: str, second: str) -> float | None:
    """Return how certainly (0 to 1) two texts contradict each other, or None if nothing suggests it."""
    if len(first) > MAX_STATEMENT_CHARS or len(second) > MAX_STATEMENT_CHARS:
        return None
    pairs = product(_sentences(first), _sentences(second))
    scores = [sure for sentence, other in pairs if (sure := _compare(sentence, other)) is not None]
    if not scores:
        return None
    return max(scores) if _is_single(first) and _is_single(second) else _GUESS_CERTAINTY


def _is_single(text: str) -> bool:
    return len(text) <= MAX_SINGLE_CHARS and len([part for part in _SENTENCE.split(text) if part.strip()]) == 1


def counter_query(text: str) -> str:
    """Return a query for texts that may contradict `text`: its sentences that have a word with alternatives."""
    if len(text) > MAX_STATEMENT_CHARS:
        return ""
    return " ".join(
        " ".join(sentence.raw)
        for sentence in _sentences(text)
        if sentence.denies
        or len(sentence.tokens) <= _MAX_SHORT_WORDS
        or not _COPULAS.isdisjoint(sentence.raw)
        or not _VALUE_BEFORE.isdisjoint(sentence.raw)
        or any(word in _OPPOSITES or word in EXCLUSIVE_VALUES or word == "over" for word in sentence.tokens)
    )


def alternatives(text: str) -> list[str]:
    """Return the words that a contradicting text could have in place of a word of `text`: npm for pnpm."""
    words = {_canonical(word) for word in _TOKEN.findall(text.lower()[:MAX_STATEMENT_CHARS])}
    names = {EXCLUSIVE_VALUES[word][0] for word in words if word in EXCLUSIVE_VALUES}
    if not names:
        return []
    return sorted(member for member, (name, _) in EXCLUSIVE_VALUES.items() if name in names and member not in words)


@lru_cache(maxsize=1_000)  # each new text is compared with many others, often the same ones
def _sentences(text: str) -> tuple[_Sentence, ...]:
    sentences = []
    for sentence in _SENTENCE.split(_CODE_BLOCK.sub("\n", text)):
        plain = sentence.strip().replace("\u2019", "'").replace("`", "")
        if not plain or plain.endswith("?") or _OTHER_START.match(plain) or _OTHER_VOICE.search(plain):
            continue
        lower = plain.lower().rstrip(".! ")
        deed = _PAST_DEED.match(lower) is not None
        lower = _SWITCHED_PHRASE.sub("use ", lower)
        over = re.fullmatch(r"(?:we |always |please )*prefer (.+?) over (.+)", lower)
        if over is None:
            lower = _INSTEAD_PHRASE.sub(" ", lower)
        for old, new in _JOINED_NAMES:
            lower = lower.replace(old, new)
        words = re.findall(r"[\w.+#@/'-]*\w|=|:(?=\s)|\?", lower)
        if _HISTORY.intersection(words) or "?" in words:
            continue
        raw = tuple([_canonical(word) for word in words if word not in _NEGATIONS])
        denies = (len(words) - len(raw)) % 2 == 1
        tokens = tuple([_stem(word) for word in raw if word not in _FILLERS and word not in ("=", ":")])
        if tokens:
            sentences.append(_Sentence(raw, tokens, denies, deed))
    return tuple(sentences)


def _compare(sentence: _Sentence, other_sentence: _Sentence) -> float | None:
    if sentence.denies != other_sentence.denies:
        same = sorted(sentence.tokens) == sorted(other_sentence.tokens) and len(sentence.tokens) >= 2
        return 0.9 if same and sentence.tokens == other_sentence.tokens else None
    if sentence.denies:
        return None
    if sentence.tokens[0:1] == other_sentence.tokens[0:1] == ("over",):
        return None
    swapped = _swapped(sentence, other_sentence)
    if swapped:
        return 0.9
    if sentence.deed or other_sentence.deed:
        return None
    return _one_word(sentence, other_sentence) or _value(sentence, other_sentence)


def _swapped(sentence: _Sentence, other_sentence: _Sentence) -> bool:
    """Return whether one sentence says `prefer X over Y` and the other `prefer Y over X`."""
    sides = []
    for clause in (sentence, other_sentence):
        if "over" not in clause.tokens:
            return False
        over_index = clause.tokens.index("over")
        sides.append((clause.tokens[:over_index], clause.tokens[over_index + 1 :]))
    return sides[0] == sides[1][::-1] and sides[0][0] != sides[0][1]


def _one_word(sentence: _Sentence, other_sentence: _Sentence) -> float | None:
    only_one = [word for word in sentence.tokens if word not in other_sentence.tokens]
    only_other = [word for word in other_sentence.tokens if word not in sentence.tokens]
    families = [[word for word in only if word in EXCLUSIVE_VALUES] for only in (only_one, only_other)]
    if len(families[0]) == len(families[1]) == 1:
        (a,), (b,) = families
        name, topic = EXCLUSIVE_VALUES[a]
        if name == EXCLUSIVE_VALUES[b][0] and a != b:
            rest, other_rest = (set(each.tokens) - topic - {a, b, "for"} for each in (sentence, other_sentence))
            if rest == other_rest and (rest or topic or len(sentence.tokens) > 1):
                return 0.9
    if len(only_one) == len(only_other) == 1 and len(sentence.tokens) == len(other_sentence.tokens) > 1:
        a, b = only_one[0], only_other[0]
        if a != b and _OPPOSITES.get(a) is not None and b in _OPPOSITES[a] and a in _OPPOSITES.get(b, ()):
            return 0.9
    return None


def _value(sentence: _Sentence, other_sentence: _Sentence) -> float | None:
    """Return how certainly two sentences contradict each other that differ in one value; otherwise None.

    A value is a number, path or name after `is`, `to`, `lives in` and the like.
    """
    a, b = sentence.raw, other_sentence.raw
    start = 0
    while start < min(len(a), len(b)) and a[start] == b[start]:
        start += 1
    end = 0
    while end < min(len(a), len(b)) - start and a[-1 - end] == b[-1 - end]:
        end += 1
    values = a[start : len(a) - end], b[start : len(b) - end]
    if start == 0 or any(len(value) != 1 for value in values):
        return None
    subject = [word for word in a[:start] if word not in _FILLERS and word not in _COPULAS]
    if not subject or _stem(subject[0]) in _LOOSE_SUBJECTS:
        return None
    first, second = values[0][0], values[1][0]
    before = a[start - 1]
    numbers = _NUMBER.match(first), _NUMBER.match(second)
    if numbers[0] and numbers[1]:
        same_unit = numbers[0][2] == numbers[1][2]
        return 0.85 if same_unit and before in _VALUE_BEFORE and end <= 1 else None
    if end or before not in _COPULAS or (a[0] not in ("the", "our") and not set(a[:start]) & {"=", ":"}):
        return None
    path = "/" in first and "/" in second
    named = before in ("is", "=", ":") and "of" in a[:start]
    return 0.75 if path or named or (before == "is" and _is_name(first) and _is_name(second)) else None


def _is_name(word: str) -> bool:
    """Return whether a word names a product or contains signs that no adjective has."""
    return re.search(r"[\d_./@-]|ci\Z|sql\Z|db\Z|\A(?:jenkins|travis|aws|gcp|azure)\Z", word) is not None


@lru_cache(maxsize=_MAX_WORDS)
def _canonical(word: str) -> str:
    word = word.strip("'.,:-") or word
    if word in ("tabs", "spaces"):
        return word[:-1]
    return _ALIASES.get(word, word)


@lru_cache(maxsize=_MAX_WORDS)
def _stem(word: str) -> str:
    if word in EXCLUSIVE_VALUES or word in _OPPOSITES or not word.isalpha():
        return word
    for ending, least in (("ies", 5), ("ing", 6), ("ed", 5), ("es", 5), ("s", 4), ("e", 5)):
        if word.endswith(ending) and len(word) >= least and not word.endswith("ss"):
            return word[: -len(ending)] + ("y" if ending == "ies" else "")
    return word
