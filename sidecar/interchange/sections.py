"""Markdown cut into sections: headings become names, long sections are split, nothing is lost.

Headings are those outside code fences (CommonMark 0.31, sections 4.2 and 4.3: `#` to `######`, or a line underlined
with `=` or `-`). A section is the text from one heading to the next. A section longer than a memory is split between
paragraphs, and never inside a code block that by itself fits into a part.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from sidecar.interchange.parsed import LARGEST, ImportItem
from sidecar.interchange.values import LONGEST_NAME, short_name
from sidecar.store.vocabulary import CATEGORIES

PART = 14_000
"""Characters of a part of a long section; below a memory's limit, because redaction may lengthen text."""

_ATX = re.compile(r" {0,3}(#{1,6})(?:[ \t]+(.*?))?(?:[ \t]+#+)?[ \t]*\Z")
_UNDERLINE = re.compile(r" {0,3}(=+|-{2,})[ \t]*\Z")
_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})(.*)\Z")
_NO_TITLE = re.compile(r"\s*(?:[-*+>|#]|\d+[.)]\s|<!--)|\s{4}")
_BULLET = re.compile(r"[-*+]\s+(.*)\Z")
_LINK = re.compile(r"!?\[([^\]]*)\]\([^)]*\)")


@dataclass(frozen=True, slots=True)
class MarkdownSection:
    """One section; `titles` are its heading and those above it, outermost first; `line` counts from 1.

    `titles` is empty for text before the first heading.
    """

    titles: tuple[str, ...]
    level: int
    text: str
    line: int


def sections(text: str) -> list[MarkdownSection]:
    """Return the sections in order, including those without text of their own."""
    sections_found: list[MarkdownSection] = []
    titles: list[tuple[int, str]] = []
    body: list[str] = []
    start, level, began = 1, 0, False

    def close() -> None:
        content = "\n".join(body).strip("\n").rstrip()
        if began or content.strip():
            sections_found.append(MarkdownSection(tuple(title for _, title in titles), level, content, start))

    for number, line, heading in _lines(text):
        if heading is None:
            body.append(line)
            continue
        new_level, title, over = heading
        if over:
            body.pop()
        close()
        titles = [(old, name) for old, name in titles if old < new_level]
        titles.append((new_level, title))
        body, start, level, began = [], number - over, new_level, True
    close()
    return sections_found


def split(text: str, most: int = PART) -> list[str]:
    """Split the text into parts of at most `most` characters that together have every line."""
    if len(text) <= most:
        return [text]
    parts: list[str] = []
    current = ""
    for block in _blocks(text):
        if current and len(current) + 2 + len(block) > most:
            parts.append(current)
            current = ""
        if len(block) > most:
            pieces = _pieces(block, most)
            parts += ([current] if current else []) + pieces[:-1]
            current = pieces[-1]
        else:
            current = f"{current}\n\n{block}" if current else block
    return [*parts, current] if current else parts


def fitted(item: ImportItem) -> list[ImportItem]:
    """Return the item or, if it is longer than a memory, its sections or their parts, without losing text."""
    if len(item.content) <= LARGEST:
        return [item]
    parts: list[str] = []
    current = ""
    for section in sections(item.content):
        heading = f"{'#' * section.level} {section.titles[-1]}\n\n" if section.titles else ""
        for piece in split(f"{heading}{section.text}".strip()):
            if current and len(current) + len(piece) + 2 > LARGEST - 2_000:
                parts.append(current)
                current = ""
            current = f"{current}\n\n{piece}" if current else piece
    parts.append(current)
    filled = [part for part in parts if part.strip()]
    name = item.name or item.key
    return [
        replace(
            item,
            content=part,
            name=numbered(name, number, len(filled)),
            key=item.key if number == 1 else f"{item.key}\0{number}",
        )
        for number, part in enumerate(filled, start=1)
    ]


