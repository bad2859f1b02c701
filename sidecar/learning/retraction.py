"""Find where a user takes an earlier statement back: "forget what I said about tabs", "scratch that"."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from sidecar.learning.language.words import fold_accents, words_of
from sidecar.text.lazy_patterns import lazy
from sidecar.text.others_words import own_words
from sidecar.text.own_blocks import without_own_text
from sidecar.text.prose import passages
from sidecar.text.sentences import read_sentence, split_sentences

_CLAUSES: Final = lazy(r"(?:,(?! was ich)|[;–—，；])+\s*")
_ANY: Final = lazy(
    "forget|ignor|disregard|drop|scra|strike|discard|retract|revoke|withdraw|mind|"
    " back|longer|more|vergiss|streich|mehr|zurück|olv[ií]d|ya no|"
    "oubli|plus|esque|mais|忘|收回|不再|不用|别管",
    re.IGNORECASE,
)
"""Something of every entry in the languages' tables, so that most messages are not read."""
_LONGEST: Final = 1_000  # characters of a message; a longer one is a paste or a brief
_MAX_TOPIC: Final = 120
_CLOSING: Final = ".!…。！ ,;:–—，；："


def retractions(text: str) -> Iterator[str]:
    """Yield what each retraction is about, in the user's words; "" for what was said last."""
    if len(text) > _LONGEST or not _ANY.search(text):
        return
    for passage in passages(own_words(without_own_text(text))):
        for sentence in split_sentences(passage):
            reading = fold_accents(read_sentence(sentence).reading)
            words = words_of(reading)
            if words.pastes.search(reading):
                return
            if reading.rstrip().endswith(("?", "？")) or words.asks.match(reading):
                continue
            start = 0
            for end in (*(clause.end() for clause in _CLAUSES.finditer(reading)), len(reading)):
                clause, at = reading[start:end], start
                start = end
                if passed := words.passed.match(clause):
                    clause, at = clause[passed.end() :], at + passed.end()
                clause = clause.rstrip(_CLOSING)
                topic = sentence[at:end].strip(_CLOSING)
                if words.takes_back.fullmatch(clause):
                    yield ""
                    continue
                if found := words.retracts.match(clause):
                    topic = sentence[at + found.end() : end].strip(_CLOSING)
                elif not words.ends.search(clause):
                    continue
                if 0 < len(topic) <= _MAX_TOPIC:
                    yield topic
