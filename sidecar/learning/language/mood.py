"""Classify a sentence by its mood: a command that holds from now on, a rule, a wish, a fact, a decision, or talk."""

from __future__ import annotations

import re
from typing import Final, Literal, NamedTuple

from sidecar.learning.language.words import LanguageWords

StatementKind = Literal["preference", "rule", "decision", "fact", "mention"]
"""`mention`: it may outlive its task but does not say so; nobody is shown it before another session says it too."""

_ENDS_ASKING: Final = re.compile(r"[?？؟][\"'”’)\]*_:;D\s]*$")
_EXPLAINING_CLAUSE: Final = re.compile(r", (?:we|i|it|because|since|otherwise|as|so)(?:’\w+)? ")
_WORD: Final = re.compile(r"[\u4e00-\u9fff]|[^\W_\u4e00-\u9fff]+(?:’\w+)?")
_ENDS_WITH_ALWAYS: Final = re.compile(r"\W+(always|immer|toujours|siempre|sempre)(?: (?:please|pls|bitte))?[\s.!]*$")
_LASTING_WORD: Final = re.compile(
    r"\b(?:always|never|every\w*|each|anything|anywhere|as a rule|in (?:this|our) (?:repo\w*|project|code ?base)|"
    r"immer|nie|niemals|jede\w*|"
    r"toujours|jamais|chaque|siempre|nunca|cada|sempre)\b|每|总是|始终|必ず|常に|いつも|毎回|今後|ずっと"
)
_OBLIGING_WORD: Final = re.compile(
    r"\b(?:must|should|needs?|ha(?:ve|s) to|soll\w*|muss|müssen|debe\w*|doi(?:t|vent)|deve\w*)\b"
)
_LAST_WORD: Final = re.compile(r"\w+$")
_TEXT_OF_TASK: Final = re.compile(r"(?!.*\b(?:this|that|it|rules?|memory|down|notes?)[:：])[^:：]+[:：]\s")
"""A task, then a text that it is about: "Write a sign for the kitchen: ..."."""
MIN_WORDS: Final = 2  # a shorter clause says nothing


class Mood(NamedTuple):
    """What kind of statement a sentence makes."""

    kind: StatementKind
    standing: bool  # a command that holds from now on
    points: bool  # makes no sense without the sentence before it
    start: int  # where it begins, after openings that are skipped


def mood(reading: str, words: LanguageWords) -> Mood | None:
    """Return the mood that rules tell.

    Return None for a question, a request for work, and a sentence that only an estimate can judge.
    """
    start, body = _body(reading, words)
    if _ENDS_ASKING.search(reading) or words.asks.match(body) or words.requests.match(body):
        return None
    if len(_WORD.findall(body)) < MIN_WORDS:
        return None
    if kind := _standing(body, words):
        return Mood(kind, True, _points(body.split(", ")[0] if _EXPLAINING_CLAUSE.search(body) else body, words), start)
    if words.passing(body):
        return None
    if words.marks.search(body) or (words.facts.match(body) and not _OBLIGING_WORD.search(body)):
        kind = "rule" if words.marks.search(body) else "fact"
        return Mood(kind, False, _points(body, words), start)
    wishes = any(pattern.match(body) for pattern in (words.forbids, words.orders, words.wants))
    return if_durable(reading, words) if wishes else None


def _body(reading: str, words: LanguageWords) -> tuple[int, str]:
    """Return where a sentence begins after skipped openings, and its reading from there."""
    start = match.end() if (match := words.passed.match(reading)) else 0
    return start, reading[start:]


def _points(body: str, words: LanguageWords) -> bool:
    return bool(words.points.match(body) or words.pointing.match(body))


def _command_kind(body: str, words: LanguageWords) -> StatementKind:
    return "preference" if words.personal.search(body) else "rule"


def if_durable(reading: str, words: LanguageWords, *, surely: bool = False) -> Mood | None:
    """Return the mood of a sentence that an estimate judges to outlive its task; None for a question."""
    start, body = _body(reading, words)
    if _ENDS_ASKING.search(reading) or words.asks.match(body) or len(_WORD.findall(body)) < MIN_WORDS:
        return None
    kind = _command_kind(body, words) if surely or _LASTING_WORD.search(body) else "mention"
    return Mood(kind, False, _points(body, words), start)


def is_task_with_text(reading: str, words: LanguageWords) -> bool:
    """Return whether a sentence sets a task and gives the text for it: "Write a sign: ..."."""
    _, body = _body(reading, words)
    return words.task.match(body) is not None and _TEXT_OF_TASK.match(body) is not None


def as_standing(reading: str, words: LanguageWords) -> Mood:
    """Return the mood of a sentence that the user asks to keep, whatever the rules tell."""
    start, body = _body(reading, words)
    return Mood(_command_kind(body, words), True, _points(body, words), start)


def asks_for_work(reading: str, words: LanguageWords) -> bool:
    _, body = _body(reading, words)
    if words.requests.match(body):
        return True
    return words.task.match(body) is not None and len(_WORD.findall(body)) >= MIN_WORDS


def _standing(body: str, words: LanguageWords) -> StatementKind | None:
    if words.doubts.search(body):
        return None
    kind = _command_kind(body, words)
    if _ENDS_WITH_ALWAYS.search(body):  # "open pull requests against main, always"
        commands = any(pattern.match(body) for pattern in (words.forbids, words.orders, words.task, words.methods))
        return kind if commands and not words.moment.search(body) and not words.product.search(body) else None
    for expression in (words.always, words.standing):
        if match := expression.match(body):
            if expression is words.always and not _is_work(match[0], words):
                return None
            last = _LAST_WORD.search(match[0])  # the rest may limit it: "from now on until Friday"
            moments = words.moment.finditer(body, last.start() if last else match.end())
            passes = any(expression is words.always or moment[0] not in ("now", "jetzt") for moment in moments)
            return None if passes else kind
    commanding = (words.forbids, words.orders, words.task, words.wants, words.methods)
    commands = any(pattern.match(body) for pattern in commanding)
    lasts = words.lasting.search(body) or words.keeps.search(body)
    if lasts and words.task.match(body) and _TEXT_OF_TASK.match(body[: lasts.start()]):
        return None
    if commands and lasts and not words.moment.search(body):
        return kind
    return None


def _is_work(command: str, words: LanguageWords) -> bool:
    """Return whether the verb at a command's end is about how to work rather than about what the product does."""
    verb = _LAST_WORD.search(command)
    return words.works is None or (verb is not None and words.works.match(verb[0]) is not None)
