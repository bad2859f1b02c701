"""Render the block for a model: memories and briefings as quoted notes in the `fence`, as Markdown or XML.

All text is neutralised except our own section titles, and stored text is indented after an item's first line.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cache
from typing import TYPE_CHECKING, Literal, NamedTuple

from sidecar.memories.drafts import Briefing
from sidecar.memories.gist import gist_of, sketch_of
from sidecar.memories.naming import is_derived
from sidecar.runtime.digests import blake2b
from sidecar.store.records import MemoryRecord, ReferenceRecord
from sidecar.text import fence
from sidecar.text.times import utc_day
from sidecar.text.tokens import estimate

if TYPE_CHECKING:
    from protocol.memories import Reference

Format = Literal["markdown", "xml"]
FORMATS: tuple[Format, ...] = ("markdown", "xml")

DIRECTIVES = "Directives"
AGENT = "Agent-Specific Knowledge"
PROJECT = "Project Knowledge"
USER = "User Preferences"
FEEDBACK = "Feedback & Patterns"
REFERENCE = "Reference"
FILES = "Files in Play"
BLOCKERS = "Open Blockers"
FOREIGN = "From This Repository's File, Not the User's Words"
SECTIONS = (DIRECTIVES, AGENT, PROJECT, USER, FEEDBACK, REFERENCE, FILES, BLOCKERS, FOREIGN)
_BY_TYPE = {"project": PROJECT, "user": USER, "feedback": FEEDBACK, "reference": REFERENCE}

FRAME_LINES = 3  # lines of the fence and the head
TITLE_LINES = 2  # lines of a section's title, with the blank line above

VERSION = 2  # raised whenever the same items are rendered differently, so that etags change
_ETAG_DIGITS = 15  # decimal digits of an etag
_UNLIMITED = 1 << 40  # more lines than any block has


class RenderedItem(NamedTuple):
    """One rendered item; `tokens` is an upper bound of what it adds to a block, including the line end.

    `compared_text` is the text by which it is compared with others, `sketch` the sketch of the text's gist, or 0.
    """

    text: str
    tokens: int
    sketch: int = 0
    compared_text: str = ""

    @property
    def lines(self) -> int:
        return self.text.count("\n") + 1


def section_of(type: str, category: str | None, agent: str | None, *, foreign: bool = False) -> str:
    """Return a memory's section; directives and blockers have their own, whatever type or agent, unless `foreign`."""
    if foreign:
        return FOREIGN
    if category == "directive":
        return DIRECTIVES
    if category == "blocker":
        return BLOCKERS
    return AGENT if agent is not None else _BY_TYPE.get(type, PROJECT)


def memory_item(record: MemoryRecord, format: Format, doubted_at: int | None = None) -> RenderedItem:
    """Render a memory with the dates (UTC) of its last update and, at `doubted_at`, of one that may contradict it."""
    date = utc_day(record.updated_at)
    notes = [suspicion(record.references)] if record.status == "suspect" else []
    notes += _moves(record)
    if doubted_at is not None:
        notes.append(f"may be contradicted by a newer memory of {utc_day(doubted_at)}")
    notes += [f"by {record.author}"] if record.author is not None else []
    note = "; ".join(notes)
    named = not is_derived(record.name, record.content)
    sketch = 0 if named or note else sketch_of(gist_of(record.content))
    if format == "xml":
        name = f' name="{_attribute(record.name)}"' if named else ""
        noted = f' note="{_attribute(note)}"' if note else ""
        lines = [_escaped(line) for line in fence.lines(record.content, markup=False)]
        return _item(f'<memory date="{date}"{name}{noted}>{_indented(lines)}</memory>', sketch, record.content)
    name = f"**{fence.one_line(record.name)}**: " if named else ""
    noted = f"{fence.one_line(f'[{note}]')} " if note else ""
    return _item(f"- ({date}) {noted}{name}{_indented(fence.lines(record.content))}", sketch, record.content)


def file_item(briefing: Briefing, format: Format) -> RenderedItem:
    """Render a file's briefing under its path, unless the text begins with the path."""
    if format == "xml":
        lines = [_escaped(line) for line in fence.lines(briefing.text, markup=False)]
        return _item(f'<file path="{_attribute(briefing.path)}">{_indented(["", *lines])}</file>')
    path, lines = fence.one_line(briefing.path), fence.lines(briefing.text)
    named = bool(lines) and lines[0].startswith(f"{path} (")
    return _item(f"- {_indented(lines if named else [path, *lines])}")


def note_item(text: str) -> RenderedItem:
    """Render one line in Markdown that is not a memory, such as a session at work or a reminder."""
    return _item(f"- {fence.one_line(text)}")


