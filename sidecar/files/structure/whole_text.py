"""A small file's own text as rows: the best briefing where any other would cost nearly as much as the file.

Rows nest by indentation. Lines that only close something, empty lines and licences are left out, and of a row that
follows the one above, the number.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from sidecar.files.clean_text import shorten
from sidecar.files.language import CODE
from sidecar.files.outline.comments import LICENCE
from sidecar.files.structure.body_rows import BLOCKS, CLOSES, IMPORTS, LOOSE, BodyRow, redact_rows
from sidecar.files.structure.row_masks import safe
from sidecar.files.structure.row_reading import TextRow
from sidecar.store.records import SymbolRecord
from sidecar.text.tokens import estimate

TEXT, UNNUMBERED = "text", "unnumbered"  # kinds of records that stand for lines of the file, with their numbers or not
TEXTS: Final = frozenset({TEXT, UNNUMBERED})
_ROW_CHARS: Final = 600
_JOINED_CHARS: Final = 100  # of a block that is told on one line
_DEPTH: Final = 5  # levels that are told apart
_SHARED_CHARS: Final = 130  # of rows that share a record
# Versions of a text, until one fits: lines of a record, less one, from which on it has a number, whether it has one
# after an empty line, whether its last line is told, whether imports are, and characters of a comment.
_VERSIONS: Final = (
    (0, True, True, True, 0),
    (1, True, True, True, 0),
    (2, True, False, True, 0),
    (2, False, False, True, 0),
    (4, False, False, True, 0),
    (8, False, False, True, 0),
    (8, False, False, True, 90),
    (8, False, False, False, 0),
    (8, False, False, False, 90),
    (12, False, False, False, 60),
)
_RULED: Final = re.compile(r"([^\w\s])\1{5,}")
_WORDED: Final = re.compile(r"\w")
_END_TAG: Final = re.compile(r"</[\w:.-]+>$")
_HEADS: Final = re.compile(r"\[[^\]]+\]+$")  # of a section
_COMMENT: Final = {
    "hash": re.compile(r"\s*#(?!(?:\[|define|if|endif|el))"),
    "dashes": re.compile(r"\s*--+(?=\s|$|\w)"),
    "slashes": re.compile(r"\s*(?:///?!?|\*(?=\s|$))"),
}
_HASHED: Final = frozenset(
    "python ruby elixir julia bash powershell terraform nix yaml toml makefile dockerfile cmake gomod perl r".split()
)
_DASHED: Final = frozenset("lua haskell elm ada vhdl".split())
_SECTIONED: Final = frozenset({"toml", "systemd", "editorconfig", "gitconfig"})
_LICENCE_WITHIN: Final = 40  # lines
_SCRIPTS: Final = frozenset({"bash", "powershell"})  # code with values that are masked like those of settings
_SHAPED: Final = frozenset({"terraform", "nix"})


def text_rows(language: str, lines: Sequence[str], room: int) -> tuple[SymbolRecord, ...]:
    """Return the text as records, or none if it needs more than `room` tokens."""
    code = language in CODE - _SCRIPTS - _SHAPED
    roots = _tree(lines, language)
    if not code:
        _mask(roots)
    for row in _every(roots):
        _join(row)
    rows = list(_every(roots))
    for row in rows:
        row.text = _RULED.sub(r"\1\1\1", row.text)
    redact_rows(rows, _ROW_CHARS)
    for least, gaps, ends, imports, comment_chars in _VERSIONS:
        if not imports:
            roots = [row for row in roots if not IMPORTS.match(row.text)]
        for row in rows if comment_chars else ():
            row.text = shorten(row.text, comment_chars) if row.comment else row.text
        found = tuple(_records(roots, least, gaps=gaps, ends=ends))
        if estimate("\n".join(shown_rows(found))) <= room:
            return found
    return ()


def shown_rows(records: Sequence[SymbolRecord], depth: int = 0) -> Iterator[str]:
    """Yield the lines of a briefing that show these records."""
    for record in records:
        lines = f" L{record.start}-{record.end}" if record.end > record.start else f" L{record.start}"
        yield f"{'  ' * depth}{record.signature}{lines if record.kind == TEXT else ''}"
        yield from shown_rows(record.children, depth + 1)


def _tree(lines: Sequence[str], language: str) -> list[BodyRow]:
    lead = _COMMENT["hash" if language in _HASHED else "dashes" if language in _DASHED else "slashes"]
    roots: list[BodyRow] = []
    stack: list[BodyRow] = []
    last: BodyRow | None = None
    closing = ""
    for number, line in enumerate(lines, 1):
        bare = line.strip()
        if closing and last is not None:
            last.end, last.text = number, f"{last.text} {bare.removesuffix('*/').strip('* ')}".rstrip()
            closing = "" if closing in bare else closing
            continue
        if last is not None and not last.comment and last.end == number - 1 and last.text[-1] == "\\":
            last.end, last.text = number, f"{last.text[:-1].rstrip()} {bare}"
            continue
        block = next((end for begin, end in BLOCKS if bare.startswith(begin)), "")
        decoration = not block and lead.match(line) and not _WORDED.search(line)
        if not bare or decoration or (number == 1 and bare.startswith("#!")):
            continue
        flat = line.expandtabs(4)
        indent = len(flat) - len(flat.lstrip())
        if language in _SECTIONED and not indent and _HEADS.match(bare):
            indent = -1
        closing = "" if block in bare[2:] else block
        comment = block != "" or (lead.match(line) is not None)
        closes = not comment and (CLOSES.match(bare) or _END_TAG.match(bare))
        opens = closes and bare[-1] in "{[(" and (not stack or stack[-1].indent < indent)
        while stack and stack[-1].indent >= indent and not (stack[-1].indent == indent and closes):
            stack.pop()
        if closes and not opens:
            if stack and stack[-1].indent == indent:
                if bare[0] != "<":
                    stack[-1].parts.append((len(stack[-1].children), bare))
                stack[-1].end = number
                if bare[-1] not in "[({":
                    stack.pop()
            continue
        if comment and last is not None and last.comment and last.end == number - 1 and last.indent == indent:
            last.end, last.text = number, f"{last.text} {lead.sub('', line, count=1).strip() or bare}"
            continue
        last = BodyRow(number, indent, bare, number, comment, parent=stack[-1] if stack else None)
        (stack[-1].children if stack else roots).append(last)
        if not comment:
            stack.append(last)
    return [row for row in roots if not (row.comment and row.number < _LICENCE_WITHIN and LICENCE.search(row.text))]


def _every(rows: Iterable[BodyRow]) -> Iterator[BodyRow]:
    for row in rows:
        yield row
        yield from _every(row.children)


def _join(row: BodyRow) -> None:
    """Tell a short block on the line that opens it."""
    if (row.children or row.parts) and (whole := row.whole(_JOINED_CHARS)) is not None:
        row.end, row.text, row.children, row.parts = row.last, LOOSE.sub("", whole), [], []
    row.end = row.last


def _mask(rows: Sequence[BodyRow], above: TextRow | None = None) -> None:
    """Hide values beside, below and above the name of a secret."""
    level = [TextRow(row.number, row.indent, row.text, row.end, row.comment, parent=above) for row in rows]
    valued = [text for text in level if not text.comment]
    for at, text in enumerate(valued):
        text.siblings, text.index = valued, at
    for text, row in zip(level, rows, strict=True):
        text.children = [TextRow(child.number, child.indent, child.text, child.end) for child in row.children]
        text.most = _ROW_CHARS
    for text, row in zip(level, rows, strict=True):
        row.end = row.last
        _mask(row.children, text)
        shown, last = safe(text), row.text[-1]
        row.text = shown if last not in ",;{[(" or shown[-1:] == last else f"{shown}{' ' if last == '{' else ''}{last}"


def _records(rows: Iterable[BodyRow], least: int, depth: int = 0, *, gaps: bool, ends: bool) -> Iterator[SymbolRecord]:
    """Yield rows as records; neighbours with nothing below them share one, and short ones have no number."""
    shared: list[BodyRow] = []
    text, after = "", 0

    def record(children: tuple[SymbolRecord, ...] = ()) -> SymbolRecord:
        start, end = shared[0].number, shared[-1].end
        numbered = end - start >= least or (gaps and start > after + 1)
        end = end if ends or not depth else start
        shown = text.rstrip("{; ") or text
        return SymbolRecord(
            kind=TEXT if numbered else UNNUMBERED,
            name=shown[:40],
            start=start,
            end=end,
            signature=shown,
            children=children,
        )

    for row in rows:
        alone = bool(row.children) or row.comment
        near = bool(shared) and row.number == shared[-1].end + 1 and not alone and not shared[-1].comment
        joint = " " if text[-1:] in ",;>([{|" or row.text[:1] == "<" else "; "
        if shared and not (near and len(text) + len(row.text) < _SHARED_CHARS):
            yield record()
            after, shared = shared[-1].end, []
        if not row.text:
            continue
        text = f"{text}{joint}{row.text}" if shared else row.text
        shared.append(row)
        if row.children:
            below = tuple(_records(row.children, least, depth + 1, gaps=gaps, ends=ends))
            yield record(below if depth < _DEPTH else ())
            yield from below if depth >= _DEPTH else ()
            after, shared = row.end, []
    if shared:
        yield record()
