"""Cut texts to a length, or to what is safe to show."""

from __future__ import annotations


def cut_at_word(text: str, limit: int) -> str:
    if len(text) <= limit:
        return text
    cut = text[: limit - 1]
    space = cut.rfind(" ")
    return (cut[:space] if space > limit // 2 else cut).rstrip() + "…"


def printable(text: str, also: str = "") -> str:
    """Escape characters that could control a terminal, except those in `also`."""
    return "".join(char if char.isprintable() or char in also else ascii(char)[1:-1] for char in text)
