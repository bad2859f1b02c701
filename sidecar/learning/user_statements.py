"""Find statements in a user's message that outlive its task: rules, wishes, corrections, decisions, facts.

`user_lessons.py` makes lessons of them. Pasted, quoted and rendered text, other people's mail and chat, and echoes of
the agent state nothing. Deterministic, and linear in the text's length.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import islice, takewhile
from pathlib import Path
from typing import Final, Literal

from sidecar.learning.clause_estimates import PlacedClause, asks_to_keep, probability_to_keep
from sidecar.learning.durability import durability
from sidecar.learning.language.mood import (
    Mood,
    StatementKind,
    as_standing,
    asks_for_work,
    if_durable,
    is_task_with_text,
    mood,
)
from sidecar.learning.language.words import LanguageWords, fold_accents, words_of
from sidecar.learning.retraction import change_marks
from sidecar.text.lazy_patterns import lazy, patterns
from sidecar.text.others_words import own_words
from sidecar.text.own_blocks import without_own_text
from sidecar.text.prose import passages
from sidecar.text.sentences import read_sentence, split_sentences

_PATTERNS: Final = patterns(Path(__file__), "user_statements")
_TAIL_CHARS: Final = 6_000  # characters at the end of the agent's words in which a question is sought
_KEY_PATTERN: Final = r"(?P<key>\d{1,2}|[a-h])"
_OPTION: Final = lazy(
    rf"^[ \t>]*(?:[-*+•]\s+)?\**(?:(?:option|question|q)\s*)?\(?{_KEY_PATTERN}(?:[.):]|\s[–—-])\**\s+(?P<text>\S.*)",
    re.IGNORECASE | re.MULTILINE,
)
_MAX_ANSWER_CHARS: Final = 140  # characters; a longer answer makes sense without its question
_INLINE_ITEM: Final = lazy(r"(?<=\S)[ \t,;]+(?=\d{1,2}[.)]\s)")
MAX_STATEMENT_CHARS: Final = 300  # characters; a longer sentence is not stored as it is
P_LASTS_CANDIDATE: Final = 0.1
"""Least probability of lasting that makes a sentence a candidate; it is shown once another session says the same."""
P_LASTS_SHOWN: Final = 0.25  # least probability of lasting at which a candidate is shown at once
P_ASKS_MEMORY: Final = 0.84
"""A message that asks to keep something with at least this probability becomes a memory at once.

Of messages that were not fitted, these reach it: 1.1 % of 2,891 real ones of which a reader would keep nothing; 40 % of
1,317 written ones that ask, mostly in passing; 3 % of 1,083 that only sound like it.
"""
P_ASKS_CANDIDATE: Final = 0.4  # a message that asks with at least this probability makes candidates of its clauses
_P_CLAUSE_KEPT: Final = 0.5  # besides the likeliest clause, those with at least this probability are kept
MAX_STATEMENTS: Final = {"standing": 5, "said": 8}  # of a message with more, a specification, the first are kept
MAX_SENTENCES: Final = 400  # sentences of a message that are read
_DOCUMENT_CHARS: Final = 2_500  # a message with more prose is a document: nobody says more in one go
_DOCUMENT_ITEMS: Final = 12  # a message with more list items is a document: nobody types more in passing
_HEADINGS: Final = lazy(r"^[ ]{0,3}#{1,6}\s+\S", re.MULTILINE)
_LIST_ITEMS: Final = lazy(r"^[ \t]*(?:[-*+•]|\d{1,3}[.)])[ \t]", re.MULTILINE)
# What programs and documents write but people do not type to an agent, and what looks like a password.
_WRITTEN_BY_PROGRAM: Final = lazy(
    r"[—→←⇒≥≤≈§•✓✔✅❌⚠]|^[-\[<{]|<\w[^>]*>|\b[A-Z]\w*(?:Error|Exception)\b|(?<![\w/.])(?=\w*[a-z])(?=\w*[A-Z])(?=\w*\d)\w{10,}"
)
_MIN_TASK_CHARS: Final = 250  # characters beside its rules; a message with more is a brief
_WORDS: Final = lazy(r"\w+")
_GAP_NEAR_END: Final = lazy(r"(?<=[^\s,;–-])[\s,;–-]+(?=\S+(?:\s+\S+){0,6}\Z)")
_SEMICOLON: Final = lazy(r"(?<=;)\s+")
_TRAILING_CHARS: Final = " ,;"
_UNSPACED_ENDS: Final = ("。", "！", "？")


_Clause = tuple[str, str, LanguageWords, Literal["first", "apart", "continues"]]
"""A clause, its reading, its language's words, and its place in the sentence."""


