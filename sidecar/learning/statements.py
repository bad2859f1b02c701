"""Find statements in a user's message that outlive the task: rules, wishes, corrections, decisions, facts.

Pasted, quoted and rendered text, others' mail and chat and echoes of the agent state nothing. Deterministic, and linear
in the text's length.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import islice, takewhile
from pathlib import Path
from typing import Final, Literal

from sidecar.learning.clause_estimates import PlacedClause, asks_to_keep, kept
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

_FORMS: Final = patterns(Path(__file__), "statements")
_TAIL: Final = 6_000  # characters of the agent's words that are searched for a question
_KEY: Final = r"(?P<key>\d{1,2}|[a-h])"
_ITEM: Final = lazy(
    rf"^[ \t>]*(?:[-*+•]\s+)?\**(?:(?:option|question|q)\s*)?\(?{_KEY}(?:[.):]|\s[–—-])\**\s+(?P<text>\S.*)",
    re.IGNORECASE | re.MULTILINE,
)
_MAX_ANSWER: Final = 140  # characters; a longer one states something by itself
_INLINE: Final = lazy(r"(?<=\S)[ \t,;]+(?=\d{1,2}[.)]\s)")
MAX_STATEMENT: Final = 300  # characters of a sentence that is stored as it is
LIKELY: Final = 0.1
"""The probability of lasting that makes a candidate of a sentence, shown once another session says it too."""
SURELY: Final = 0.25  # the probability that shows the candidate at once
TO_KEEP: Final = 0.64
"""The probability of asking to keep something that makes a memory of a message's clauses at once.

Nothing of these was in the fit: of 480 real messages three reach it, one of which asks; of 64 messages that ask in free
words 35 do, and two of 66 that only sound like it.
"""
MAY_KEEP: Final = 0.3  # the probability that makes candidates of them
_MIN_KEPT: Final = 0.5  # the probability above which a clause is kept beside the likeliest
MAX_STATEMENTS: Final = {"standing": 5, "said": 8}  # a message with more is a specification: the first ones are kept
MAX_SENTENCES: Final = 400  # of a message
_LONG: Final = 2_500  # characters of prose that nobody says in one go
_MANY_ITEMS: Final = 12  # of a list that nobody types in passing
_HEADINGS: Final = lazy(r"^[ ]{0,3}#{1,6}\s+\S", re.MULTILINE)
_LIST_ITEMS: Final = lazy(r"^[ \t]*(?:[-*+•]|\d{1,3}[.)])[ \t]", re.MULTILINE)
# What programs and documents write and people do not type to an agent, and what looks like a password.
_SET: Final = lazy(
    r"[—→←⇒≥≤≈§•✓✔✅❌⚠]|^[-\[<{]|<\w[^>]*>|\b[A-Z]\w*(?:Error|Exception)\b|(?<![\w/.])(?=\w*[a-z])(?=\w*[A-Z])(?=\w*\d)\w{10,}"
)
_MIN_TASK: Final = 250  # characters beside a rule that make a message a brief
_WORDS: Final = lazy(r"\w+")
_GAPS: Final = lazy(r"(?<=[^\s,;–-])[\s,;–-]+(?=\S+(?:\s+\S+){0,6}\Z)")
_SEMICOLON: Final = lazy(r"(?<=;)\s+")
_TRAILING: Final = " ,;"
_UNSPACED_ENDS: Final = ("。", "！", "？")


_Clause = tuple[str, str, LanguageWords, Literal["first", "apart", "continues"]]
"""A clause, its reading, its language's words, and its place in the sentence."""


def split_answers(text: str, before: str) -> tuple[str, list[str]]:
    """Return a message without its choices and answers to numbered items, and the answers that say something.

    Each answer follows the question that the agent asked, without which it would say nothing.
    """
    if _FORMS["choice"].match(text.strip()):
        return "", []
    items = {item["key"].lower(): item["text"] for item in _ITEM.finditer(before[-_TAIL:].replace("**", ""))}
    rest: list[str] = []
    answered: list[str] = []
    for line in (_INLINE.sub("\n", text) if items else text).split("\n"):
        item = _ITEM.match(line)
        question = items.get(item["key"].lower()) if item else None
        affirms = item is not None and _FORMS["affirms"].match(line) is not None
        if item is None or (question is None and not affirms):
            rest.append(line)
        elif question is not None and not affirms and _is_answer(question, item["text"]):
            answered.append(f"{question.strip()} {item['text'].strip()}")
    return "\n".join(rest), answered


def _is_answer(question: str, answer: str) -> bool:
    """Return whether an answer and its question state something that is not about what to do next."""
    asks = question.rstrip().endswith(("?", "？")) and not _FORMS["proceeds"].search(question)
    short = len(answer) <= _MAX_ANSWER and not answer.rstrip().endswith("?")
    return asks and short and not _FORMS["choice"].match(answer)


