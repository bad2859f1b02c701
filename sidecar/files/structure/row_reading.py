"""Texts read as rows, nested by indentation, below headings, or below the comments before them."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise, starmap
from pathlib import Path
from typing import Final

from sidecar.files.outline.comments import doc_of, strip_markers

TABLE: Final = tomllib.loads((Path(__file__).parent / "rows.toml").read_text(encoding="utf-8"))
PATTERNS: Final = {name: re.compile(pattern) for name, pattern in TABLE["patterns"].items()}
READ_CHARS: Final = 1_000  # of a row; a key that begins in what is shown of it is whole, and masked
LINE_CHARS: Final = 140
_SECTIONS: Final = 3  # comments that make the sections of a text
_COMMENT, _BLOCK, _SETTING, _CLOSER, _HEADING, _RULE = (
    PATTERNS[name] for name in ("comment", "block", "setting", "closer", "heading", "rule")
)
_SKIPPED, _KEY, _LICENCE = (PATTERNS[name] for name in ("skipped", "key", "licence"))
_CLOSING: Final = {"/*": "*/", "<!": "-->", "<#": "#>", "{{": "*/", "{#": "#}", "(*": "*)"}
_OPENERS: Final = frozenset({"{", "[", "- {", "("})
_FEW_WORDS: Final = 7  # with the comment's sign
_KEY_TAG: Final = re.compile(r"<key>([^<>]+)</key>")
_UNPROSAIC: Final = re.compile(r"[={}<>|;_$\\%@]")


@dataclass(slots=True)
class TextRow:
    """A row with the rows indented below it; `end` is the last line of all of these."""

    number: int
    indent: int
    text: str
    end: int
    comment: bool = False
    parent: TextRow | None = None
    children: list[TextRow] = field(default_factory=list)
    among: list[TextRow] = field(default_factory=list)
    at: int = 0
    chosen: bool = False
    told: str = ""
    longer: str = ""
    asked: str = ""
    named: re.Match[str] | None = None


def header(text: str) -> str | None:
    """Return the first sentence of the comment that begins a text."""
    told = doc_of(strip_markers("\n".join(_head(text[:8_000].split("\n")))))
    return None if told is None or _LICENCE.search(told) else told


def _head(lines: Sequence[str]) -> list[str]:
    """Return the rows of the comment at the beginning, unless it is a few words about the row right below."""
    above = list(_until_content(lines))
    alone = sum(map(bool, above)) == 1 and len(above) < len(lines)
    return [] if alone and above[-1] and 2 < len(above[-1].split()) <= _FEW_WORDS else above


def _until_content(lines: Sequence[str]) -> Iterator[str]:
    """Yield the rows of the comment at the beginning."""
    closing = ""
    for line in lines:
        bare = line.strip()
        block = None if closing else _BLOCK.match(bare)
        if block:
            closing = _CLOSING[block[0][:2]]
        if not (closing or not bare or bare.startswith(("#!", "<?xml")) or _COMMENT.match(bare)):
            return
        if _SETTING.match(bare):
            return
        yield "" if bare.startswith(("#!", "<?xml")) else line
        if closing and closing in bare:
            closing = ""


def read(lines: Sequence[str], *, has_header: bool = True) -> Iterator[TextRow]:
    """Yield the rows after the header's comment; paragraphs, comments and continued rows are one each."""
    first = len(_head(lines)) if has_header else 0
    last: TextRow | None = None
    joined = tag = False
    closing = ""
    for number, line in enumerate(lines[first:], first + 1):
        bare = line[:READ_CHARS].strip()
        if not bare:
            joined = False
            if not closing:
                last = None
            continue
        flat = line.expandtabs(4) if "\t" in line else line
        indent = len(flat) - len(flat.lstrip())
        block = None if closing or bare[0].isalnum() else _BLOCK.match(bare)
        marked = not bare[0].isalnum() or bare[0] in "rRd"
        comment = bool(closing or block or (marked and _COMMENT.match(bare) and not _SETTING.match(bare)))
        if block:
            closing = _CLOSING[block[0][:2]]
        if closing and closing in bare:
            closing = ""
        same = last is not None and last.comment == comment
        continued = (
            same and (comment or (last.indent == indent and prose(bare) and prose(last.text))) if last else False
        )
        if last is not None and (joined or continued):
            last.end = number
            if len(last.text) < (READ_CHARS if tag else 2 * LINE_CHARS):
                last.text += "\n" + bare if comment else " " + bare.rstrip("\\").strip()
            joined = bare.endswith("\\") or (tag and ">" not in bare)
            continue
        tag = bare[0] == "<" and bare[:2] != "<<" and not comment
        joined = (bare.endswith("\\") and not comment) or (tag and ">" not in bare)
        last = TextRow(number, indent, bare.rstrip("\\").rstrip() or bare, number, comment)
        yield last


