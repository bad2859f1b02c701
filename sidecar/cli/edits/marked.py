"""A marked paragraph in a hand-written Markdown file."""

from __future__ import annotations

import re

BEGIN = "<!-- memory-sidecar: begin -->"
END = "<!-- memory-sidecar: end -->"
_BLOCK = re.compile(rf"{re.escape(BEGIN)}(?:(?!{re.escape(BEGIN)}).)*?{re.escape(END)}\n?", re.DOTALL)


def with_block(text: str, paragraph: str) -> str:
    """Return the text with the marked paragraph, at its earlier place or at the end."""
    block = f"{BEGIN}\n{paragraph.strip()}\n{END}\n"
    if _BLOCK.search(text):
        return _BLOCK.sub(lambda _: block, text, count=1)
    gap = "" if not text.strip() else "\n" if text.endswith("\n") else "\n\n"
    return f"{text}{gap}{block}"


def without_block(text: str) -> str:
    match = _BLOCK.search(text)
    if match is None:
        return text
    head, rest = text[: match.start()].rstrip("\n"), text[match.end() :].lstrip("\n")
    return "\n\n".join(part for part in (head, rest) if part) + ("" if rest or not head else "\n")
