"""Decide whether a newer standing statement replaces an older one; `proposer.py` then archives the older memory.

In doubt it does not. There are two forms: the same sentence with another value ("port 8002" for "port 8001"), and a
sentence that denies what the other asks for ("bun, not npm").
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache
from pathlib import Path
from typing import Final, NamedTuple, Protocol, TypeVar

from sidecar.learning.lesson import Revision
from sidecar.memories.wording.contradiction import EXCLUSIVE_VALUES
from sidecar.memories.wording.gist import FRAMING
from sidecar.text.lazy_patterns import lazy
from sidecar.text.stems import language_of
from sidecar.text.toml import read_toml
from sidecar.text.words import query_words, terms

_MAX_CHARS: Final = 300  # characters: a longer text says several things and is not compared
_TOKEN: Final = lazy(r"`[^`]+`|[^\W_](?:[\w.+#@/:'-]*[\w+#/])?|--?\w[\w-]*|[^\w\s]")
_CODE_OR_WORD: Final = lazy(r"\w")
_CODE: Final = lazy(r"^`.+`$|[./_@\d]|^-|[a-z][A-Z]")
_STANDING: Final = lazy(
    r"\b(?:from now on|in (?:the )?future|from here on|ab (?:jetzt|sofort|nun)|von nun an|in zukunft|"
    r"à partir de maintenant|à l'avenir|a partir de (?:ahora|agora)|de ahora en adelante|de agora em diante)\b,?",
    re.IGNORECASE,
)
_TABLE: Final = read_toml(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))
_WORD_LISTS: Final = {name: frozenset(str(words).split()) for name, words in _TABLE.items()}
_OPENINGS, _NUMBERS, _DENIALS, _ENDINGS, _LIMITS, _PLACES, _TIMES, _IN_WORDS, _BE_FORMS = (
    _WORD_LISTS[name] for name in "openings numbers denials endings limits places times in_words be_forms".split()
)
_PLACING, _CHOOSING, _ADDING, _NUMBERED, _USING, _USED_LAST, _GERMAN = (
    _WORD_LISTS[name] for name in "placing choosing adding numbered using used_last german".split()
)
_UNTELLING, _VERBS = (
    frozenset(term for word in _WORD_LISTS[name] for term in terms(word)) for name in ("untelling", "verbs")
)
_KIND_BY_WORD: Final = {word: name for name in ("colour", "frequency", "tongue") for word in _WORD_LISTS[name]}
_CONTEXTS: Final = _PLACES | _TIMES | frozenset("for during except under where für bei beim para si pour après".split())
_PLURAL_ACRONYM: Final = lazy(r"\b([A-Z]{2,})s\b")
_MAX_ADDED_WORDS: Final = 2  # words beside the topic that a clause may have and still only name another value
_MIN_COVERAGE_LEAD: Final = 0.3
_DENIAL: Final = (
    r"\b(?:not|no|instead of|no more|than|replac\w+|statt|nicht|kein\w*|pas|en vez de|no de) "
    r"(?:the |le |la |das |den |el )?{0}\b|\bfrom {0} to\b"
    r"|\b{0} (?:\w+ )?(?:is|was|were|has been|got|are|ist|wurde|fliegt) (?:now )?"
    r"(?:out|gone|shut|history|dead|too|retired|removed|replaced|deprecated|weg|raus)\b"
)
"""A pattern of the phrases that deny a value, to be formatted with it."""
_TOOLS: Final = frozenset(name for name, _ in EXCLUSIVE_VALUES.values()) - frozenset(
    ("weekday", "tongue", "indent", "quotes", "theme", "case", "history")
)
_CLAUSE_MARKS: Final = frozenset(",;:.!")
_PUTS_INTO: Final = _IN_WORDS | frozenset(("to", "into", "nach"))
_ONE_AT_A_TIME: Final = _USING | frozenset("to with into from via through as under mit nach con avec com".split())


class Statement(Protocol):
    @property
    def content(self) -> str: ...


StatementT = TypeVar("StatementT", bound=Statement)


class DenialReading(NamedTuple):
    """The significant terms of a statement."""

    asks: frozenset[str]
    conditions: frozenset[str]
    denials: tuple[tuple[frozenset[str], frozenset[str], bool], ...]
    """The terms, the conditions, and whether it ends what held before."""
    places: frozenset[str]
    """Those conditions that may also be what it asks for: "in tests/unit", "on port 8080"."""

    @property
    def all(self) -> frozenset[str]:
        return self.asks.union(self.conditions, *(denied | when for denied, when, _ in self.denials))


def takes_the_place(newer: str, older: str) -> bool:
    """Return whether the older statement ceases to hold once the user has stated the newer one as a standing rule."""
    if max(len(newer), len(older)) > _MAX_CHARS:
        return False
    if _denies(_reading(newer), _reading(older)) or _differs_in_one_value(newer, older):
        return True
    return _differ_in_place(newer, older) or _replaces_value_of_topic(newer, older)


def says_otherwise(newer: str, older: str) -> bool:
    """Return whether the newer statement, which resembles the older one, does more than repeat it."""
    return _adds_a_value(newer, older) or takes_the_place(newer, older)


def _adds_a_value(newer: str, older: str) -> bool:
    """Return whether the newer statement names a number, tool, colour or other value that the older one lacks."""
    older_words = {_comparable(word.text) for word in _words(older)}
    return any(
        word.kind not in (None, "code", "name") and _comparable(word.text) not in older_words for word in _words(newer)
    )


def taken_back(revisions: Iterable[Revision], statements: Iterable[StatementT]) -> list[StatementT]:
    """Return the statement that each revision takes back; a revision that may mean several takes none back."""
    candidates = list(statements)
    chosen: dict[int, StatementT] = {}
    for topic in (revision.topic for revision in revisions if revision.kind == "rule"):
        scores = sorted(
            ((_covered(topic, candidate.content), index) for index, candidate in enumerate(candidates)), reverse=True
        )
        (best, first), (second, _) = (*scores, (0.0, -1), (0.0, -1))[:2]
        if best - second >= _MIN_COVERAGE_LEAD:
            chosen[first] = candidates[first]
    return list(chosen.values())


def _covered(topic: str, text: str) -> float:
    """Return the share of a text's words that `topic` names; 0 if the topic names anything that the text does not."""
    named, asked = topic_of(topic), topic_of(text)
    if not named or len(text) > _MAX_CHARS or any(frozenset(terms(text)).isdisjoint(word) for word in named):
        return 0.0
    names = frozenset[str]().union(*named)
    return max(sum(not names.isdisjoint(word) for word in asked) / max(1, len(asked)), _MIN_COVERAGE_LEAD)