def nested(every: list[TextRow]) -> list[TextRow]:
    """Put each row below the last one that is indented less, and rows of a section below its heading."""
    roots: list[TextRow] = []
    stack: list[TextRow] = []
    kept: list[TextRow] = []
    lifted: TextRow | None = None
    for row in every:
        named = row.text[0].isalnum()
        title = kept[-1] if kept and kept[-1].end == row.number - 1 and not kept[-1].children else None
        if title is not None and not named and _RULE.fullmatch(row.text):
            if title.parent is not None:
                title.parent.children.remove(title)
                title.parent, title.among, title.at = None, roots, len(roots)
                roots.append(title)
            title.indent, title.end, stack = -1, row.number, [title]
            continue
        if _SKIPPED.match(row.text) or (row.comment and _LICENCE.search(row.text) and not _described(row)):
            continue
        if row.text == "{" and not kept:
            continue
        if row.text in _OPENERS and (not stack or stack[-1].indent < row.indent):
            lifted = row  # an item of a list, told by its first row
            continue
        if (not named or row.text[0] in "efdbB") and _CLOSER.fullmatch(row.text) and not _HEADING.match(row.text):
            lifted = None
            while stack and stack[-1].indent > row.indent:
                stack.pop()
            if stack:
                stack[-1].end = max(stack[-1].end, row.end)
                if stack[-1].indent == row.indent and row.text[-1] not in "{[(:" and row.text.lower() != "begin":
                    stack.pop()
            continue
        if (key := _KEY_TAG.fullmatch(row.text)) is not None:
            row.text, lifted = f"{key[1]}:", row  # a property list's, told with its value
            continue
        if lifted is not None and not row.comment:
            row.indent, row.number, row.text, lifted = lifted.indent, lifted.number, f"{lifted.text} {row.text}", None
        if not row.comment and not row.indent and _HEADING.match(row.text):
            row.indent = -2 if row.text.startswith("+++") else -1
        while stack and stack[-1].indent >= row.indent:
            stack.pop()
        row.parent = stack[-1] if stack else None
        siblings = row.parent.children if row.parent else roots
        row.at, row.among = len(siblings), siblings
        siblings.append(row)
        kept.append(row)
        if not row.comment:
            stack.append(row)
    every[:] = kept
    if sum(starmap(_heads, pairwise(roots))) >= _SECTIONS and not any(row.children for row in roots):
        roots = _by_comments(roots)
    for row in reversed(kept):
        if row.parent is not None:
            row.parent.end = max(row.parent.end, row.end)
    return roots


def _by_comments(rows: list[TextRow]) -> list[TextRow]:
    """Put the rows of a text without indentation below the comments before them that follow an empty line."""
    roots: list[TextRow] = []
    head: TextRow | None = None
    for above, row in pairwise([rows[0], *rows]):
        if _heads(above, row):
            head = None
        row.parent = head
        row.among = row.parent.children if row.parent else roots
        row.at = len(row.among)
        row.among.append(row)
        if _heads(above, row):
            head = row
    return roots


def _heads(above: TextRow, row: TextRow) -> bool:
    return row.comment and row.number > above.end + 1


def _described(row: TextRow) -> str | None:
    """Return the first sentence of a comment that is about the text, not its licence."""
    told = doc_of(strip_markers(row.text), code_allowed=True)
    return None if told is None or _LICENCE.search(told) else told


def prose(text: str) -> bool:
    """Return whether a row reads like a line of a sentence."""
    begins = text[:1].isalpha() or text[:1] in "\"'(“"
    return (
        begins
        and text.count(" ") >= 4
        and not _UNPROSAIC.search(text)
        and not _KEY.match(text)
        and 2 * sum(map(str.isalpha, text)) > len(text)
    )