def names(sections_named: list[MarkdownSection], fallback: str) -> list[str]:
    """Return a unique name for each section: its heading, with those above it if needed."""
    short = [_title(section.titles[-1:]) or fallback for section in sections_named]
    wide = [_title(_below_the_first(section.titles)) or fallback for section in sections_named]
    uses: dict[str, int] = {}
    result = []
    for name, longer in zip(short, wide, strict=True):
        chosen = longer if short.count(name) > 1 else name
        uses[chosen] = uses.get(chosen, 0) + 1
        if uses[chosen] > 1:
            chosen = f"{short_name(chosen, LONGEST_NAME - 10)} ({uses[chosen]})"
        result.append(chosen)
    return result


def category_named(title: str) -> str | None:
    """Return the category that a heading or a word names: `## Blockers`, `## Open blockers`, `decision`."""
    word = (_title((title,)) or "").lower().removeprefix("open ").removeprefix("key ").removeprefix("current ")
    return next((form for form in (word, word.removesuffix("s")) if form in CATEGORIES and form != "reminder"), None)


def category_of(titles: Sequence[str]) -> str | None:
    """Return the category that the nearest heading names, if any."""
    return next((category for title in reversed(titles) if (category := category_named(title))), None)


def bullets_of(text: str) -> list[str] | None:
    """Return the items of a section that is a single list, with indented text below them; None otherwise."""
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


def numbered(name: str, part: int, parts: int) -> str:
    if parts == 1:
        return name
    return f"{short_name(name, LONGEST_NAME - 20)} (part {part} of {parts})"


def _below_the_first(titles: tuple[str, ...]) -> tuple[str, ...]:
    """Drop the document's title, which all sections share."""
    return titles[1:] if len(titles) > 1 else titles


def _title(titles: tuple[str, ...]) -> str | None:
    plain = [_LINK.sub(r"\1", title).replace("`", "").strip(" *_:") for title in titles]
    return short_name(": ".join(title for title in plain if title))


def _lines(text: str) -> Iterator[tuple[int, str, tuple[int, str, bool] | None]]:
    """Yield each line; for a heading also its level, its title and whether the line above belongs to it."""
    fence: str | None = None
    above = ""
    for number, line in enumerate(text.splitlines(), start=1):
        mark = _FENCE.match(line)
        if fence is not None:
            if mark and mark[1].startswith(fence) and not mark[2].strip():
                fence = None
            yield number, line, None
            above = ""
            continue
        if mark and not (mark[1][0] == "`" and "`" in mark[2]):
            fence = mark[1]
            yield number, line, None
            above = ""
            continue
        atx = _ATX.match(line)
        if atx:
            yield number, line, (len(atx[1]), (atx[2] or "").strip(), False)
            above = ""
            continue
        under = _UNDERLINE.match(line)
        if under and above.strip() and not _NO_TITLE.match(above):
            yield number, line, (1 if under[1][0] == "=" else 2, above.strip(), True)
            above = ""
            continue
        yield number, line, None
        above = line if not above else " -"  # only a one-line paragraph counts as a title
        if not line.strip():
            above = ""


def _blocks(text: str) -> Iterator[str]:
    fence: str | None = None
    block: list[str] = []
    for line in text.splitlines():
        mark = _FENCE.match(line)
        if mark and fence is None:
            fence = mark[1]
        elif mark and fence is not None and mark[1].startswith(fence) and not mark[2].strip():
            fence = None
        if line.strip() or fence is not None:
            block.append(line)
        elif block:
            yield "\n".join(block)
            block = []
    if block:
        yield "\n".join(block)


def _pieces(block: str, most: int) -> list[str]:
    """Split a block that is too long between its lines, and a line that is too long between its words."""
    pieces: list[str] = []
    current = ""
    for line in block.splitlines():
        while len(line) > most:
            if current:
                pieces.append(current)
                current = ""
            cut = line.rfind(" ", most // 2, most)
            at = cut if cut > 0 else most
            pieces.append(line[:at])
            line = line[at:]
        if current and len(current) + 1 + len(line) > most:
            pieces.append(current)
            current = line
        else:
            current = f"{current}\n{line}" if current else line
    return [*pieces, current]
