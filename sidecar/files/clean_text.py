"""Make one safe line of untrusted file content, for names, signatures and docs shown to an agent."""

from __future__ import annotations

from sidecar.text.lazy_patterns import lazy

_ESCAPE_SEQUENCE = lazy(r"\x1b(?:\[[0-?]{0,32}[ -/]{0,8}[@-~]?|\][^\x07\x1b\n]{0,200}(?:\x07|\x1b\\)?|[@-_])")
# Controls, line separators, zero-width and bidirectional marks, tag characters, unpaired surrogates.
_UNSAFE_CHARS = lazy(
    "[\x00-\x1f\x7f-\x9f\u00ad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb"
    "\U000e0000-\U000e007f\ud800-\udfff]+"
)
_SPACES = lazy(r"\s+")


def clean(text: str, limit: int = 400) -> str:
    """Return `text` as one line of at most `limit` characters, without escape sequences, control or bidi characters."""
    line = text[: limit * 4]
    if not line.isprintable() or not line.isascii():
        line = _UNSAFE_CHARS.sub(" ", _ESCAPE_SEQUENCE.sub("", line))
    line = _SPACES.sub(" ", line).strip()
    return line if len(line) <= limit else shorten(line, limit)


def shorten(text: str, limit: int) -> str:
    """Cut `text` to `limit` characters, at a word boundary where that loses little, and mark the cut with `…`."""
    if len(text) <= limit:
        return text
    cut = text[: max(0, limit - 1)]
    space = cut.rfind(" ")
    if space > limit * 2 // 3:
        cut = cut[:space]
    return cut.rstrip(" ,;:.-(") + "…"


def beside(holder: str, held: str) -> str:
    """Return two lines as one: what holds something, then the only line that it holds."""
    return f"{holder.rstrip(':')}{' ' if holder[-1:] in '([{=>|&,' else ': '}{held}"
