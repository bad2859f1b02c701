"""Write rows as they are shown: without tool marks, hashes and opening punctuation at the end."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from sidecar.files.clean_text import shorten
from sidecar.files.structure.comments import doc_of, strip_markers
from sidecar.files.structure.row_reading import LINE_CHARS, PATTERNS, TextRow
from sidecar.files.structure.values import hide_tokens
from sidecar.text.lazy_patterns import patterns

_FORMS: Final = patterns(Path(__file__), "row_masks")
_TAGGED, _PINNED, _OPENS = (PATTERNS[name] for name in "tagged pinned opens".split())
_CLOSERS: Final = {"{": " }", "[": " ]", "(": " )"}


def comment_text(row: TextRow) -> str:
    """Return a comment's first sentence."""
    lines = strip_markers(row.text)
    sentence = doc_of(lines, code_allowed=True) or next(filter(_FORMS["letters"].search, lines), "")
    return shorten(" ".join(sentence.split()), LINE_CHARS)


def shown_text(row: TextRow) -> str:
    """Return a row and its only child as one line."""
    row.masked = row.masked or _render_row(row)
    return row.masked


def _render_row(row: TextRow) -> str:
    if row.comment:
        return f"# {comment_text(row)}"
    if row.only is None:
        return _mask_row(row)
    opening = _FORMS["scalar"].sub("", _mask_row(row, opened=True))
    return shorten(f"{opening} {_mask_row(row.only)}{_CLOSERS.get(row.text[-1], '')}", LINE_CHARS)


def _mask_row(row: TextRow, *, opened: bool = False) -> str:
    text = hide_tokens(" ".join(_PINNED.sub("", row.text).split()))
    if _FORMS["long"].search(text):
        from sidecar.text.secrets import redact

        text = redact(text)[0]
    text = _TAGGED.sub(r"\1 \2", _FORMS["identified"].sub(r"\1", text)).removeprefix("} ")
    return shorten(text if opened else _OPENS.sub("", text) or text, LINE_CHARS)
