"""Find the tags of HTML, in linear time on any text.

The standard library's HTMLParser (3.11) needs quadratic time on unclosed markup; here every search is bounded or made
once.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from html import unescape

_TAG_CHARS = 20_000
_NAME = re.compile(r"(/?)([A-Za-z_.][\w:.-]{0,100})")
_VALUE = r"""("[^"]*"|'[^']*'|\{(?:[^{}]|\{[^{}]{0,200}+\}){0,400}+\}|[^\s>"']{1,4000})"""
_ATTRIBUTE = re.compile(rf"""\s*([^\s=>"'/<]{{1,200}})(?:\s{{0,50}}=\s{{0,50}}{_VALUE})?|[\s/]|(>)|(.)""", re.S)
_RAW = frozenset({"script", "style", "textarea", "title", "template-raw"})


@dataclass(frozen=True)
class Tag:
    """A tag; `text` is the text between it and the next tag (raw for script, style, title)."""

    name: str
    attributes: dict[str, str]
    closing: bool
    empty: bool
    start: int
    text: str


def tags(text: str) -> Iterator[Tag]:
    """Yield every tag in order. Comments, doctypes, CDATA and processing instructions are skipped."""
    position = text.find("<")
    ends: dict[str, bool] = {}
    while position >= 0:
        skip = _skipped(text, position, ends)
        if skip:
            position = text.find("<", skip) if skip > 0 else -1
            continue
        name = _NAME.match(text, position + 1)
        if name is None:
            position = text.find("<", position + 1)
            continue
        start = position
        attributes, end, empty = _attributes(text, name.end())
        label = name[2].lower()
        closing = bool(name[1])
        following = text.find("<", end)
        if not closing and label in _RAW and ends.get(label, True):
            close = re.compile(f"</{label}", re.I).search(text, end)
            ends[label] = close is not None
            following = close.start() if close else following
        inner = text[end : following if following >= 0 else len(text)][:2000]
        yield Tag(label, attributes, closing, empty, start, inner)
        position = following


def _skipped(text: str, position: int, ends: dict[str, bool]) -> int:
    """Return the offset after a comment or declaration at `position`; 0 if none is there, -1 at the text's end."""
    for opening, closing in (("<!--", "-->"), ("<![CDATA[", "]]>"), ("<?", "?>"), ("<!", ">")):
        if text.startswith(opening, position):
            if not ends.get(opening, True):
                return position + len(opening)
            end = text.find(closing, position + len(opening))
            ends[opening] = end >= 0
            return end + len(closing) if end >= 0 else position + len(opening)
    return 0


def _attributes(text: str, position: int) -> tuple[dict[str, str], int, bool]:
    """Return the attributes from `position` on, the offset after the tag, and whether it ends in `/>`."""
    limit = min(len(text), position + _TAG_CHARS)
    found: dict[str, str] = {}
    at = position
    while at < limit:
        match = _ATTRIBUTE.match(text, at, limit)
        if match is None:
            break
        if match[3]:
            return found, match.end(), text[match.start(3) - 1] == "/"
        if match[4] == "<":
            return found, at, False
        if match[1]:
            value = match[2] or ""
            value = value[1:-1] if value[:1] in ("'", '"') else value
            found.setdefault(match[1].lower(), unescape(value) if len(value) < 2000 else "")
        at = match.end()
    return found, at, False
