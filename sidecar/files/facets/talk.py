"""The signs that a sentence is talk about the work at hand, a guess or a question, not a durable statement.

A rule of use ("call `x` only after `y`") has the form of an order, but states a condition, limit, denial or reason.
Each pattern is matched against the normalised sentence (`sidecar.text.sentences.read_sentence`) in linear time.
"""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Final, Literal

from sidecar.text.lazy_patterns import lazy

TalkReason = Literal["task", "notDurable", "question", "noise"]


def _any_phrase(text: str) -> re.Pattern[str]:
    """Compile phrases, separated by ` | ` or line ends, into a pattern for whole words."""
    phrases = [phrase.strip() for line in text.strip().splitlines() for phrase in line.split(" | ")]
    return lazy(r"(?<![\w'-])(?:" + "|".join(phrases) + r")(?![\w'-])")


_TABLE: Final = tomllib.loads((Path(__file__).parent / "talk.toml").read_text(encoding="utf-8"))
_PHRASES: Final = _TABLE["phrases"]
_PATTERNS: Final = {name: "".join(pieces) for name, pieces in _TABLE["patterns"].items()}
RULE: Final = _any_phrase(_PHRASES["rule"])
_ABOUT_SPEAKER: Final = _any_phrase(_PHRASES["self"])
_ABOUT_MOMENT: Final = _any_phrase(_PHRASES["time"])
_GUESSING: Final = _any_phrase(_PHRASES["guess"])
_WISHING: Final = _any_phrase(_PHRASES["wish"])
_QUESTION: Final = lazy(_PATTERNS["question"])
_OPENS_WORK: Final = lazy(_PATTERNS["opens_work"])
_DANGLING: Final = lazy(_PATTERNS["dangling"])
_GIVES_ORDER: Final = lazy(_PATTERNS["order"])
_PRAISING: Final = lazy(_PATTERNS["praise"])
_PLACE_IN_FILES: Final = lazy(r"(?<![\w.])/(?:users|home|root|tmp|private|workspace)/\w|\.[a-z]{1,4}:~?\d")
_UPKEEP_VERB: Final = lazy(r"(?:keep|leave|use|pass|call|bump|treat|raise|regenerate)\b")


def refusal(reading: str, *, first: bool) -> TalkReason | None:
    """Return why a sentence is no durable statement or rule; None if it is one.

    `first`: no sentence comes before it that a pronoun could refer to.
    """
    body = reading.strip().lstrip("*-•> ")
    rule = is_rule(body)
    if body.rstrip("\"'”’)]*_ ").endswith(("?", "？")) or _QUESTION.match(body):
        return "question"
    if _ABOUT_SPEAKER.search(body) or _OPENS_WORK.match(body) or body.endswith("!"):
        return "task"
    if _ABOUT_MOMENT.search(body) or _GUESSING.search(body) or _PLACE_IN_FILES.search(body):
        return "notDurable"
    if body.endswith((":", ",", ";", "...", "…")) or (first and _DANGLING.match(body)):
        return "noise"
    if not rule and (_GIVES_ORDER.match(body) or _PRAISING.search(body)):
        return "task"
    if not rule and (wish := _WISHING.search(body)):
        return "task" if wish[0].startswith(("should", "ought", "need")) else "notDurable"
    return None


def is_rule(reading: str) -> bool:
    """Return whether a text says how to use something, or states a condition or reason."""
    return RULE.search(reading) is not None or _UPKEEP_VERB.match(reading.lstrip("*-•> ")) is not None
