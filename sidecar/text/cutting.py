"""Texts cut to a length."""

from __future__ import annotations


def cut_at_word(text: str, most: int) -> str:
    """Cut the text at a word to at most `most` characters, ending in an ellipsis."""
    if len(text) <= most:
        return text
    cut = text[: most - 1]
    space = cut.rfind(" ")
    return (cut[:space] if space > most // 2 else cut).rstrip() + "…"