@dataclass(frozen=True, slots=True)
class UserStatement:
    """One complete statement in the user's words.

    `standing`: said as holding from now on; `alone`: in a sentence of its own, in a message about little else or that
    asks to remember this.
    """

    kind: StatementKind
    text: str
    standing: bool
    alone: bool = False


def statements(text: str, before: str = "") -> list[UserStatement]:
    """Return what a user's message states, in order; `before` is the end of what the agent had said."""
    own, answered = split_answers(_own_text(text), before)
    document = _is_document(own)
    stated = [UserStatement("decision", answer, standing=False) for answer in answered]
    stated += _stated(_head(own) if document else own, before, len(text))
    allowance = dict(MAX_STATEMENTS)
    chosen: dict[str, UserStatement] = {}
    for statement in stated:
        key = _plain_words(statement.text)
        sort = "standing" if statement.standing else "said"
        whole = key and len(statement.text) <= MAX_STATEMENT and not statement.text.endswith((":", "："))
        if whole and key not in chosen and allowance[sort]:
            allowance[sort] -= 1
            kind = "preference" if _FORMS["private"].search(statement.text) else statement.kind
            chosen[key] = replace(statement, kind=kind, alone=statement.alone and not document)
    return list(chosen.values())


def placed_clauses(text: str, before: str = "") -> list[PlacedClause]:
    """Return the clauses that the user's own words consist of, without answers to numbered questions."""
    own, _ = split_answers(_own_text(text), before)
    return _read_clauses(own, len(text), before)[1]


