"""Templates of Rails (ERB), Laravel (Blade) and ASP.NET (Razor): their markup, and what their tags declare and load."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, Final

from sidecar.files.clean_text import shorten
from sidecar.files.structure.html_page import html_page
from sidecar.files.structure.result import LineNumbers, Structure, capped, distinct
from sidecar.store.records import SymbolRecord

_TABLE: Final = tomllib.loads((Path(__file__).parent / "templates.toml").read_text(encoding="utf-8"))
_READS_CHARS: Final = 160  # the maximum length of the list of variables that a template reads
_CODE_BLOCK: Final = re.compile(r"@(?:code|functions)\s{0,200}\{")
_CSHARP: Final = re.compile(
    r"//[^\n]*|/\*.*?\*/|\"\"\".*?\"\"\"|@\"[^\"]*\"|\"(?:[^\"\\\n]|\\.)*\"|'(?:[^'\\\n]|\\.){1,9}'|[{}]", re.S
)


def template(text: str, *, language: str) -> Structure:
    """Outline a template by the patterns of templates.toml. The markup around its tags is read as an HTML page."""
    rules = _TABLE[language]
    lines = LineNumbers(text)
    if language == "razor":
        for start, end in code_blocks(text):
            text = text[:start] + re.sub(r"[^\n]", " ", text[start:end]) + text[end:]
    end = text.rfind("%>") + 2 if language == "erb" else len(text)  # no tag that begins later is closed
    text = _without(rules.get("comment"), text)
    page = html_page(_without(rules.get("code"), text[:end]) + text[end:])
    symbols = [*page.symbols, *_symbols(rules, text, lines)]
    symbols.sort(key=lambda symbol: symbol.start)
    imports = _groups(rules["imports"], text)
    title = next(_groups([rules["title"]], text), "").strip() if "title" in rules else ""
    return Structure(
        doc=f"Page “{title}”." if title else page.doc,
        symbols=capped(symbols, what="elements"),
        imports=distinct([*imports, *page.imports]),
        entry_points=distinct(_groups([rules["entry_points"]], text)) if "entry_points" in rules else (),
        partial=page.partial,
        head=page.head if not symbols else None,
    )


def _symbols(rules: dict[str, Any], text: str, lines: LineNumbers) -> Iterator[SymbolRecord]:
    for kind, pattern in rules["symbols"]:
        for match in re.finditer(pattern, text):
            line = lines.at(match.start("shown"))
            shown = shorten(" ".join(match["shown"].split()), 200)
            yield SymbolRecord(kind=kind, name=shorten(match["name"], 80), start=line, end=line, signature=shown)
    reads = distinct(re.findall(rules["reads"], text)) if "reads" in rules else ()
    if reads:
        shown = shorten(f"reads: {', '.join(reads)}", _READS_CHARS)
        line = lines.at(text.index(reads[0]))
        yield SymbolRecord(kind="call", name=shown.replace(":", "", 1), start=line, end=line, signature=shown)


def _groups(patterns: Iterable[str], text: str) -> Iterator[str]:
    """Yield the text of the group in each match."""
    for pattern in patterns:
        for match in re.finditer(pattern, text):
            yield next(filter(None, match.groups()), "").strip()


def _without(pattern: str | None, text: str) -> str:
    """Return a text with its line breaks but without the matches."""
    return re.sub(pattern, lambda match: " " + "\n" * match[0].count("\n"), text) if pattern else text


def code_blocks(text: str) -> list[tuple[int, int]]:
    """Return the ranges that contain the members of a component's class."""
    found: list[tuple[int, int]] = []
    at = 0
    while (opening := _CODE_BLOCK.search(text, at)) is not None:
        depth, at = 1, opening.end()
        end = len(text)
        for mark in _CSHARP.finditer(text, at):
            depth += (mark[0] == "{") - (mark[0] == "}")
            if not depth:
                end = mark.start()
                break
        found.append((at, end))
        at = end
    return found