def topic_of(text: str) -> list[tuple[str, ...]]:
    plain = _PLURAL_ACRONYM.sub(r"\1", FRAMING.sub("", _STANDING.sub("", text)))
    return [word for word in query_words(plain) if _UNTELLING.isdisjoint(word)]


class _ValueChange(NamedTuple):
    """A value of the older statement, and what of the newer one may take its place."""

    old_value: _Word
    value: _Word | None  # None if the newer statement only denies the old value
    at: int  # of `value` among the newer statement's words; without a value, their number
    denied: bool


def _replaces_value_of_topic(newer: str, older: str) -> bool:
    """Return whether the newer statement is about the older one's topic and gives it another value.

    It either denies the old value ("not npm any more") or names the new one ("the port is 8002").
    """
    new, old = _words(newer), _words(older)
    change = _value_change(newer, new, older, old)
    if change is None:
        return False
    if not _keeps_topic(change, newer, new, older, old) or _narrows(change, newer, new, older):
        return False
    return change.denied or change.value is None or _excludes_old_value(change.value, change.old_value, newer, new, old)


def _value_change(newer: str, new: list[_Word], older: str, old: list[_Word]) -> _ValueChange | None:
    """Return which value of the older statement the newer one replaces; None if there is none, or several."""
    older_words, newer_words = ({_comparable(word.text) for word in words} for words in (old, new))
    old_values = [word for word in old if word.kind is not None and not _is_denied(word.text, older)]
    denied_values = [word for word in old_values if _is_denied(word.text, newer)]
    dropped_values = [word for word in old_values if word in denied_values or _comparable(word.text) not in newer_words]
    changes = [
        _ValueChange(old_value, word, index, bool(denied_values))
        for index, word in enumerate(new)
        if word.kind is not None and _comparable(word.text) not in older_words
        for old_value in dropped_values
        if _are_of_one_sort(word, old_value)
    ]
    # Two values could be replaced: "standup on Monday at 10" after "standup on Tuesday at 9".
    if not denied_values and len({_comparable(change.old_value.text) for change in changes}) != 1:
        return None
    return changes[0] if changes else _ValueChange(denied_values[0], None, len(new), denied=True)


def _keeps_topic(change: _ValueChange, newer: str, new: list[_Word], older: str, old: list[_Word]) -> bool:
    """Return False for another topic: "the web page listens on port 8002" after "the API listens on port 8001"."""
    newer_words = {_comparable(word.text) for word in new}
    common_words = (word.text for word in old if word.kind is None or _comparable(word.text) in newer_words)
    topic = frozenset(terms(older)).intersection(term for text in common_words for term in terms(text))
    topic -= _UNTELLING.union(terms(change.old_value.text))
    shared, value = topic.intersection(terms(newer)), change.value
    if change.denied:  # a tool that is named instead of another says all by itself
        return bool(shared) or (value is not None and value.kind == change.old_value.kind in _TOOLS)
    return bool(shared) and shared == topic


