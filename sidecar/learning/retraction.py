"""Find where a user takes an earlier statement back or changes it: "forget what I said about tabs", "it's 9090 now"."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from sidecar.learning.language.words import LanguageWords, RevisionWords, fold_accents, revision_words_of, words_of
from sidecar.learning.lesson import Revision, RevisionKind
from sidecar.text.lazy_patterns import lazy
from sidecar.text.others_words import own_words
from sidecar.text.own_blocks import without_own_text
from sidecar.text.prose import passages
from sidecar.text.sentences import read_sentence, split_sentences

_CLAUSES: Final = lazy(r"(?:,(?! was ich)(?= )|[;–—，；、]|:(?= ))+\s*")
_LONGEST: Final = 1_000  # characters of a message; a longer one is a paste or a brief
_MAX_TOPIC: Final = 160
_KINDS: Final[tuple[RevisionKind, ...]] = ("freed", "allowed", "ended", "changed")
_CLOSING: Final = ".!…。！ ,;:–—，；："


def revisions(text: str) -> Iterator[tuple[str, tuple[Revision, ...]]]:
    """Yield each of the user's sentences that revises what was said before, and how its clauses do."""
    if len(text) > _LONGEST:
        return
    for passage in passages(own_words(without_own_text(text))):
        for sentence in split_sentences(passage):
            reading = fold_accents(read_sentence(sentence).reading)
            words, marks = words_of(reading), revision_words_of(reading)
            if words.pastes.search(reading):
                return
            asks = words.asks.match(reading) is not None and marks.rules.match(reading) is None
            if not asks and not reading.rstrip().endswith(("?", "？")):
                if found := tuple(_revisions(sentence, reading, words, marks)):
                    yield sentence, found


def _revisions(sentence: str, reading: str, words: LanguageWords, marks: RevisionWords) -> Iterator[Revision]:
    start, before = 0, ""
    for end in (*(clause.end() for clause in _CLAUSES.finditer(reading)), len(reading)):
        at, start = start, end
        if passed := words.passed.match(reading[at:end]):
            at += passed.end()
        clause, said = reading[at:end].rstrip(_CLOSING), sentence[at:end].strip(_CLOSING)
        if not said:
            continue
        standing = words.standing.match(clause) or words.lasting.search(clause)
        if len(said) > _MAX_TOPIC or marks.once.search(clause) or (words.task.match(clause) and not standing):
            before = ""
            continue
        if kind := _kind(clause, marks):
            yield Revision(kind, _topic(clause, said, kind, marks) or before, said, sentence)
        before = f"{before}, {said}".strip(_CLOSING)


def _kind(clause: str, marks: RevisionWords) -> RevisionKind | None:
    """Return what a clause says of an earlier statement."""
    if marks.last.fullmatch(clause):
        return "last"
    if marks.rules.search(clause) and (marks.opens.match(clause) or marks.over.search(clause)):
        return "rule"
    for kind in _KINDS:
        if getattr(marks, kind).search(clause):
            return kind
    return None


def _topic(clause: str, said: str, kind: RevisionKind, marks: RevisionWords) -> str:
    """Return a clause without the words that only say that a rule is over."""
    spans = {
        "rule": (marks.opens.match(clause), marks.over.search(clause), *marks.rules.finditer(clause)),
        "freed": (*marks.freed.finditer(clause), *marks.ended.finditer(clause)),
        "allowed": marks.allowed.finditer(clause),
    }.get(kind, ())
    letters = list(said[: len(clause)])
    for span in filter(None, spans):
        letters[span.start() : span.end()] = " " * (span.end() - span.start())
    return " ".join("".join(letters).replace("-", " ").split()).strip(_CLOSING)
