"""Read the single file as blocks: entries, headings, blank lines, and other text of people.

A block keeps its own lines, so that writing changes only the blocks that are replaced, and people may arrange entries.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

from sidecar.memory_file.text.entry import Entry, marker, parse
from sidecar.text.lazy_patterns import lazy

# Section headings by type, in the order in which new ones are added.
TITLES = {
    "project": "Project Knowledge",
    "feedback": "Feedback & Patterns",
    "reference": "Reference",
    "user": "User Preferences",
}

ABOUT_COMMENT = "<!-- Kept by memory-sidecar. Edit, add or remove entries by hand: that is read back into memory. -->"
OVERFLOW_PREFIX = "<!-- Not shown for lack of space: "

_HEADING = lazy(r"(#{1,6})[ \t]+(.*?)[ \t]*#*\s*\Z")
_FENCE = lazy(r"(`{3,}|~{3,})")
_CONFLICT_MARKER = lazy(r"^(?:<{7}|>{7}|\|{7})(?: |$)", re.MULTILINE)
_TYPE_BY_TITLE = {title.casefold(): type for type, title in TITLES.items()} | {
    alias: type
    for type, aliases in {
        "project": ("project", "project memories", "facts", "decisions", "knowledge"),
        "feedback": ("feedback", "patterns", "corrections", "lessons", "feedback and patterns"),
        "reference": ("references", "links", "where to look"),
        "user": ("user", "preferences", "users"),
    }.items()
    for alias in aliases
}

BlockKind = Literal["entry", "heading", "blank", "other"]


class DocumentBlock(NamedTuple):
    """Lines that belong together."""

    kind: BlockKind
    lines: tuple[str, ...]
    type: str = "project"  # of the section's memories
    entry: Entry | None = None
    id: str | None = None  # of an entry's memory, if known


@dataclass
class MemoryDocument:
    blocks: list[DocumentBlock] = field(default_factory=list)
    ending: str = "\n"

    def text(self) -> str:
        """Return the whole file, without blank lines at its end."""
        return "".join(line + self.ending for line in self._lines())

    def line_count(self) -> int:
        return len(self._lines())

    def _lines(self) -> list[str]:
        lines = [line for block in self.blocks for line in block.lines]
        while lines and not lines[-1].strip():
            lines.pop()
        return lines

    def add(self, block: DocumentBlock) -> None:
        type = block.type
        own = self._own_section(type)
        if own:
            index = own[-1]
            gap = [] if self.blocks[index].kind == "entry" else [DocumentBlock("blank", ("",), type)]
            after = self.blocks[index + 1] if index + 1 < len(self.blocks) else None
            if gap and after is not None and after.kind == "blank":
                index, gap = index + 1, []
            # Do not insert between a heading and the text that a person wrote after it.
            is_followed = after is not None and after.kind not in ("blank", "entry") and index == own[-1]
            closing = [DocumentBlock("blank", ("",), type)] if is_followed else []
            self.blocks[index + 1 : index + 1] = [*gap, block, *closing]
            return
        section = [DocumentBlock("heading", (f"## {TITLES[type]}",), type), DocumentBlock("blank", ("",), type), block]
        order = list(TITLES)
        later = [order.index(existing.type) > order.index(type) and _is_ours(existing) for existing in self.blocks]
        index = later.index(True) if True in later else len(self.blocks)
        before = [] if not index or self.blocks[index - 1].kind == "blank" else [DocumentBlock("blank", ("",))]
        gap = [DocumentBlock("blank", ("",), type)] if True in later else []
        self.blocks[index:index] = [*before, *section, *gap]

    def _own_section(self, type: str) -> list[int]:
        """Return the positions of the heading and entries of the first section with this type's title."""
        positions: list[int] = []
        for index, block in enumerate(self.blocks):
            if block.kind == "heading" and positions:
                break
            if (positions and block.kind == "entry") or _is_heading_of(block, type):
                positions.append(index)
        return positions

    def tidy(self) -> None:
        """Drop double blank lines, and our own headings whose entries were removed."""
        tidied: list[DocumentBlock] = []
        for index, block in enumerate(self.blocks):
            if _is_ours(block) and self._is_empty_section(index):
                continue
            if block.kind == "blank" and tidied and tidied[-1].kind == "blank":
                continue
            tidied.append(block)
        self.blocks = tidied

    def _is_empty_section(self, index: int) -> bool:
        for block in self.blocks[index + 1 :]:
            if block.kind == "heading":
                return True
            if block.kind != "blank":
                return False
        return True


def empty_document() -> MemoryDocument:
    return MemoryDocument([DocumentBlock("other", ("# Memory", "", ABOUT_COMMENT)), DocumentBlock("blank", ("",))])


def has_conflict(text: str) -> bool:
    return _CONFLICT_MARKER.search(text) is not None


def read_document(text: str) -> MemoryDocument:
    ending = "\r\n" if text.count("\r\n") * 2 > text.count("\n") else "\n"
    lines = text.replace("\r\n", "\n").split("\n")
    if lines and not lines[-1]:
        lines.pop()
    document = MemoryDocument(ending=ending)
    type, index = "project", 0
    while index < len(lines):
        kind, end = _block_at(lines, index)
        block_lines = tuple(lines[index:end])
        if kind == "heading" and (match := _HEADING.match(block_lines[0])):
            type = _TYPE_BY_TITLE.get(match.group(2).casefold(), "project")
        entry = parse(list(block_lines), type) if kind == "entry" else None
        kind = "other" if kind == "entry" and entry is None else kind
        document.blocks.append(DocumentBlock(kind, block_lines, type, entry))
        index = end
    return document


def _block_at(lines: list[str], index: int) -> tuple[BlockKind, int]:
    """Return the kind of the block that begins at a line, and the line after it."""
    line = lines[index]
    if not line.strip():
        return "blank", index + 1
    if fence := _FENCE.match(line):
        return "other", _line_after(lines, index + 1, lambda inner: inner.startswith(fence.group()))
    if line.startswith("<!--"):
        return "other", index + 1 if "-->" in line else _line_after(lines, index + 1, lambda inner: "-->" in inner)
    if _HEADING.match(line):
        return "heading", index + 1
    if marker(line):
        return "entry", _end_of_item(lines, index + 1)
    end = index + 1
    while end < len(lines) and lines[end].strip() and not _starts_block(lines[end]):
        end += 1
    return "other", end


def _end_of_item(lines: list[str], index: int) -> int:
    """Return the line after a list item: its indented lines, even after blank ones, and lazy continuations."""
    end = index
    while index < len(lines):
        line = lines[index]
        if not line.strip():
            index += 1
            continue
        indented = line.startswith(("  ", "\t"))
        if not indented and (index != end or _starts_block(line)):
            break
        index = end = index + 1
    return end


def _starts_block(line: str) -> bool:
    return bool(_HEADING.match(line) or marker(line) or _FENCE.match(line) or line.startswith("<!--"))


def _line_after(lines: list[str], index: int, ends: Callable[[str], bool]) -> int:
    return next((number + 1 for number in range(index, len(lines)) if ends(lines[number])), len(lines))


def _is_heading_of(block: DocumentBlock, type: str) -> bool:
    if block.kind != "heading":
        return False
    match = _HEADING.match(block.lines[0])
    return match is not None and _TYPE_BY_TITLE.get(match.group(2).casefold()) == type


def _is_ours(block: DocumentBlock) -> bool:
    return block.kind == "heading" and block.lines[0] in {f"## {title}" for title in TITLES.values()}
