"""AsciiDoc, Org, LaTeX and patches: headings or changed files, each marked by one line."""

from __future__ import annotations

import re

from sidecar.files.clean_text import shorten
from sidecar.files.structure.markdown import Heading, sections
from sidecar.files.structure.result import LineNumbers, Structure, capped, distinct
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
_SUBJECT = re.compile(r"^Subject: (?:\[PATCH[^\]\n]*\] )?([^\n]{1,200})$", re.M)


def marked_lines(text: str, *, language: str) -> Structure:
    lines = LineNumbers(text)
    if language == "diff":
        files = [
            (shorten(f"{match[1].strip()} (deleted)" if match[1] else match[2].strip(), 200), lines.at(match.start()))
            for match in _CHANGED.finditer(text)
        ]
        found = [
            SymbolRecord(kind="file", name=name, start=line, end=line, signature=name) for name, line in files if name
        ]
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
