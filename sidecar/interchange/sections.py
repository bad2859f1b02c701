"""Cut Markdown into named sections without losing text.

A section is the text from one heading to the next. A section that is longer than a memory may be is split between
paragraphs, but never inside a code block that fits into a part.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from typing import TYPE_CHECKING

from msgspec.structs import replace

from sidecar.interchange.parsed import MAX_CHARS, ImportItem
from sidecar.interchange.values import MAX_NAME_CHARS, short_name
from sidecar.store.vocabulary import CATEGORIES

if TYPE_CHECKING:
    from markdown_it import MarkdownIt

MAX_PART_CHARS = 14_000
"""The most characters in a part of a long section: less than a memory may have, because redaction may lengthen text."""

_BULLET = re.compile(r"[-*+]\s+(.*)\Z")
_LINK = re.compile(r"!?\[([^\]]*)\]\([^)]*\)")


@dataclass(frozen=True, slots=True)
class MarkdownSection:
    """One section. `line` counts from 1."""

    titles: tuple[str, ...]  # outermost first; none before the first heading
    level: int
    text: str
    line: int


def sections(text: str) -> list[MarkdownSection]:
    """Return the sections in order, including those without text of their own."""
    lines = _lines(text)
    sections_found: list[MarkdownSection] = []
    titles: list[tuple[int, str]] = []
    line = level = body = 0
    for start, end, new_level, title in [*_headings(text), (len(lines), 0, 0, "")]:
        content = "\n".join(lines[body:start]).strip("\n").rstrip()
        if titles or content.strip():
            sections_found.append(MarkdownSection(tuple(title for _, title in titles), level, content, line + 1))
        titles = [*((old, name) for old, name in titles if old < new_level), (new_level, title)]
        line, level, body = start, new_level, end
    return sections_found


def split_text(text: str, limit: int = MAX_PART_CHARS) -> list[str]:
    """Split the text into parts of at most `limit` characters. Every line is kept."""
    return [text] if len(text) <= limit else _join_pieces(_blocks(text, limit), "\n\n", limit)


def split_item(item: ImportItem) -> list[ImportItem]:
    """Return the item; if it is longer than a memory may be, its parts. No text is lost."""
    if len(item.content) <= MAX_CHARS:
        return [item]
    parts, items = split_text(item.content), []
    for number, part in enumerate(parts, start=1):
        name = part_name(item.name or item.key, number, len(parts))
        key = item.key if number == 1 else f"{item.key}\0{number}"
        items.append(replace(item, content=part, name=name, key=key))
    return items


def section_names(sections_named: list[MarkdownSection], fallback: str) -> list[str]:
    """Return a unique name for each section: its heading and, where needed, the headings above it."""
    short = [_title(section.titles[-1:]) or fallback for section in sections_named]
    # All sections share the document's title.
    wide = [_title(section.titles[1:] or section.titles) or fallback for section in sections_named]
    uses: dict[str, int] = {}
    result = []
    for name, longer in zip(short, wide, strict=True):
        chosen = longer if short.count(name) > 1 else name
        uses[chosen] = uses.get(chosen, 0) + 1
        if uses[chosen] > 1:
            chosen = f"{short_name(chosen, MAX_NAME_CHARS - 10)} ({uses[chosen]})"
        result.append(chosen)
    return result


def category_named(title: str) -> str | None:
    """Return the category that a title names: `Blockers`, `Open blockers`, `decision`."""
    word = (_title((title,)) or "").lower().removeprefix("open ").removeprefix("key ").removeprefix("current ")
    return next((form for form in (word, word.removesuffix("s")) if form in CATEGORIES and form != "reminder"), None)


def category_of(titles: Sequence[str]) -> str | None:
    return next((category for title in reversed(titles) if (category := category_named(title))), None)


def bullets_of(text: str) -> list[str] | None:
    """Return the items of a text that is one list, with the indented text below them; None for any other text."""
    bullets: list[str] = []
    for line in text.splitlines():
        item = _BULLET.match(line)
        if item:
            bullets.append(item[1])
        elif line.startswith((" ", "\t")) and bullets:
            bullets[-1] += f"\n{line.strip()}" if line.strip() else ""
        elif line.strip():
            return None
    return [bullet for bullet in bullets if bullet.strip()] or None


def part_name(name: str, part: int, parts: int) -> str:
    if parts == 1:
        return name
    return f"{short_name(name, MAX_NAME_CHARS - 20)} (part {part} of {parts})"


def _title(titles: tuple[str, ...]) -> str | None:
    plain = [_LINK.sub(r"\1", title).replace("`", "").strip(" *_:") for title in titles]
    return short_name(": ".join(title for title in plain if title))


@cache
def _parser() -> MarkdownIt:
    from markdown_it import MarkdownIt

    return MarkdownIt("commonmark").disable("inline")


def _lines(text: str) -> list[str]:
    return text.replace("\r", "\n").split("\n")


def _headings(text: str) -> Iterator[tuple[int, int, int, str]]:
    """Yield each heading's first line, the line after it (of an underlined title, too), its level and title."""
    for token, inline in pairwise(_parser().parse(text.replace("\r", "\n"))):
        if token.type == "heading_open" and token.level == 0 and token.map is not None:
            start, end = token.map
            if end - start <= 1 + (token.markup in ("=", "-")):
                yield start, end, int(token.tag[1]), inline.content.strip()


def _blocks(text: str, limit: int) -> Iterator[str]:
    """Yield the text's blocks. A block that is too long is split between its lines."""
    lines = _lines(text)
    tokens = _parser().parse(text.replace("\r", "\n"))
    starts = sorted({0, *(token.map[0] for token in tokens if token.level == 0 and token.map)})
    for start, end in pairwise([*starts, len(lines)]):
        block = "\n".join(lines[start:end]).strip("\n")
        if len(block) <= limit:
            yield block
        else:
            pieces = (piece for line in block.split("\n") for piece in _cut_line(line, limit))
            yield from _join_pieces(pieces, "\n", limit)


def _cut_line(line: str, limit: int) -> Iterator[str]:
    """Yield a line. If it is too long, split it between its words."""
    while len(line) > limit:
        cut = line.rfind(" ", limit // 2, limit)
        stop = cut if cut > 0 else limit
        yield line[:stop]
        line = line[stop:]
    yield line


def _join_pieces(pieces: Iterable[str], joint: str, limit: int) -> list[str]:
    """Join neighbouring pieces into parts of at most `limit` characters."""
    parts: list[str] = []
    for piece in pieces:
        if parts and len(parts[-1]) + len(joint) + len(piece) <= limit:
            parts[-1] += joint + piece
        elif piece.strip():
            parts.append(piece)
    return parts
