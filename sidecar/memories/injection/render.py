"""Render the block that a model reads: memories and briefings as quoted notes in the `fence`, in Markdown or XML.

`injector.py` renders items one by one and joins them with `block`. All text except our section titles is neutralised,
and the lines of stored text after an item's first are indented.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cache
from typing import NamedTuple

from sidecar.memories.drafts import Briefing, Format
from sidecar.memories.index.judging import suspicion
from sidecar.memories.wording.gist import gist_of, sketch_of
from sidecar.memories.wording.naming import is_derived
from sidecar.runtime.digests import blake2b
from sidecar.store.records import MemoryRecord
from sidecar.text import fence
from sidecar.text.times import utc_day
from sidecar.text.tokens import estimate

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

RENDERING_VERSION = 2  # raise it whenever the same items are rendered differently, so that etags change
_ETAG_DIGITS = 15  # decimal digits of an etag
_UNLIMITED_LINES = 1 << 40  # more lines than any block has


class RenderedItem(NamedTuple):
    """One rendered item."""

    text: str
    tokens: int  # at most this many are added to a block, with the line end
    sketch: int = 0  # of the gist of `compared_text`; 0 if it has no gist
    compared_text: str = ""  # the text that is compared with other items

    @property
    def lines(self) -> int:
        return self.text.count("\n") + 1


DELETED_ITEM = RenderedItem("", 1 << 40)
"""Stands for a memory that another process deleted; it fits no budget."""


def section_of(type: str, category: str | None, agent: str | None, *, foreign: bool = False) -> str:
    """Return a memory's section: `foreign` memories, directives and blockers have their own, whatever type or agent."""
    if foreign:
        return FOREIGN
    if category == "directive":
        return DIRECTIVES
    if category == "blocker":
        return BLOCKERS
    return AGENT if agent is not None else _BY_TYPE.get(type, PROJECT)


def memory_item(record: MemoryRecord, format: Format, doubted_at: int | None = None) -> RenderedItem:
    """Render a memory with the date (UTC) of its last update; `doubted_at` dates a memory that may contradict it."""
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
        marked = f' note="{_attribute(note)}"' if note else ""
        lines = [_escaped(line) for line in fence.lines(record.content, markup=False)]
        return _item(f'<memory date="{date}"{name}{marked}>{_indented(lines)}</memory>', sketch, record.content)
    name = f"**{fence.one_line(record.name)}**: " if named else ""
    marked = f"{fence.one_line(f'[{note}]')} " if note else ""
    return _item(f"- ({date}) {marked}{name}{_indented(fence.lines(record.content))}", sketch, record.content)


def file_item(briefing: Briefing, format: Format) -> RenderedItem:
    """Render a file's briefing under its path; leave the path out if the text begins with it."""
    if format == "xml":
        lines = [_escaped(line) for line in fence.lines(briefing.text, markup=False)]
        return _item(f'<file path="{_attribute(briefing.path)}">{_indented(["", *lines])}</file>')
    path, lines = fence.one_line(briefing.path), fence.lines(briefing.text)
    named = bool(lines) and lines[0].startswith(f"{path} (")
    return _item(f"- {_indented(lines if named else [path, *lines])}")


def note_item(text: str) -> RenderedItem:
    """Render one line in Markdown about something other than a memory, such as a session at work or a reminder."""
    return _item(f"- {fence.one_line(text)}")


@cache
def frame_tokens(format: Format) -> int:
    """Return an upper bound of the tokens that the fence and the head add to a block."""
    return estimate(fence.frame("", xml=format == "xml")) + 2


@cache
def title_tokens(section: str, format: Format) -> int:
    """Return an upper bound of the tokens that a section without items adds to a block."""
    opening, closing = _title(section, format)
    return estimate(opening) + estimate(closing) + 2


def block(sections: Sequence[tuple[str, Sequence[RenderedItem]]], format: Format) -> tuple[str, str]:
    """Return a block's text and its etag; the text is "" if there are no items.

    The etag is not part of the text, so that an earlier block stays a prefix of a later one, which models cache.
    """
    parts: list[str] = []
    for section, items in sections:
        if items:
            opening, closing = _title(section, format)
            parts.extend((opening, *(f"{item.text}\n" for item in items), closing))
    body = "".join(parts)
    etag = digest(f"{RENDERING_VERSION} {format}\n{body}")
    if not body:
        return "", etag
    return fence.frame(body, xml=format == "xml"), etag


def tokens_of(text: str, sections: Iterable[tuple[str, Sequence[RenderedItem]]], format: Format) -> int:
    """Return the tokens of the text that `block` made of the sections, as `estimate` counts them."""
    if not text.isascii() or not text:
        return estimate(text)
    # An item ends where a token ends. In Markdown, the line end before a section belongs to the token before it.
    bound = 3 if format == "markdown" else 2
    titles = sum(title_tokens(name, format) - bound for name, items in sections if items)
    return frame_tokens(format) - 2 + titles + sum(item.tokens - 1 for _, items in sections for item in items)


def fit_block(
    sections: Iterable[tuple[str, Sequence[RenderedItem]]], budget: int, format: Format, max_lines: int | None = None
) -> tuple[str, str, int]:
    """Return the block of those items that fit the budget, its etag, and how many items did not fit.

    After an item that does not fit, a shorter one still may.
    """
    rest, omitted = budget - frame_tokens(format), 0
    lines_left = _UNLIMITED_LINES if max_lines is None else max_lines - FRAME_LINES
    shown: list[tuple[str, list[RenderedItem]]] = []
    for title, items in sections:
        free_tokens, free_lines = rest - title_tokens(title, format), lines_left - TITLE_LINES
        fitting: list[RenderedItem] = []
        for item in items:
            if item.tokens <= free_tokens and item.lines <= free_lines:
                fitting.append(item)
                free_tokens -= item.tokens
                free_lines -= item.lines
        omitted += len(items) - len(fitting)
        if fitting:
            rest, lines_left = free_tokens, free_lines
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


def _moves(record: MemoryRecord) -> list[str]:
    """Return "old path is now new path" for at most two files that the text names by their former paths."""
    moved = {ref.former: ref.path for ref in record.references if ref.former is not None and ref.path is not None}
    return [f"{old} is now {new}" for old, new in sorted(moved.items()) if old != new and old in record.content][:2]


def _indented(lines: Sequence[str]) -> str:
    return "\n".join(f"  {line}" if position and line else line for position, line in enumerate(lines))


def _attribute(text: str) -> str:
    return _escaped(fence.one_line(text, markup=False)).replace('"', "&quot;")


def _escaped(text: str) -> str:
    """Escape like `html.escape` without quotes; importing `html` would load the names of 2,231 characters."""
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