@lru_cache(maxsize=1)  # a session reads a message's statements and then what the message changes
def _read_clauses(own: str, length: int, before: str) -> tuple[list[_Clause], list[PlacedClause]]:
    """Return the clauses of the user's own words, and the same as the estimates read them."""
    sentences = list(islice(_sentences(own), MAX_SENTENCES))
    asked, texts = before.rstrip().endswith(("?", "？")), [clause for clause, *_ in sentences]
    return sentences, [
        PlacedClause(texts, at, mood(reading, words), change_marks(reading), length, asked)
        if len(clause) <= MAX_STATEMENT
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
    """Return whether a message is a brief, a plan or a pasted document, whose rules are its own and not the user's."""
    return len(text) >= _LONG or len(_LIST_ITEMS.findall(text)) >= _MANY_ITEMS or len(_HEADINGS.findall(text)) >= 2


def _head(document: str) -> str:
    """Return what the user typed before a document: paragraphs of up to two lines, without headings or items."""
    paragraphs = document.strip().split("\n\n")

    def is_typed(text: str) -> bool:
        return text.count("\n") < 2 and not _HEADINGS.search(text) and not _LIST_ITEMS.search(text)

    return "\n\n".join(takewhile(is_typed, paragraphs))


def _stated(text: str, before: str, length: int) -> list[UserStatement]:
    echoes = _plain_words(before)
    stated: list[UserStatement] = []
    recalled: set[str] = set()
    previous = ""
    other = 0  # characters that state no rule
    sentences, placed = _read_clauses(text, length, before)
    to_keep = _to_keep(placed)
    for position, (sentence, reading, words, place) in enumerate(sentences):
        if _FORMS["recalls"].match(sentence):
            _recall(stated, previous, words)
            recalled.update(each.text for each in stated[-1:])
            previous = ""
            continue
        if len(sentence) > 40 and _plain_words(sentence) in echoes:
            previous = ""
            continue
        short = len(sentence) <= MAX_STATEMENT
        is_a = _mood_of(placed[position], to_keep, reading, words)
        at_once = to_keep.get(position, False) and is_a is not None and is_a.standing
        if is_a is None or not is_a.standing:
            other += len(sentence)
        if short and (is_a is None or is_a.kind == "mention"):
            is_a = _if_likely(placed[position], reading, words) or is_a
        joined, stem = _joined(previous, sentence), previous.rstrip(_TRAILING)
        last = stated[-1] if stated and stem and stated[-1].text.endswith(stem) else None
        if at_once and max(len(joined), len(last.text if last else "") + len(sentence)) >= MAX_STATEMENT:
            joined, last = sentence, None  # kept by itself
        continues = place == "continues" and bool(previous)
        alone = is_a is not None and is_a.standing and (last is None or last.standing)
        if is_a is not None and continues and not (at_once or alone):
            is_a = is_a._replace(points=True)
        if is_a is not None and is_a.points and last is not None:
            stated[-1] = _extended(last, is_a, last.text.removesuffix(stem) + joined, apart=not continues)
        elif is_a is not None:
            own_text = (joined if is_a.points else sentence[is_a.start :]).rstrip(_TRAILING)
            alone = place == "first" or words.keeps.search(reading) is not None
            stated.append(UserStatement(is_a.kind, own_text, is_a.standing and not is_a.points, alone))
        if at_once and stated:
            stated[-1] = replace(stated[-1], standing=True, alone=True)
            recalled.add(stated[-1].text)
        previous = sentence if short else ""

    def is_of_task(text: str) -> bool:
        """Return whether what a statement says belongs to the task that the message is about."""
        return other >= _MIN_TASK and text not in recalled and words_of(text).keeps.search(text.lower()) is None

    return [replace(each, alone=False) if is_of_task(each.text) else each for each in stated]


def _to_keep(clauses: Sequence[PlacedClause]) -> dict[int, bool]:
    """Return the positions of what a message probably asks to keep, and whether that makes memories at once."""
    short = [clause for clause in clauses if len(clause.text) <= MAX_STATEMENT]
    asked = asks_to_keep(clauses) if short else 0.0
    if asked < MAY_KEEP:
        return {}
    likely = {clause.position: kept(clause) for clause in short}
    least = min(_MIN_KEPT, max(likely.values()))
    return {position: asked >= TO_KEEP for position, probability in likely.items() if probability >= least}


def _mood_of(clause: PlacedClause, to_keep: Mapping[int, bool], reading: str, words: LanguageWords) -> Mood | None:
    """Return a clause's mood by rules or, if the user asks to keep the clause, as standing or durable."""
    if clause.position not in to_keep or is_task_with_text(reading, words):
        return clause.mood
    if not to_keep[clause.position]:
        return clause.mood or if_durable(reading, words)
    is_a, by_rule = as_standing(reading, words), clause.mood is not None and clause.mood.standing
    return is_a._replace(points=is_a.points or (clause.position - 1 in to_keep and not by_rule))


def _if_likely(clause: PlacedClause, reading: str, words: LanguageWords) -> Mood | None:
    likely = durability(clause, reading, words)
    return if_durable(reading, words, surely=likely >= SURELY) if likely >= LIKELY else None


def _extended(last: UserStatement, is_a: Mood, text: str, *, apart: bool) -> UserStatement:
    """Return a statement with the clause that points to it, unless both together are too long."""
    whole, standing = text.rstrip(_TRAILING), last.standing or is_a.standing
    if len(whole) > MAX_STATEMENT:
        return last
    kind = is_a.kind if last.kind == "mention" else last.kind
    return replace(last, kind=kind, text=whole, standing=standing, alone=last.alone and (standing or apart))


def _recall(stated: list[UserStatement], said: str, words: LanguageWords) -> None:
    """Make the sentence before a request to keep it a standing statement."""
    stem = said.rstrip(_TRAILING)
    reading = fold_accents(read_sentence(said).reading)
    is_a = if_durable(reading, words)
    if is_a is not None and not is_a.points:
        is_a = mood(reading, words) or is_a
        last = stated.pop() if stated and stem.endswith(stated[-1].text) else None
        kind = "preference" if words.personal.search(f"remember {reading}") else last.kind if last else is_a.kind
        kind = "rule" if kind == "mention" else kind
        stated.append(UserStatement(kind, stem, standing=True, alone=True))


def _sentences(text: str) -> Iterator[_Clause]:
    """Yield the user's clauses up to a paste, with reading, language's words, and their place in the sentence.

    One continues the clause before it unless that is a task or about this moment.
    """
    for passage in passages(text):
        meant = (whole for whole in split_sentences(passage) if not _FORMS["jokes"].search(whole))
        clauses = (numbered_clause for whole in meant for numbered_clause in enumerate(_clauses(whole)))
        passing = False
        for number, sentence in clauses:
            reading = fold_accents(read_sentence(sentence).reading)
            words = words_of(reading)
            if words.pastes.search(reading):
                return
            if not _SET.search(sentence):
                yield sentence, reading, words, "first" if number == 0 else "apart" if passing else "continues"
            passing = asks_for_work(reading, words) or words.passing(reading)


def _clauses(sentence: str) -> list[str]:
    """Split a sentence at semicolons and before a request to remember the rest: "…, remember that please"."""
    for gap in _GAPS.finditer(sentence):
        whole, tail = sentence[: gap.start()], sentence[gap.end() :]
        joined = not gap[0].strip() and (_FORMS["unfinished"].search(whole) or _FORMS["bare"].match(tail))
        if not joined and _FORMS["recalls"].match(tail):
            return [*_clauses(whole), tail]
    return _SEMICOLON.split(sentence)


def _joined(previous: str, sentence: str) -> str:
    """Join a sentence to the one that it points to; "" if there is none."""
    if not previous or previous.endswith(("?", ":", "？")):
        return ""
    return f"{previous}{'' if previous.endswith(_UNSPACED_ENDS) else ' '}{sentence}"


def _plain_words(text: str) -> str:
    return " ".join(_WORDS.findall(text.lower()))