def _narrows(change: _ValueChange, newer: str, new: list[_Word], older: str) -> bool:
    """Return whether a value holds only in one case: "the API listens on port 8002 in staging"."""
    unexpected = frozenset(terms(newer)) - _UNTELLING.union(terms(older))
    words = [(index, word) for index, word in enumerate(new) if word.kind is None]
    added = [(index, word) for index, word in words if not unexpected.isdisjoint(terms(word.text))]
    if len(added) > _MAX_ADDED_WORDS:
        return True
    return any((index < change.at and not change.denied) or word.before in _CONTEXTS for index, word in added)


def _excludes_old_value(value: _Word, old_value: _Word, newer: str, new: list[_Word], old: list[_Word]) -> bool:
    """Return False if both values can hold: "we use Kotlin for the app" after "we use yarn for the app"."""
    several = _ADDING if _BE_FORMS.isdisjoint(newer.casefold().split()) else _NUMBERED
    if value.kind != old_value.kind or value.kind in ("name", "code") or value.before in _NUMBERED | _TIMES:
        return False
    denies = not _DENIALS.isdisjoint(word.text.casefold() for word in (*new, *old))
    return not denies and several.isdisjoint(word.text.casefold() for word in new)


def _is_denied(value: str, text: str) -> bool:
    return re.search(_DENIAL.format(re.escape(value)), text, re.IGNORECASE) is not None


def _differ_in_place(newer: str, older: str) -> bool:
    """Return whether both say where one thing goes or how it is written, but name different places or ways."""
    new, old = _placement(newer), _placement(older)
    if new is None or old is None:
        return False
    return new[0] == old[0] and new[1].isdisjoint(old[1]) and new[2] == old[2]


def _placement(text: str) -> tuple[frozenset[str], frozenset[str], bool] | None:
    """Return the terms of the thing placed, the terms of its place, and whether a language or a number is named."""
    words = _words(re.split(r"[,;.] ", text, maxsplit=1)[0])
    into_index = next((index for index, word in enumerate(words) if word.text.casefold() in _PUTS_INTO), None)
    if (
        into_index is None
        or _PLACING.isdisjoint(word.text.casefold() for word in words)
        or any(word.text.casefold() in _DENIALS for word in words)
    ):
        return None
    telling = frozenset(terms(text)) - _UNTELLING
    thing, place = (
        telling.intersection(term for word in part for term in terms(word.text)) - _VERBS
        for part in (words[:into_index], words[into_index + 1 :])
    )
    return (thing, place, any(word.kind in ("tongue", "number") for word in words)) if thing and place else None


def _are_of_one_sort(value: _Word, other_value: _Word) -> bool:
    """Return whether one of two values can take the place of the other, such as two numbers or two tools."""
    if value.text[0].isdigit() or other_value.text[0].isdigit():
        return value.text[0].isdigit() and other_value.text[0].isdigit()
    open_kinds = ("code", "name")
    kinds, free = {value.kind, other_value.kind}, _TOOLS.union(open_kinds)
    return value.kind == other_value.kind or (kinds <= free and not kinds.isdisjoint(open_kinds))


def exclusive_values(text: str) -> frozenset[str]:
    """Return the words that distinguish otherwise equal wishes: numbers, names, code, tools and the like."""
    tokens, german = _tokens(text), _is_german(text)
    return frozenset(
        token.casefold().strip("`")
        for at, token in enumerate(tokens)
        if _CODE_OR_WORD.search(token)
        and _kind(token, may_be_name=at > 0 and not german and tokens[at - 1] not in _CLAUSE_MARKS) is not None
    )


def _tokens(text: str) -> list[str]:
    plain = FRAMING.sub("", text).replace("’", "'").replace("rather than", "instead of")
    return _TOKEN.findall(_STANDING.sub("", plain))


def _is_german(text: str) -> bool:
    """Return whether a text seems German, where a capital letter does not make a word a name."""
    words = text.casefold().split()
    return language_of(words) == "german" or not _GERMAN.isdisjoint(words)


def _kind(token: str, *, may_be_name: bool) -> str | None:
    """Return what kind of value a token is, or None if it is none; of two values of one kind, only one can hold."""
    word = token.casefold()
    if word in _NUMBERS or word.replace(".", "").isdigit():
        return "number"
    if word in _KIND_BY_WORD:
        return _KIND_BY_WORD[word]
    single = word.removesuffix("s")
    for name in (word, single):
        if name in EXCLUSIVE_VALUES:
            return str(EXCLUSIVE_VALUES[name][0])
    if _CODE.search(token):
        return "code"
    if "-" in word and (kinds := {EXCLUSIVE_VALUES[part][0] for part in word.split("-") if part in EXCLUSIVE_VALUES}):
        return str(kinds.pop())
    return "name" if may_be_name and token[:1].isupper() and not token.isupper() else None


