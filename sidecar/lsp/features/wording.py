"""Word memories and facts for people: dates, states, and stored text that cannot become markup.

Stored text is shown inside a fence, where no link, command, image or HTML works.
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Sequence

from sidecar.engine.editor.views import FacetView, MemoryView
from sidecar.memories.wording.naming import is_derived
from sidecar.text import fence
from sidecar.text.times import utc_day

WIDTH = 96
MAX_LINES = 12
_DAY = 86_400_000


def dated(at: int, now: int) -> str:
    """Return a day and its distance: `2026-01-31 (3 weeks ago)`."""
    days = max(0, now // _DAY - at // _DAY)
    if days < 2:
        ago = "today" if days == 0 else "yesterday"
    elif days < 14:
        ago = f"{days} days ago"
    elif days < 61:
        ago = f"{days // 7} weeks ago"
    elif days < 730:
        ago = f"{days // 30} months ago"
    else:
        ago = f"{days // 365} years ago"
    return f"{utc_day(at)} ({ago})"


def title(text: str, length: int = 60) -> str:
    line = fence.one_line(text, markup=False)
    return line if len(line) <= length else f"{line[: length - 1].rstrip()}…"


def counted(number: int, noun: str, plural: str | None = None) -> str:
    """Return `1 memory`, `3 memories`."""
    return f"{number} {noun if number == 1 else plural or noun + 's'}"


def head(memory: MemoryView, now: int, markdown: bool = False) -> str:
    """Return a memory's kind, scope, date, freshness and, if it is not the user's, author."""
    parts = [f"{memory.category or memory.type}, {memory.scope}", f"recorded {dated(memory.created_at, now)}"]
    if memory.updated_at // _DAY != memory.created_at // _DAY:
        parts.append(f"changed {dated(memory.updated_at, now)}")
    if memory.verified_at is not None:
        parts.append(f"verified {dated(memory.verified_at, now)}")
    if memory.status == "suspect":
        parts.append(f"SUSPECT: {code(memory.doubt, markdown)}")
    elif memory.status != "active":
        parts.append(memory.status)
    if memory.author is not None:
        parts.append(f"by {code(memory.author, markdown)}")
    return " · ".join(parts)


def article(state: str, kind: str) -> str:
    """Return `an open issue`, `a merged merge request`."""
    noun = {"mergeRequest": "merge request"}.get(kind, kind)
    return f"{'an' if state[:1] in 'aeiou' else 'a'} {state} {noun}"


def body(name: str, content: str) -> list[str]:
    """Return the lines of a memory's text, cut after `MAX_LINES`; return the name instead if the name says more."""
    lines: list[str] = []
    if name and not is_derived(name, content):
        lines.append(title(name, 1_000))
    lines += _wrapped(content)
    return lines if len(lines) <= MAX_LINES else [*lines[: MAX_LINES - 1], "…"]


def facet_lines(facet: FacetView) -> list[str]:
    return _wrapped(facet.text)


def block(lines: Sequence[str], markdown: bool) -> str:
    """Quote lines of stored text for the client: fenced in Markdown, indented in plain text."""
    if not markdown:
        return "\n".join(f"  {line}".rstrip() for line in lines)
    longest = max((len(run) for line in lines for run in re.findall("`+", line)), default=0)
    mark = "`" * max(3, longest + 1)
    return "\n".join([f"{mark}text", *lines, mark])


def code(text: str, markdown: bool) -> str:
    """Quote a path or symbol inside a sentence."""
    plain = title(text, 200).replace("`", "'")
    return f"`{plain}`" if markdown and plain else plain


def link(label: str, uri: str) -> str:
    """Return a Markdown link; brackets in a URI would end it."""
    return f"[{label}]({uri.replace('(', '%28').replace(')', '%29')})"


def _wrapped(text: str) -> list[str]:
    return [part for line in fence.lines(text, markup=False) for part in textwrap.wrap(line, WIDTH) or [""]]