def split_answers(text: str, before: str) -> tuple[str, list[str]]:
    """Return a message without its answers to numbered questions, and those answers that say something.

    Each of the answers follows the agent's question, without which it would make no sense: "Which port? 8080".
    """
    if _PATTERNS["choice"].match(text.strip()):
        return "", []
    items = {item["key"].lower(): item["text"] for item in _OPTION.finditer(before[-_TAIL_CHARS:].replace("**", ""))}
    remaining_lines: list[str] = []
    answered: list[str] = []
    for line in (_INLINE_ITEM.sub("\n", text) if items else text).split("\n"):
        item = _OPTION.match(line)
        question = items.get(item["key"].lower()) if item else None
        affirms = item is not None and _PATTERNS["affirms"].match(line) is not None
        if item is None or (question is None and not affirms):
            remaining_lines.append(line)
        elif question is not None and not affirms and _is_answer(question, item["text"]):
            answered.append(f"{question.strip()} {item['text'].strip()}")
    return "\n".join(remaining_lines), answered


def _is_answer(question: str, answer: str) -> bool:
    """Return whether a question and its answer state something that is not about what to do next."""
    asks = question.rstrip().endswith(("?", "？")) and not _PATTERNS["proceeds"].search(question)
    short = len(answer) <= _MAX_ANSWER_CHARS and not answer.rstrip().endswith("?")
    return asks and short and not _PATTERNS["choice"].match(answer)


@dataclass(frozen=True, slots=True)
class UserStatement:
    """One complete statement in the user's words."""

    kind: StatementKind
    text: str
    standing: bool  # said as holding from now on
    alone: bool = False  # a sentence of its own in a message about little else or asking to remember it


def user_statements(text: str, before: str = "") -> list[UserStatement]:
    """Return what a user's message states, in order; `before` is the end of what the agent had said."""
    own_text, answered = split_answers(_own_text(text), before)
    document = _is_document(own_text)
    stated = [UserStatement("decision", answer, standing=False) for answer in answered]
    stated += _stated(_head(own_text) if document else own_text, before, len(text))
    allowance = dict(MAX_STATEMENTS)
    chosen: dict[str, UserStatement] = {}
    for statement in stated:
        key = _plain_words(statement.text)
        sort = "standing" if statement.standing else "said"
        whole = key and len(statement.text) <= MAX_STATEMENT_CHARS and not statement.text.endswith((":", "："))
        if whole and key not in chosen and allowance[sort]:
            allowance[sort] -= 1
            kind = "preference" if _PATTERNS["private"].search(statement.text) else statement.kind
            chosen[key] = replace(statement, kind=kind, alone=statement.alone and not document)
    return list(chosen.values())


def placed_clauses(text: str, before: str = "") -> list[PlacedClause]:
    """Return the clauses of the user's own words, without answers to numbered questions."""
    own, _ = split_answers(_own_text(text), before)
    return _read_clauses(own, len(text), before)[1]


@lru_cache(maxsize=1)  # a message is read for its statements, then for what it changes
def _read_clauses(own_text: str, length: int, before: str) -> tuple[list[_Clause], list[PlacedClause]]:
    """Return the clauses of the user's own words, and the same clauses in the form that the estimates read."""
    sentences = list(islice(_sentences(own_text), MAX_SENTENCES))
    asked, texts = before.rstrip().endswith(("?", "？")), [clause for clause, *_ in sentences]
    return sentences, [
        PlacedClause(texts, at, mood(reading, words), change_marks(reading), length, asked)
        if len(clause) <= MAX_STATEMENT_CHARS
        else PlacedClause(texts, at, None, (), length, asked)
        for at, (clause, reading, words, _) in enumerate(sentences)
    ]


def _own_text(text: str) -> str:
    return own_words(without_own_text(_unquoted(text)))


def _unquoted(text: str) -> str:
    """Strip the quotation marks that some agents put around a whole message."""
    bare = text.strip()
    return bare[1:-1] if len(bare) > 1 and bare[0] == bare[-1] == '"' and '"' not in bare[1:-1] else text


def _is_document(text: str) -> bool:
    """Return whether a message is a brief, a plan or a pasted document: rules in it are not the user's."""
    items, headings = _LIST_ITEMS.findall(text), _HEADINGS.findall(text)
    return len(text) >= _DOCUMENT_CHARS or len(items) >= _DOCUMENT_ITEMS or len(headings) >= 2


