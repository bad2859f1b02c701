"""One memory as a file shows it, and its form as an item of a Markdown list.

    - **Name** *(decision, pinned, agent: reviewer, by: Kim [kim])*: the first line of the text
      each further line, indented by two

A name derived from the text is left out. The last line of a long text tells how many lines are missing. The author is
only shown: editing it changes no memory.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from typing import Any

from sidecar.store.vocabulary import CATEGORIES
from sidecar.text.lazy_patterns import lazy

INDENT = "  "
_BULLET = lazy(r"(?:[-*+]|\d{1,9}[.)])[ \t]+")
_BOLD_NAME = lazy(r"\*\*((?:\\.|[^*\\])+?)(:?)\*\*[ \t]*")
_MARKS_GROUP = lazy(r"\*\(([^()*]{1,300})\)\*[ \t]*")
_NAME_JOINT = lazy(r":(?:[ \t]+|\Z)|[-–—][ \t]+")
_CUT_MARK = lazy(r"… \*\(\d+ more lines?\b[^()]*\)\*")
_AGENT_MARK = lazy(r"agent:[ \t]*(.+)")
_AUTHOR_MARK = lazy(r"by:[ \t]*(.+)")


@dataclass(frozen=True, slots=True)
class Entry:
    """A memory's fields that a file may show. Entries that differ only in `author` are equal."""

    type: str
    text: str
    name: str | None = None  # None: derived from the text
    category: str | None = None
    agent: str | None = None
    pinned: bool = False
    cut: bool = False  # the file shows only the beginning of the text
    description: str | None = None  # only shown in pages of the directory form
    tags: tuple[str, ...] = ()  # only shown in pages of the directory form
    author: str | None = field(default=None, compare=False)

    @property
    def lines(self) -> list[str]:
        """Return the text's lines without white space at their ends, which people do not see."""
        return [line.rstrip() for line in self.text.split("\n")]


def marker(line: str) -> str | None:
    """Return the list marker at the beginning of a line, with its blanks, or None."""
    match = _BULLET.match(line)
    return match.group() if match else None


def render(entry: Entry, max_lines: int, command: str) -> list[str]:
    """Return an entry's lines; `command` shows the lines beyond `max_lines`."""
    text_lines = entry.lines
    if len(text_lines) > max_lines:
        missing = len(text_lines) - (max_lines - 1)
        text_lines = [*text_lines[: max_lines - 1], f"… *({missing} more lines: {command})*"]
    name = re.sub(r"([*\\]|:\Z)", r"\\\1", entry.name or "")
    head = " ".join(part for part in (f"**{name}**" if name else "", _render_marks(entry)) if part)
    joint = ": " if entry.name else " " if head else ""
    first, *rest = text_lines
    return [f"- {head}{joint}{first}".rstrip(), *(f"{INDENT}{line}".rstrip() for line in rest)]


def show(entry: Entry, name: str, max_lines: int, command: str) -> tuple[Entry, list[str]]:
    """Return an entry as the file shows it, and its lines; if it would be misread, it gets the name `name`."""
    for candidate in (entry, replace(entry, name=name)):
        lines = render(candidate, max_lines, command)
        read = parse(lines, entry.type)
        if read is not None and (read.name, read.category) == (candidate.name, candidate.category):
            break
    return read or entry, lines


def parse(lines: list[str], type: str) -> Entry | None:
    """Parse the lines of a list item, with its marker; return None if they have no text."""
    match = _BULLET.match(lines[0])
    width = match.end() if match else 0
    body = [lines[0][width:].strip(), *(_outdent(line, max(width, 2)).rstrip() for line in lines[1:])]
    cut = len(body) > 1 and _CUT_MARK.fullmatch(body[-1].strip()) is not None
    if cut:
        body.pop()
    name, rest = _split_name(body[0])
    fields, rest = _split_marks(rest)
    if name is not None:
        joint = _NAME_JOINT.match(rest)
        rest = rest[joint.end() :] if joint else rest
    text = "\n".join([rest.strip(), *body[1:]]).strip("\n")
    if not text.strip():
        return None
    return Entry(type, text, name, cut=cut, **fields)


def _split_name(line: str) -> tuple[str | None, str]:
    """Split off the bold name at the beginning of a line, if a colon, a dash or marks follow."""
    match = _BOLD_NAME.match(line)
    if match is None:
        return None, line
    rest = line[match.end() :]
    if not match.group(2) and not _NAME_JOINT.match(rest) and _split_marks(rest)[-1] == rest:
        return None, line
    name = " ".join(re.sub(r"\\(.)", r"\1", match.group(1)).split())
    return (name or None), rest


def _split_marks(text: str) -> tuple[dict[str, Any], str]:
    """Split off the fields that the marks in parentheses name; with any unknown word, they belong to the text."""
    match = _MARKS_GROUP.match(text)
    fields: dict[str, Any] = {}
    for mark in (part.strip() for part in match.group(1).split(",")) if match else ():
        if mark == "pinned":
            fields["pinned"] = True
        elif mark in CATEGORIES:
            fields["category"] = mark
        elif agent := _AGENT_MARK.fullmatch(mark):
            fields["agent"] = agent.group(1).strip()
        elif author := _AUTHOR_MARK.fullmatch(mark):
            fields["author"] = author.group(1).strip()
        else:
            return {}, text
    return fields, text[match.end() :] if match else text


def _render_marks(entry: Entry) -> str:
    marks = [entry.category, "pinned" if entry.pinned else None]
    if entry.agent and not set(entry.agent) & set("()*,\n"):
        marks.append(f"agent: {entry.agent}")
    marks.append(f"by: {entry.author}" if entry.author else None)
    shown = [mark for mark in marks if mark]
    return f"*({', '.join(shown)})*" if shown else ""


def _outdent(line: str, width: int) -> str:
    if line.startswith("\t"):
        return line[1:]
    blanks = len(line) - len(line.lstrip(" "))
    return line[min(blanks, width) :]
