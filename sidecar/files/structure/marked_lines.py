"""AsciiDoc, Org, LaTeX and patches: headings or changed files, each marked by one line."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice, zip_longest

from sidecar.files.clean_text import shorten
from sidecar.files.structure.markdown import Heading, sections
from sidecar.files.structure.result import MAX_CHILDREN, LineNumbers, Structure, capped, distinct
from sidecar.files.structure.sample import plain
from sidecar.store.records import SymbolRecord

_HEADINGS = {
    "asciidoc": re.compile(r"^(={1,6})[ \t]{1,8}(\S.{0,300})$", re.M),
    "org": re.compile(r"^(\*{1,8})[ \t]{1,8}(\S.{0,300})$", re.M),
    "latex": re.compile(r"^[ \t]{0,8}\\(part|chapter|section|subsection|subsubsection)\*?\{([^}\n]{1,300})\}", re.M),
}
_LATEX_LEVELS = {"part": 1, "chapter": 2, "section": 3, "subsection": 4, "subsubsection": 5}
_INCLUDES = {
    "asciidoc": re.compile(r"^include::([^\[\n]{1,300})\[", re.M),
    "latex": re.compile(r"^[ \t]{0,8}\\(?:input|include)\{([^}\n]{1,300})\}", re.M),
}
_CHANGED = re.compile(
    r"^(?:--- (?:a/)?(?!/dev/null)([^\t\n]{1,400})\n\+\+\+ /dev/null"
    r"|\+\+\+ (?:b/)?(?!/dev/null)([^\t\n]{1,400}))",
    re.M,
)
_HUNK = re.compile(r"^(@@ -\d{1,9}(?:,(\d{1,9}))? \+\d{1,9}(?:,(\d{1,9}))? @@)([^\n]{0,100})", re.M)
_CHANGE = re.compile(r"^[+-](?!\+\+|--)[^\n]*\w[^\n]*", re.M)
_SUBJECT = re.compile(r"^Subject: (?:\[PATCH[^\]\n]*\] )?([^\n]{1,200})$", re.M)


def _changed(text: str, lines: LineNumbers) -> Iterator[SymbolRecord]:
    """Yield the changed files and their hunks, each with the numbers of added and removed lines."""
    matches = list(_CHANGED.finditer(text))
    for match, after in zip_longest(matches, matches[1:]):
        name = shorten(f"{match[1].strip()} (deleted)" if match[1] else match[2].strip(), 200)
        end = after.start() if after else len(text)
        hunks = [_counted(hunk, text[hunk.end() : end]) for hunk in _HUNK.finditer(text, match.end(), end)]
        start, added, removed = lines.at(match.start()), 0, 0
        hunk_records = []
        for hunk, plus, minus, rows in hunks:
            added, removed, line = added + plus, removed + minus, lines.at(hunk.start())
            changed = _CHANGE.search(text, hunk.end(), end)
            shown = f" {shorten(changed[0], 80)}" if changed else ""
            signature = f"{hunk[1]} +{plus} -{minus}{hunk[4]}{shown}"
            hunk_records.append(
                SymbolRecord(kind="hunk", name=hunk[1], start=line, end=line + rows, signature=signature)
            )
        last = hunk_records[-1].end if hunk_records else start
        shown = f"{name} +{added} -{removed}" if hunk_records else name
        if name:
            yield SymbolRecord(
                kind="file",
                name=name,
                start=start,
                end=last,
                signature=shown,
                children=capped(hunk_records, MAX_CHILDREN),
            )


def _counted(hunk: re.Match[str], text: str) -> tuple[re.Match[str], int, int, int]:
    """Return a hunk with the numbers of its added, removed and all rows."""
    old, new = int(hunk[2] or 1), int(hunk[3] or 1)
    added = removed = count = 0
    for line in islice(text.split("\n", old + new + 9), 1, None):
        if old <= 0 and new <= 0:
            break
        sign = line[:1]
        added, removed, count = added + (sign == "+"), removed + (sign == "-"), count + 1
        old, new = old - (sign not in {"+", "\\"}), new - (sign not in {"-", "\\"})
    return hunk, added, removed, count


def marked_lines(text: str, *, language: str) -> Structure:
    lines = LineNumbers(text)
    if language == "diff":
        found = list(_changed(text, lines))
        subject = _SUBJECT.search(text[:2_000])
        doc = subject[1] if subject else f"Patch of {len(found):,} {'file' if len(found) == 1 else 'files'}."
        return Structure(doc=doc, symbols=capped(found, what="files")) if found else plain(text)
    headings = []
    for match in _HEADINGS[language].finditer(text):
        level = _LATEX_LEVELS.get(match[1]) or len(match[1])
        headings.append(Heading(level, " ".join(match[2].split()), lines.at(match.start())))
    if not headings:
        return plain(text)
    first = min(heading.level for heading in headings)
    headings = [Heading(heading.level - first + 1, heading.name, heading.line) for heading in headings]
    included = _INCLUDES[language].findall(text) if language in _INCLUDES else []
    return Structure(symbols=sections(headings, lines.count), imports=distinct(included))
