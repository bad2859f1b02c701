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
    items = _items(said)
    if choice := _CHOICE.match(text.strip()):
        return _chosen(choice["key"].lower(), said, items), ""
    found: list[Answer] = []
    kept: list[str] = []
    for line in (_INLINE.sub("\n", text) if items else text).split("\n"):
        item = _ITEM.match(line)
        asked = _questions(items.get(item["key"].lower(), [])) if item else []
        given = item["text"].split("; ") if item and len(asked) > 1 else [item["text"]] if item else []
        if asked and len(asked) == len(given):
            found += (each for pair in zip(asked, given, strict=True) for each in _answer(*pair))
        elif not (item and _AFFIRMS.match(item["text"])):
            kept.append(line)
    return found, "\n".join(kept)


def _items(said: str) -> dict[str, list[str]]:
    """The numbered items of a text, each with the lines that hang on it."""
    items: dict[str, list[str]] = {}
    lines: list[str] = []
    for line in said.split("\n"):
        if item := _ITEM.match(line):
            lines = items[item["key"].lower()] = [item["text"].strip()]
        elif line.startswith("#"):
            lines = []
        elif line.strip():
            lines.append(line)
    return items


def _chosen(key: str, said: str, items: dict[str, list[str]]) -> list[Answer]:
    first = _ITEM.search(said)
    head = said[: first.start()] if first and key in items else said
    asked = _questions([*head[-600:].split("\n"), *said[-400:].split("\n")])
    if not asked:
        return []
    option = items.get(key, [""])[0]
    if not option and key in ("1", "2", "a", "b") and (either := _EITHER.search(asked[-1])):
        option = either["a" if key in ("1", "a") else "b"]
    return [] if option.endswith("?") else _answer(asked[-1], _CUT.split(option, maxsplit=1)[0])


def _answer(question: str, answer: str) -> list[Answer]:
    """The two together, unless one is missing or the question only asks what to do next."""
    answer, asks = answer.strip(" .;"), question.lower()
    if _CHOICE.match(answer) or not 1 < len(answer) <= _LONGEST or words_of(asks).proceeds.search(asks):
        return []
    return [Answer(question, answer if answer.endswith(("!", "。")) else f"{answer}.")]


def _questions(lines: list[str]) -> list[str]:
    """The last question of each line that asks."""
    found: list[str] = []
    for line in lines:
        asked = [each for each in split_sentences(" ".join(line.split())) if each.endswith(("?", "？"))]
        if asked and len(asked[-1]) <= _LONGEST:
            found.append(asked[-1].lstrip("-*•> "))
    return found
