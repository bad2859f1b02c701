"""A marked paragraph in a Markdown file that people write by hand."""

from __future__ import annotations

import re

BEGIN = "<!-- memory-sidecar: begin -->"
END = "<!-- memory-sidecar: end -->"
_BLOCK = re.compile(rf"{re.escape(BEGIN)}(?:(?!{re.escape(BEGIN)}).)*?{re.escape(END)}\n?", re.DOTALL)


def with_block(text: str, paragraph: str) -> str:
    """The text with the paragraph between marks, where it was, else at the end."""
    block = f"{BEGIN}\n{paragraph.strip()}\n{END}\n"
    if _BLOCK.search(text):
        return _BLOCK.sub(lambda _: block, text, count=1)
    gap = "" if not text.strip() else "\n" if text.endswith("\n") else "\n\n"
    return f"{text}{gap}{block}"


def without_block(text: str) -> str:
    """The text without the marked paragraph."""
    found = _BLOCK.search(text)
    if found is None:
        return text
    head, rest = text[: found.start()].rstrip("\n"), text[found.end() :].lstrip("\n")
    return "\n\n".join(part for part in (head, rest) if part) + ("" if rest or not head else "\n")
