"""Answers to numbered questions and options: "1" or "2. weekly" says nothing without what it answers."""

from __future__ import annotations

import re
from typing import Final

from sidecar.text.lazy_patterns import lazy

_TAIL: Final = 6_000  # characters of the agent's words that a question is looked for in
_KEY: Final = r"(?P<key>\d{1,2}|[a-h])"
_ITEM: Final = lazy(
    rf"^[ \t>]*(?:[-*+•]\s+)?\**(?:(?:option|question|q)\s*)?\(?{_KEY}(?:[.):]|\s[–—-])\**\s+\S",
    re.IGNORECASE | re.MULTILINE,
)
_CHOICE: Final = lazy(
    r"(?:(?:ok(?:ay)?|yes|yeah|yep|sure|well)[,.!]?\s+)?"
    r"(?:(?:let'?s |i'?d |we |i )?(?:go with|going with|go for|do|use|choose|pick|take|prefer|like|vote for)\s+)?"
    rf"(?:the\s+)?(?:(?:option|number|choice|variant|no\.?|opción|nummer|opção|选项?|方案)\s*)?#?{_KEY}"
    r"(?:\s*(?:please|pls|is (?:fine|good)|seems good|sounds good))?[\s.!]*$",
    re.IGNORECASE,
)
_INLINE: Final = lazy(r"(?<=\S)[ \t,;]+(?=\d{1,2}[.)]\s)")
_AFFIRMS: Final = lazy(
    r"[ \t>]*\S{1,4}\s+(?:yes|yeah|yep|no|nope|ok(?:ay)?|agreed|correct|sure|both|neither"
    r"|ja|nein|sí|oui|non|sim|não|是|不)\b",
    re.IGNORECASE,
)


def without_answers(text: str, before: str) -> str:
    """A message without the choices in it, and the items whose number or letter the agent had used."""
    if _CHOICE.match(text.strip()):
        return ""
    asked = {item["key"].lower() for item in _ITEM.finditer(before[-_TAIL:].replace("**", ""))}

    def answers(line: str) -> bool:
        item = _ITEM.match(line)
        return item is not None and (item["key"].lower() in asked or _AFFIRMS.match(line) is not None)

    lines = (_INLINE.sub("\n", text) if asked else text).split("\n")
    return "\n".join(line for line in lines if not answers(line))