class _Word(NamedTuple):
    text: str
    kind: str | None
    before: str
    """The word before, articles and adverbs left out."""


def _words(text: str) -> list[_Word]:
    german = _is_german(text)
    words: list[_Word] = []
    before = ""
    for token in _tokens(text):
        word = token.casefold()
        if word in _USING:
            before = word
        elif word not in _OPENINGS and _CODE_OR_WORD.search(word):
            words.append(_Word(token, _kind(token, may_be_name=bool(words or before) and not german), before))
            before = word
    return words


def _differs_in_one_value(newer: str, older: str) -> bool:
    """Return whether the statements differ in exactly one value, in a place where only one value can hold."""
    new, old = _words(newer), _words(older)
    if len(new) != len(old) or any(word.text.casefold() in _DENIALS for word in new):
        return False
    differing = [pair for pair in zip(new, old, strict=True) if _comparable(pair[0].text) != _comparable(pair[1].text)]
    if len(differing) != 1:
        return False
    ((value, other),) = differing
    verb, before, kind = new[0].text.casefold(), value.before, value.kind
    if kind is None or kind != other.kind or before in _TIMES or verb in _ADDING or before in _NUMBERED:
        return False
    if kind == "number":
        return True
    if not before:  # the subject of the sentence, unless the verb comes last
        return new[-1].text.casefold() in _USED_LAST
    if before in _CONTEXTS:
        return kind in ("tongue", "weekday") or (before in _IN_WORDS and verb in _PLACING)
    return kind not in ("name", "code") or before in _ONE_AT_A_TIME or verb in _CHOOSING


@lru_cache(maxsize=4_000)
def _comparable(token: str) -> object:
    return tuple(terms(token)) or token.casefold()


@lru_cache(maxsize=1_000)
def _reading(text: str) -> DenialReading:
    asks: set[str] = set()
    conditions: set[str] = set()
    denials: list[tuple[frozenset[str], frozenset[str], bool]] = []
    places: set[str] = set()
    tokens = [token.casefold() for token in _tokens(text)]
    telling = frozenset(terms(text))
    clauses: list[list[str]] = [[]]
    for token in tokens:
        if token in _CLAUSE_MARKS or token in ("but", "and", "sondern", "und", "y", "et", "e"):
            clauses.append([])
        else:
            clauses[-1].append(token)
    for clause in clauses:
        ended = not _ENDINGS.isdisjoint(clause) or ("any" in clause and "more" in clause)
        denying = conditional = placed = False
        denied: set[str] = set()
        denial_conditions: set[str] = set()
        last = frozenset[str]()
        for index, word in enumerate(clause):
            denies = word in _DENIALS or (word == "over" and "prefer" in clause)
            if denies and _LIMITS.isdisjoint(clause[index + 1 : index + 2]):
                denying, conditional = True, False
            elif word in _CONTEXTS and index:
                conditional, placed = True, word in _PLACES
            elif word not in _OPENINGS and word not in _ENDINGS:
                words = telling.intersection(terms(word))
                sorts = (denied, denial_conditions) if denying else (asks, conditions)
                sorts[conditional].update(words)
                if placed and not denying:
                    places.update(words)
                last = words or last
        if "nicht" in clause and not denied:  # "wir benutzen npm nicht mehr"
            denied, asks = set(last), asks - last
        if denied:
            denials.append((frozenset(denied), frozenset(denial_conditions), ended))
    return DenialReading(frozenset(asks), frozenset(conditions), tuple(denials), frozenset(places))


def _denies(newer: DenialReading, older: DenialReading) -> bool:
    """Return whether one statement asks for what the other denies, under the same conditions."""
    older_terms, newer_terms = older.all, newer.all
    for denied, denial_conditions, ended in newer.denials:
        older_wishes = older.asks | older.places
        if denied <= older_wishes and not any(denied & other for other, _, _ in older.denials):
            new_places = newer.places if denied <= older.places else frozenset[str]()
            if not (denial_conditions | newer.conditions - new_places) <= older_terms:
                continue
            unanswered = older.asks - _VERBS - denied - newer_terms
            if not unanswered and (ended or older.conditions <= denied | newer_terms):
                return True
    for denied, denial_conditions, _ in older.denials:
        if denied <= newer.asks and not any(denied & other for other, _, _ in newer.denials):
            unanswered = newer.asks - _VERBS - older_terms
            if (
                not unanswered
                and newer.conditions <= older_terms
                and (denial_conditions | older.conditions) <= newer_terms
            ):
                return True
    return False