@cache
def frame_tokens(format: Format) -> int:
    """Return an upper bound of what the markers and the head add to a block."""
    return estimate(fence.frame("", xml=format == "xml")) + 2


@cache
def title_tokens(section: str, format: Format) -> int:
    """Return an upper bound of what a section adds to a block, without its items."""
    opening, closing = _title(section, format)
    return estimate(opening) + estimate(closing) + 2


def block(sections: Sequence[tuple[str, Sequence[RenderedItem]]], format: Format) -> tuple[str, str]:
    """Return the text, "" without items, and its etag, kept out of the text so that earlier blocks stay a prefix."""
    parts: list[str] = []
    for section, items in sections:
        if items:
            opening, closing = _title(section, format)
            parts.extend((opening, *(f"{item.text}\n" for item in items), closing))
    body = "".join(parts)
    etag = digest(f"{VERSION} {format}\n{body}")
    if not body:
        return "", etag
    return fence.frame(body, xml=format == "xml"), etag


def tokens_of(text: str, sections: Iterable[tuple[str, Sequence[RenderedItem]]], format: Format) -> int:
    """Return `estimate` of the text that `block` made of these sections."""
    if not text.isascii() or not text:
        return estimate(text)
    # Each item ends with the end of a token. In Markdown, a section's first line end belongs to the token before.
    bound = 3 if format == "markdown" else 2
    titles = sum(title_tokens(name, format) - bound for name, items in sections if items)
    return frame_tokens(format) - 2 + titles + sum(item.tokens - 1 for _, items in sections for item in items)


def fit_block(
    sections: Iterable[tuple[str, Sequence[RenderedItem]]], budget: int, format: Format, max_lines: int | None = None
) -> tuple[str, str, int]:
    """Return the block of the items that fit a budget, its etag, and how many items did not fit.

    An item that does not fit is skipped; shorter ones after it may still fit.
    """
    rest, omitted = budget - frame_tokens(format), 0
    lines_left = _UNLIMITED if max_lines is None else max_lines - FRAME_LINES
    shown: list[tuple[str, list[RenderedItem]]] = []
    for title, items in sections:
        room, room_lines = rest - title_tokens(title, format), lines_left - TITLE_LINES
        fitting: list[RenderedItem] = []
        for item in items:
            if item.tokens <= room and item.lines <= room_lines:
                fitting.append(item)
                room -= item.tokens
                room_lines -= item.lines
        omitted += len(items) - len(fitting)
        if fitting:
            rest, lines_left = room, room_lines
            shown.append((title, fitting))
    return *block(shown, format), omitted


def digest(text: str) -> str:
    number = int.from_bytes(blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).digest(), "big")
    return f"{number % 10**_ETAG_DIGITS:0{_ETAG_DIGITS}}"


def _item(text: str, sketch: int = 0, compared_text: str = "") -> RenderedItem:
    return RenderedItem(text, estimate(f"{text}\n") + 1, sketch, compared_text if sketch else "")


def _title(section: str, format: Format) -> tuple[str, str]:
    if format == "xml":
        return f'<section name="{_attribute(section)}">\n', "</section>\n"
    return f"\n## {section}\n", ""


def suspicion(references: Iterable[ReferenceRecord | Reference]) -> str:
    """Return why a memory is suspect: the files and symbols that are gone or, if none is, that have changed."""
    stale = [reference for reference in references if reference.stale]
    lost = [reference for reference in stale if reference.gone]
    if gone := dict.fromkeys((not ref.symbol and ref.path) or ref.text for ref in lost):
        return f"{', '.join(gone)} {'is' if len(gone) == 1 else 'are'} gone"
    changed = ", ".join(dict.fromkeys(reference.path or reference.text for reference in stale))
    return f"recorded against an older version{changed and f' of {changed}'}"


def _moves(record: MemoryRecord) -> list[str]:
    """Return the new paths of at most two files that the text names by their former paths."""
    moved = {ref.former: ref.path for ref in record.references if ref.former is not None and ref.path is not None}
    return [f"{old} is now {new}" for old, new in sorted(moved.items()) if old != new and old in record.content][:2]


def _indented(lines: Sequence[str]) -> str:
    return "\n".join(f"  {line}" if position and line else line for position, line in enumerate(lines))


def _attribute(text: str) -> str:
    return _escaped(fence.one_line(text, markup=False)).replace('"', "&quot;")


def _escaped(text: str) -> str:
    """Escape like `html.escape` without quotes; importing `html` loads the names of 2,231 characters."""
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
