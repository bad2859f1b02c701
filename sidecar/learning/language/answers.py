"""Answers to numbered questions and options, put together with what they answer.

"1" or "go with B" says nothing by itself. An answer whose question is not found in the agent's words is left out of
what is read further, and so says nothing.
"""

from __future__ import annotations

import re
from typing import Final, NamedTuple

from sidecar.learning.language.words import words_of
from sidecar.patterns import lazy
from sidecar.text.sentences import split_sentences

_TAIL: Final = 6_000  # characters of the agent's words that a question is looked for in
_LONGEST: Final = 140
_ITEM: Final = lazy(
    r"^[ \t>]*(?:[-*+•]\s+)?\**(?:(?:option|question|q)\s*)?\(?"
    r"(?P<key>\d{1,2}|[a-h])(?:[.):]|\s[–—-])\**\s+(?P<text>\S.*)$",
    re.IGNORECASE | re.MULTILINE,
)
_CHOICE: Final = lazy(
    r"(?:(?:ok(?:ay)?|yes|yeah|yep|sure|well)[,.!]?\s+)?"
    r"(?:(?:let'?s |i'?d |we |i )?(?:go with|going with|go for|do|use|choose|pick|take|prefer|like|vote for)\s+)?"
    r"(?:the\s+)?"
    r"(?:(?:option|number|choice|variant|no\.?|opción|nummer|opção|选项?|方案)\s*)?#?"
    r"(?P<key>\d{1,2}|[a-h])(?:\s*(?:please|pls|is (?:fine|good)|seems good|sounds good))?[\s.!]*$",
    re.IGNORECASE,
)
_EITHER: Final = lazy(r"(?P<a>[\w.+#/`-]+) or (?P<b>[\w.+#/`-]+)[^?]{0,40}\?")
_INLINE: Final = lazy(r"(?<=\S)[ \t,;]+(?=\d{1,2}[.)]\s)")
_CUT: Final = lazy(r"\s[–—-]\s|:\s|;\s|\.\s|\s\(")
_MARKS: Final = lazy(r"[*`_]{1,3}")
_AFFIRMS: Final = lazy(
    r"(?:yes|yeah|yep|no|nope|ok(?:ay)?|agreed|correct|sure|both|neither|ja|nein|sí|oui|non|sim|não|是|不)\b",
    re.IGNORECASE,
)


class Answer(NamedTuple):
    """A question as the agent asked it, and what the user answered."""

    question: str
    answer: str


def answers(text: str, before: str) -> tuple[list[Answer], str]:
    """The answers in a message that name their question by number or letter, and the message without them."""
    said = _MARKS.sub("", before[-_TAIL:])
    items = {found["key"].lower(): found["text"].strip() for found in _ITEM.finditer(said)}
    if choice := _CHOICE.match(text.strip()):
        return _chosen(choice["key"].lower(), said, items), ""
    found: list[Answer] = []
    kept: list[str] = []
    for line in _INLINE.sub("\n", text).split("\n") if items else text.split("\n"):
        item = _ITEM.match(line)
        asked = _question(items.get(item["key"].lower(), "")) if item else ""
        if item and asked:
            found += _answer(asked, item["text"])
        elif not (item and _AFFIRMS.match(item["text"])):
            kept.append(line)
    return found, "\n".join(kept)


def _chosen(key: str, said: str, items: dict[str, str]) -> list[Answer]:
    head = said
    option = items.get(key, "")
    if option.endswith("?"):
        return []
    if option and (first := _ITEM.search(said)):
        head = said[: first.start()]
    question = _question(said[-400:]) or _question(head[-600:])
    if not option and key in ("1", "2", "a", "b") and (either := _EITHER.search(question)):
        option = either["a" if key in ("1", "a") else "b"]
    option = _CUT.split(option, maxsplit=1)[0].strip(" .")
    return _answer(question, option)


def _answer(question: str, answer: str) -> list[Answer]:
    """The two together, unless one is missing or the question only asks what to do next."""
    answer, asks = answer.strip(), question.lower()
    if not question or len(answer) < 2 or len(answer) > _LONGEST or words_of(asks).proceeds.search(asks):
        return []
    return [Answer(question, answer if answer.endswith((".", "!", "。")) else f"{answer}.")]


def _question(text: str) -> str:
    """The last question of a text."""
    for line in reversed(text.split("\n")):
        asked = [each for each in split_sentences(" ".join(line.split())) if each.endswith(("?", "？"))]
        if asked and len(asked[-1]) <= _LONGEST:
            return asked[-1].lstrip("-*•> ")
    return ""
