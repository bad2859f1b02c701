"""The words of each language that distinguish a statement worth keeping from talk, one TOML table per language.

The entries of a list are the alternatives of one expression, which is matched against what
`text.sentences.read_sentence` returns, with `’` for apostrophes; a list that is missing matches nothing.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Final, NamedTuple
from unicodedata import normalize

from sidecar.text.toml import read_toml

LANGUAGES: Final = ("en", "de", "es", "fr", "pt")
SCRIPTS: Final = {
    "ja": re.compile(r"[\u3040-\u30ff]"),
    "zh": re.compile(r"[\u4e00-\u9fff]"),
    "ko": re.compile(r"[\uac00-\ud7a3]"),
    "ru": re.compile(r"[\u0400-\u04ff]"),
    "fa": re.compile(r"[\u0600-\u06ff]"),
    "hi": re.compile(r"[\u0900-\u097f]"),
}
"""Languages told by their script. Except for Chinese they have only marks of a rule, which yield only candidates."""
_TABLES: Final = {  # read on import: the package may be replaced while a server runs
    language: Path(__file__).with_name(f"{language}.toml").read_text(encoding="utf-8")
    for language in (*LANGUAGES, *SCRIPTS, "revisions")
}
_UNSPACED: Final = ("ja", "zh")
_HANGUL: Final = "\uac00"  # from here on, syllables, which must not be stripped as if they had accents
_WORD: Final = re.compile(r"[^\W\d_]+")


class LanguageWords(NamedTuple):
    """One language's expressions. Openings are matched at the beginning of a clause, marks anywhere in it."""

    passed: re.Pattern[str]  # openings that are skipped
    asks: re.Pattern[str]  # openings of a question
    requests: re.Pattern[str]  # openings of a wish in the form of a question
    doubts: re.Pattern[str]  # marks of a guess or an idea
    moment: re.Pattern[str]  # marks of this moment or this task
    local: re.Pattern[str]  # marks of a place in the work at hand; a standing command may have them
    points: re.Pattern[str]  # subjects that refer to the sentence before
    pointing: re.Pattern[str]  # a command whose object only refers, and makes no sense alone: "always do that"
    always: re.Pattern[str]  # a command with always or never
    works: re.Pattern[str] | None
    """Verbs of how to work, after "always" and "never"; None accepts any verb."""
    standing: re.Pattern[str]  # openings that make what follows hold from now on
    lasting: re.Pattern[str]  # marks anywhere in a command that make it hold from now on
    keeps: re.Pattern[str]  # asks to remember what was said
    forbids: re.Pattern[str]
    orders: re.Pattern[str]
    wants: re.Pattern[str]
    facts: re.Pattern[str]
    marks: re.Pattern[str]  # marks of a rule, in a script that the estimates cannot read
    methods: re.Pattern[str]  # verbs of how to work; they open a command if it says that it lasts
    product: re.Pattern[str]  # parts of the product as its users see them; a wish about one belongs to this task
    task: re.Pattern[str]  # openings that ask for a single piece of work
    personal: re.Pattern[str]  # what concerns the talk between user and agent, in any project
    pastes: re.Pattern[str]  # announces that other people's words follow

    def passing(self, body: str) -> bool:
        """Return whether a clause expresses doubt, or speaks of this moment or a place in the work at hand."""
        return any(pattern.search(body) for pattern in (self.doubts, self.moment, self.local))


class RevisionWords(NamedTuple):
    """One language's marks of a statement that takes an earlier one back or may change it."""

    last: re.Pattern[str]  # takes back what was said last
    opens: re.Pattern[str]  # openings that take back a rule, if the clause speaks of one
    rules: re.Pattern[str]  # names of a rule or of the user's earlier words
    over: re.Pattern[str]  # says that a rule no longer holds
    hints: re.Pattern[str]  # hints that something may no longer be as it was
    unsure: re.Pattern[str]  # a guess or complaint that does not even hint at a change
    once: re.Pattern[str]  # a guess, complaint or exception that revises nothing


_NEVER_MATCHES: Final = "(?!)"


def fold_accents(reading: str) -> str:
    """Strip accents, which many people do not type, and make apostrophes equal; the length stays the same."""
    return _unaccented(reading).replace("'", "’")


def _unaccented(text: str) -> str:
    return text if text.isascii() else "".join(char if char >= _HANGUL else normalize("NFD", char)[0] for char in text)


def words_of(reading: str) -> LanguageWords:
    return _read_words(_language_of(reading))


def revision_words_of(reading: str) -> RevisionWords:
    return _read_revision_words(_language_of(reading))


def _language_of(reading: str) -> str:
    if not reading.isascii():
        for language, signs in SCRIPTS.items():
            if signs.search(reading):
                return language
    spoken = set(_WORD.findall(reading))
    return max(LANGUAGES, key=lambda language: len(spoken & _common(language)))  # English, the first, wins a tie


@cache
def table_of(language: str) -> dict[str, object]:
    return read_toml(_unaccented(_TABLES[language]))


@cache
def _common(language: str) -> frozenset[str]:
    return frozenset(str(table_of(language)["common"]).split())


@cache
def _read_words(language: str) -> LanguageWords:
    table = table_of(language)
    language_words = LanguageWords(*(_pattern(language, table, name) for name in LanguageWords._fields))
    return language_words if "works" in table else language_words._replace(works=None)


@cache
def _read_revision_words(language: str) -> RevisionWords:
    table = table_of("revisions").get(language)
    lists = table if isinstance(table, dict) else {}
    return RevisionWords(*(_pattern(language, lists, name) for name in RevisionWords._fields))


def _pattern(language: str, table: Mapping[str, object], name: str) -> re.Pattern[str]:
    alternatives = table.get(name)
    if not isinstance(alternatives, list) or not alternatives:
        return re.compile(_NEVER_MATCHES)
    spaced = language not in _UNSPACED
    before = r"(?<!\w)" if spaced else ""
    after = r"(?!\w)" if spaced else ""
    phrase = f"{before}(?:{'|'.join(alternatives)}){after}".replace("’", "’?")  # many people leave out the apostrophe
    return re.compile(rf"(?:{phrase}[\s,.:;!…，。：；！–—-]*)+" if name == "passed" else phrase)