def _head(document: str) -> str:
    """Return what the user typed before a document: paragraphs of up to two lines, without headings or items."""
    paragraphs = document.strip().split("\n\n")

    def is_typed(text: str) -> bool:
        return text.count("\n") < 2 and not _HEADINGS.search(text) and not _LIST_ITEMS.search(text)

    return "\n\n".join(takewhile(is_typed, paragraphs))


def _stated(text: str, before: str, length: int) -> list[UserStatement]:
    echoes = _plain_words(before)
    sentences, placed = _read_clauses(text, length, before)
    to_keep = _positions_to_keep(placed)
    joiner = _ClauseJoiner()
    task_length = 0  # characters of clauses that state no rule
    for clause, placed_clause in zip(sentences, placed, strict=True):
        sentence, reading, words, _ = clause
        if _PATTERNS["recalls"].match(sentence):
            joiner.recall(words)
        elif len(sentence) > 40 and _plain_words(sentence) in echoes:
            joiner.previous = ""
        else:
            by_rule = _mood_of(placed_clause, to_keep, reading, words)
            is_rule = by_rule is not None and by_rule.standing
            task_length += 0 if is_rule else len(sentence)
            clause_mood = _mood_or_estimate(by_rule, placed_clause, reading, words)
            joiner.add(clause, clause_mood, at_once=is_rule and to_keep.get(placed_clause.position, False))
    return joiner.statements if task_length < _MIN_TASK_CHARS else joiner.without_task()


class _ClauseJoiner:
    """Makes statements of a message's clauses, each of which may continue the one before it."""

    def __init__(self) -> None:
        self.statements: list[UserStatement] = []
        self.previous = ""  # the clause before, if the next clause can continue it
        self._to_remember: set[str] = set()  # texts of statements that the user asked to remember

    def recall(self, words: LanguageWords) -> None:
        """Make a standing statement of the clause before a request to keep it ("Please remember that")."""
        stem = self.previous.rstrip(_TRAILING_CHARS)
        reading = fold_accents(read_sentence(self.previous).reading)
        self.previous = ""
        clause_mood = if_durable(reading, words)
        if clause_mood is not None and not clause_mood.points:
            clause_mood = mood(reading, words) or clause_mood
            last = self.statements.pop() if self.statements and stem.endswith(self.statements[-1].text) else None
            kind = last.kind if last else clause_mood.kind
            kind = "preference" if words.personal.search(f"remember {reading}") else kind
            kind = "rule" if kind == "mention" else kind
            self.statements.append(UserStatement(kind, stem, standing=True, alone=True))
        self._to_remember.update(statement.text for statement in self.statements[-1:])

    def add(self, clause: _Clause, clause_mood: Mood | None, *, at_once: bool) -> None:
        """Add a clause; if it refers to the last statement, join both. `at_once`: the user asked to remember it."""
        sentence, reading, words, position = clause
        joined, stem = _joined(self.previous, sentence), self.previous.rstrip(_TRAILING_CHARS)
        last = self.statements[-1] if self.statements and stem and self.statements[-1].text.endswith(stem) else None
        if at_once and max(len(joined), len(last.text if last else "") + len(sentence)) >= MAX_STATEMENT_CHARS:
            joined, last = sentence, None  # a statement of its own
        continues = position == "continues" and bool(self.previous)
        self.previous = sentence if len(sentence) <= MAX_STATEMENT_CHARS else ""
        if clause_mood is None:
            return
        stands_alone = clause_mood.standing and (last is None or last.standing)
        if continues and not (at_once or stands_alone):
            clause_mood = clause_mood._replace(points=True)
        if clause_mood.points and last is not None:
            text = last.text.removesuffix(stem) + joined
            self.statements[-1] = _extended(last, clause_mood, text, apart=not continues)
        else:
            text = (joined if clause_mood.points else sentence[clause_mood.start :]).rstrip(_TRAILING_CHARS)
            standing = clause_mood.standing and not clause_mood.points
            alone = position == "first" or words.keeps.search(reading) is not None
            self.statements.append(UserStatement(clause_mood.kind, text, standing, alone))
        if at_once:
            self.statements[-1] = replace(self.statements[-1], standing=True, alone=True)
            self._to_remember.add(self.statements[-1].text)

    def without_task(self) -> list[UserStatement]:
        """Return the statements; those of a task are not `alone`, unless the user asked to remember them."""

        def is_of_task(text: str) -> bool:
            return text not in self._to_remember and words_of(text).keeps.search(text.lower()) is None

        return [
            replace(statement, alone=False) if is_of_task(statement.text) else statement
            for statement in self.statements
        ]


