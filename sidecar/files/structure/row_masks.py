"""Write rows as they are shown: without secrets, tool marks and opening punctuation at the end."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Final

from sidecar.files.clean_text import shorten
from sidecar.files.structure.comments import doc_of, strip_markers
from sidecar.files.structure.guards import HIDDEN, hide_in_prose, may_name_a_secret
from sidecar.files.structure.row_reading import LINE_CHARS, PATTERNS, TextRow, prose
from sidecar.files.structure.values import masked, secret_key
from sidecar.text.lazy_patterns import patterns

_FORMS: Final = patterns(Path(__file__), "row_masks")
_KEYED, _VALUE, _HARMLESS, _TAGGED, _DECLARED, _PINNED, _OPENS = (
    PATTERNS[name] for name in "keyed value harmless tagged declared pinned opens".split()
)
# A row without any of these has nothing to mask.
_MASKABLE: Final = re.compile(r"[=:]|[A-Za-z0-9+/_-]{20}|bearer|basic|-----BEGIN", re.I)
# Names whose value is a secret if it looks random: `admin: 8K39Q20`.
_WEAK: Final = re.compile(r"(?<![A-Za-z])(?:pw|psk|otp|login|code|cred|seed|user(?:name)?|admin|root)(?![a-z])", re.I)
_TOO_GENERAL: Final = frozenset({"key", "keys", "private", "tokens"})
_CLOSERS: Final = {"{": " }", "[": " ]", "(": " )"}


def comment_text(row: TextRow) -> str:
    """Return a comment's first sentence."""
    lines = strip_markers(row.text)
    sentence = doc_of(lines, code_allowed=True) or next(filter(_FORMS["letters"].search, lines), "")
    return shorten(hide_in_prose(masked(" ".join(sentence.split()))), LINE_CHARS)


def shown_text(row: TextRow) -> str:
    """Return a row and its only child as one line, without secrets that a neighbour or a parent names."""
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
    text = _PINNED.sub("", row.text)
    text = masked(text) if _MASKABLE.search(text) else text
    if "[hidden]" not in text and "[redacted" not in text and not _HARMLESS.search(row.text):
        block = _FORMS["labelled"].fullmatch(row.text) or (row.children and row.text[-1] in "{(]")
        value = _VALUE.match(row.text) and not _FORMS["asks"].match(row.text) and not block
        beside = row.siblings[max(0, row.index - 1) : row.index + 2] if value else []
        named = _name_of_secret(row)
        if named is not None and not _FORMS["labelled"].fullmatch(row.text):
            text = f"{text[: named.end()]} [hidden]" if _FORMS["letters"].search(text, named.end()) else text
        elif named is None and any(_name_of_secret(other) for other in (*_above(row), *beside)):
            key = _KEYED.match(text)
            text = f"{key[0] if key else ''}[hidden]"
    text = _FORMS["mixed"].sub(partial(_hide_random, weak=_WEAK.search(text) is not None), text)
    text = _FORMS["hidden"].sub(" [hidden]", " ".join(text.replace(HIDDEN, "[hidden]").split()))
    if _FORMS["long"].search(text):
        from sidecar.text.secrets import redact

        text = redact(text)[0]
    text = _TAGGED.sub(r"\1 \2", _FORMS["identified"].sub(r"\1", text))
    text = text.removeprefix("} ")
    return shorten(text if opened else _OPENS.sub("", text) or text, LINE_CHARS)


def _hide_random(match: re.Match[str], *, weak: bool) -> str:
    """Hide words that alternate letters and digits as in a password; after a `weak` name, all that mix them."""
    token = match[0]
    if _FORMS["algorithm"].fullmatch(token) or (not weak and _FORMS["named"].match(token)):
        return token
    changes = sum(left.isdigit() != right.isdigit() for left, right in pairwise(token))
    cased = token.lower() != token and token.upper() != token
    return "[hidden]" if (changes >= 3 and (cased or len(token) >= 8)) or (weak and changes > 0) else token


def _above(row: TextRow) -> Iterator[TextRow]:
    """Yield the rows around a row, the innermost first."""
    above = row.parent
    while above is not None:
        yield above
        above = above.parent


def _name_of_secret(row: TextRow) -> re.Match[str] | None:
    """Return the name of a secret in a row, unless that is prose or a declaration. Cached for other rows."""
    if row.searched != row.text:
        row.searched, row.secret_name, text = row.text, None, row.text[:300]
        if (
            may_name_a_secret(text)
            and not _FORMS["selector"].fullmatch(text)
            and not prose(row.text)
            and not _DECLARED.search(text)
        ):
            words = _FORMS["word"].finditer(text)
            named = (word for word in words if word[0].lower() not in _TOO_GENERAL and secret_key(word[0]))
            row.secret_name = next((word for word in named if not _FORMS["passed"].match(text, word.end())), None)
    return row.secret_name
