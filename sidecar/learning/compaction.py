"""Read the memories that a compaction summary proposes under the heading "Memory Candidates"."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from sidecar.store.vocabulary import CATEGORIES, SCOPES, TYPES
from sidecar.text.lazy_patterns import lazy

RULE: Final = "compaction"
MAX_PROPOSALS: Final = 50  # of one summary

_HEADING: Final = lazy(r"^\s{0,3}(?P<level>#{1,6})\s*(?P<title>.*?)\s*#*\s*$")
_BOLD_HEADING: Final = lazy(r"^\s{0,3}(?:\*\*|__)(?P<title>[^*_]+)(?:\*\*|__):?\s*$")
_TITLE: Final = lazy(r"^(?:\d+[.)]\s*)?\W*memory candidates?\b\W*(?:\([^)]*\))?\W*$", re.IGNORECASE)
_ITEM: Final = lazy(r"^\s{0,3}(?:[-*+•]|\d+[.)])\s+(?P<text>.*\S)\s*$")
_NAMED_ITEM: Final = lazy(
    r"^(?:\*\*|__)(?P<name>[^*]+?)(?P<stop>[:.]?)(?:\*\*|__)\s*"
    r"(?:[(\[](?P<about>[^)\]]{1,60})[)\]])?\s*(?P<colon>[:–—-]?)\s*(?P<text>.*)$",
    re.DOTALL,
)
_FENCE: Final = lazy(r"^\s{0,3}(?:```|~~~)")
# No "directive": directives lead every block, and only a person may give them.
_CATEGORIES: Final = tuple(category for category in CATEGORIES if category != "directive")
_OLD_TYPES: Final = {"preference": "user", "correction": "feedback", "error-solution": "feedback"}
_NO_CANDIDATES: Final = lazy(r"^\W*(?:none|nothing|n/?a|no (?:new )?(?:memory )?candidates?)\b[^.]{0,40}\W*$", re.I)
_PLACEHOLDERS: Final = frozenset({"text", "name", "description", "...", "…"})


@dataclass(frozen=True, slots=True)
class ProposedMemory:
    """A proposed memory."""

    name: str | None
    text: str
    type: str
    scope: str | None  # None: the default of the type
    category: str | None


def proposals(summary: str) -> list[ProposedMemory]:
    """Return the first `MAX_PROPOSALS` proposals of a summary."""
    every = [_proposed_memory(item) for item in _items(summary)]
    return [proposal for proposal in every if proposal is not None][:MAX_PROPOSALS]


def _items(summary: str) -> list[str]:
    items: list[str] = []
    level = 0  # of the section's heading; 0 outside the section
    fenced = False
    for line in summary.splitlines():
        if _FENCE.match(line):
            fenced = not fenced
            continue
        if fenced:
            continue
        heading = _HEADING.match(line)
        bold = _BOLD_HEADING.match(line) if heading is None else None
        if heading or bold:
            title = (heading or bold)["title"]  # type: ignore[index]
            depth = len(heading["level"]) if heading else 7
            if _TITLE.match(title.strip("*_ ")):
                level = depth
            elif level and depth <= level:
                level = 0
            continue
        if not level:
            continue
        if item := _ITEM.match(line):
            items.append(item["text"])
        elif items and line.strip() and line[0].isspace():
            items[-1] += f" {line.strip()}"
    return items


def _proposed_memory(item: str) -> ProposedMemory | None:
    named = _NAMED_ITEM.match(item)
    if named is None:
        text, name, about = item.strip(), None, ""
        if text.startswith("**") or _NO_CANDIDATES.match(text):
            return None
    else:
        text, about = named["text"].strip(), named["about"] or ""
        name = " ".join(named["name"].split()).strip(" *_") or None
    if not re.search(r"\w{2}.*\w{2}", text) or text.lower().strip(" .") in _PLACEHOLDERS or _NO_CANDIDATES.match(text):
        return None
    words = re.findall(r"[a-z][a-z-]*", about.lower())
    if words[:2] == ["type", "scope"]:
        return None  # the format's own example, not an item
    type, scope, category = _about(words)
    return ProposedMemory(name if name is None or len(name) <= 200 else None, text, type, scope, category)


def _about(words: list[str]) -> tuple[str, str | None, str | None]:
    words = [word for word in words if word not in ("type", "scope", "category")]
    type = next((word for word in words if word in TYPES), None)
    rest = list(words)
    if type is not None:
        rest.remove(type)
    scope = next((word for word in rest if word in SCOPES), None)
    category = next((word for word in words if word in _CATEGORIES), None)
    if type is None:
        type = next((_OLD_TYPES[word] for word in words if word in _OLD_TYPES), "project")
    return type, scope, category
