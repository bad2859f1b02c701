"""Sample the head of a text without structure of its own: plain text, a log, an unknown format."""

from __future__ import annotations

import re

from sidecar.files.clean_text import shorten
from sidecar.files.structure.result import Structure, first_sentence

HEAD_CHARS = 600
_LINE_CHARS = 160
_BANNER = re.compile(r"\W*(?:copyright|licensed (?:under|to)|spdx-|all rights reserved|-\*-|vim:|eslint-|@ts-)", re.I)
_WORDS = re.compile(r"\w")
_PROSE = re.compile(r"(?=(?:\S+ ){3}|[^ ]*[^\x00-\x7f])[^\W\d_a-z][^\n{}\[\];=<>|*]{11,}")
_LEVEL = re.compile(r"\b(?:ERROR|FATAL|CRITICAL|WARN(?:ING)?)\b")


def sample(text: str, limit: int = HEAD_CHARS) -> str | None:
    """Return the first lines that say something, within `limit` characters, and the number of lines left.

    Blank lines, lines without a letter or digit, licence banners and repeated lines are skipped.
    """
    window = text[: limit * 8]
    kept: list[str] = []
    size = 0
    last_line = 0
    for number, raw in enumerate(window.split("\n"), 1):
        line = shorten(raw.rstrip(), _LINE_CHARS)
        if not _WORDS.search(line) or _BANNER.match(line) or (kept and kept[-1] == line):
            continue
        if size + len(line) + 1 > limit:
            break
        kept.append(line)
        size += len(line) + 1
        last_line = number
    if not kept:
        return None
    left = text.count("\n") + (0 if text.endswith("\n") else 1) - last_line
    if left > 0:
        kept.append(f"… {left:,} more lines")
    return "\n".join(kept)


def plain(text: str) -> Structure:
    """Return a text's head, and its first sentence if the text begins with prose."""
    head = sample(text)
    first = head.split("\n", 1)[0].strip() if head else ""
    doc = first_sentence(first) if _PROSE.fullmatch(first) else None
    return Structure(doc=doc, head=head)


def log(text: str) -> Structure:
    """Return a log's head, and how many lines mention errors and warnings."""
    errors = warnings = 0
    for match in _LEVEL.finditer(text):
        if match.group().startswith("WARN"):
            warnings += 1
        else:
            errors += 1
    doc = f"Log with {errors:,} error and {warnings:,} warning mentions." if errors or warnings else "Log."
    return Structure(doc=doc, head=sample(text))
