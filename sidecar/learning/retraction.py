"""Find where a user takes an earlier statement back: "forget what I said about tabs", "scratch that"."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from pathlib import Path
from typing import Final

from sidecar.learning.language.mood import is_task_with_text
from sidecar.learning.language.words import LanguageWords, RevisionWords, fold_accents, revision_words_of, words_of
from sidecar.learning.lesson import Revision, RevisionKind
from sidecar.text.lazy_patterns import lazy, patterns
from sidecar.text.others_words import own_words
from sidecar.text.own_blocks import without_own_text
from sidecar.text.prose import passages
from sidecar.text.sentences import read_sentence, split_sentences

_CLAUSES: Final = lazy(r"(?:,(?! was ich)(?= )|[;–—，；、]|:(?= ))+\s*")
_PATTERNS: Final = patterns(Path(__file__), "user_statements")
_MAX_MESSAGE_CHARS: Final = 1_000  # characters; a longer message is a paste or a brief
_MAX_TOPIC_CHARS: Final = 160
_END_CHARS: Final = ".!…。！ ,;:–—，；："


def revisions(text: str) -> Iterator[tuple[str, tuple[Revision, ...]]]:
    """Yield each sentence of the user's own that takes something back, and what each of its clauses takes back."""
    if len(text) > _MAX_MESSAGE_CHARS:
        return
    for sentence, reading, words, marks in _readings(text):
        if words.pastes.search(reading):
            return
        asks = words.asks.match(reading) is not None and marks.rules.match(reading) is None
        if asks or _is_question(reading) or _PATTERNS["jokes"].search(sentence):
            continue
        if found := tuple(_revisions(sentence, reading, words, marks)):
            yield sentence, found


def change_marks(reading: str) -> list[str]:
    """Return the marks in a clause that say how it may bear on an earlier statement."""
    marks = revision_words_of(reading)
    return [name for name in ("hints", "unsure") if getattr(marks, name).search(reading)]


def remark(text: str, stated: Iterable[str], changing: Collection[str]) -> str | None:
    """Return the sentences of a message that may bear on an earlier statement, without questions, tasks and guesses.

    Sentences in `stated` are left out, since they are learned by themselves. Return None if no sentence has a clause in
    `changing`.
    """
    remaining_sentences, changes_any = [], False
    for sentence, reading, words, marks in _readings(text):
        if words.pastes.search(reading) or _PATTERNS["jokes"].search(sentence):
            return None
        if is_task_with_text(reading, words):
            continue
        asks = _is_question(reading) or words.task.match(reading) is not None or marks.unsure.search(reading)
        changes = any(overlap(clause, sentence) for clause in changing)
        if changes or not (asks or any(overlap(statement, sentence.strip()) for statement in stated)):
            remaining_sentences.append(sentence.strip())
        changes_any = changes_any or changes
    return " ".join(remaining_sentences) if changes_any else None


def overlap(statement: str, sentence: str) -> bool:
    """Return whether a learned statement contains a sentence of the same message, or the sentence contains it."""
    return statement in sentence or sentence.rstrip(" .!") in statement


def _readings(text: str) -> Iterator[tuple[str, str, LanguageWords, RevisionWords]]:
    """Yield each of the user's own sentences, its reading, and the words of its language."""
    for passage in passages(own_words(without_own_text(text))):
        for sentence in split_sentences(passage):
            reading = fold_accents(read_sentence(sentence).reading)
            words = words_of(reading)
            yield sentence, reading, words, revision_words_of(reading)


def _is_question(reading: str) -> bool:
    return reading.rstrip().endswith(("?", "？"))


def _revisions(sentence: str, reading: str, words: LanguageWords, marks: RevisionWords) -> Iterator[Revision]:
    start, before = 0, ""
    for end in (*(clause.end() for clause in _CLAUSES.finditer(reading)), len(reading)):
        clause_start, start = start, end
        if passed := words.passed.match(reading[clause_start:end]):
            clause_start += passed.end()
        clause, clause_text = reading[clause_start:end].rstrip(_END_CHARS), sentence[clause_start:end].strip(_END_CHARS)
        if not clause_text:
            continue
        kind = None if len(clause_text) > _MAX_TOPIC_CHARS or marks.once.search(clause) else _kind(clause, marks)
        if kind is not None and (kind == "rule" or not words.task.match(clause)):
            yield Revision(
                kind, (_topic(clause, clause_text, marks) or before) if kind == "rule" else clause_text, clause_text
            )
        elif words.task.match(clause) and sentence[clause_start:end].rstrip().endswith((":", "：")):
            return  # the sentence is about the text that follows
        before = f"{before}, {clause_text}".strip(_END_CHARS)


def _kind(clause: str, marks: RevisionWords) -> RevisionKind | None:
    if marks.last.fullmatch(clause):
        return "last"
    takes_back = marks.opens.match(clause) or marks.over.search(clause)
    return "rule" if takes_back and marks.rules.search(clause) else None


def _topic(clause: str, clause_text: str, marks: RevisionWords) -> str:
    """Return a clause without the words that only say that a rule no longer holds."""
    spans = [span for pattern in (marks.over, marks.rules) for span in pattern.finditer(clause)]
    if opening := marks.opens.match(clause):
        spans.append(opening)
    letters = list(clause_text[: len(clause)])
    for span in spans:
        letters[span.start() : span.end()] = " " * (span.end() - span.start())
    return " ".join("".join(letters).replace("-", " ").split()).strip(_END_CHARS)