def _positions_to_keep(clauses: Sequence[PlacedClause]) -> dict[int, bool]:
    """Return the positions of the clauses that a message probably asks to keep.

    The value is True if the message is so likely to ask that the clauses become memories at once.
    """
    short = [clause for clause in clauses if len(clause.text) <= MAX_STATEMENT_CHARS]
    probability_of_asking = asks_to_keep(clauses) if short else 0.0
    if probability_of_asking < P_ASKS_CANDIDATE:
        return {}
    likely = {clause.position: probability_to_keep(clause) for clause in short}
    least = min(_P_CLAUSE_KEPT, max(likely.values()))
    surely = probability_of_asking >= P_ASKS_MEMORY
    return {position: surely for position, probability in likely.items() if probability >= least}


def _mood_of(clause: PlacedClause, to_keep: Mapping[int, bool], reading: str, words: LanguageWords) -> Mood | None:
    """Return a clause's mood by rules or, if the user asks to keep it, its mood as a standing or durable clause."""
    if clause.position not in to_keep or is_task_with_text(reading, words):
        return clause.mood
    if not to_keep[clause.position]:
        return clause.mood or if_durable(reading, words)
    clause_mood, by_rule = as_standing(reading, words), clause.mood is not None and clause.mood.standing
    return clause_mood._replace(points=clause_mood.points or (clause.position - 1 in to_keep and not by_rule))


def _mood_or_estimate(by_rule: Mood | None, clause: PlacedClause, reading: str, words: LanguageWords) -> Mood | None:
    """Return a clause's mood by rules or, where they say nothing, by the estimate of how durable it is."""
    if len(clause.text) > MAX_STATEMENT_CHARS or (by_rule is not None and by_rule.kind != "mention"):
        return by_rule
    likely = durability(clause, reading, words)
    lasting = if_durable(reading, words, surely=likely >= P_LASTS_SHOWN) if likely >= P_LASTS_CANDIDATE else None
    return lasting or by_rule


def _extended(last: UserStatement, clause_mood: Mood, text: str, *, apart: bool) -> UserStatement:
    """Return a statement joined with the clause that refers to it, unless both together are too long."""
    whole, standing = text.rstrip(_TRAILING_CHARS), last.standing or clause_mood.standing
    if len(whole) > MAX_STATEMENT_CHARS:
        return last
    kind = clause_mood.kind if last.kind == "mention" else last.kind
    return replace(last, kind=kind, text=whole, standing=standing, alone=last.alone and (standing or apart))


def _sentences(text: str) -> Iterator[_Clause]:
    """Yield the user's clauses, up to a paste, with reading, language's words and place in the sentence.

    A clause continues the one before it, unless that is a task or about this moment.
    """
    for passage in passages(text):
        meant = (whole for whole in split_sentences(passage) if not _PATTERNS["jokes"].search(whole))
        clauses = (numbered_clause for whole in meant for numbered_clause in enumerate(_clauses(whole)))
        passing = False
        for number, sentence in clauses:
            reading = fold_accents(read_sentence(sentence).reading)
            words = words_of(reading)
            if words.pastes.search(reading):
                return
            if not _WRITTEN_BY_PROGRAM.search(sentence):
                yield sentence, reading, words, "first" if number == 0 else "apart" if passing else "continues"
            passing = asks_for_work(reading, words) or words.passing(reading)


def _clauses(sentence: str) -> list[str]:
    """Split a sentence at semicolons, and before a request to remember the rest: "…, remember that please"."""
    for gap in _GAP_NEAR_END.finditer(sentence):
        whole, tail = sentence[: gap.start()], sentence[gap.end() :]
        joined = not gap[0].strip() and (_PATTERNS["unfinished"].search(whole) or _PATTERNS["bare"].match(tail))
        if not joined and _PATTERNS["recalls"].match(tail):
            return [*_clauses(whole), tail]
    return _SEMICOLON.split(sentence)


def _joined(previous: str, sentence: str) -> str:
    """Join a sentence to the sentence that it refers to; "" if there is none."""
    if not previous or previous.endswith(("?", ":", "？")):
        return ""
    return f"{previous}{'' if previous.endswith(_UNSPACED_ENDS) else ' '}{sentence}"


def _plain_words(text: str) -> str:
    return " ".join(_WORDS.findall(text.lower()))
