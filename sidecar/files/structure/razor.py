"""Razor: a page's or component's route, parameters, components, markup and blocks of code."""

from __future__ import annotations

import re
from typing import Final

from sidecar.files.clean_text import shorten
from sidecar.files.structure.html_page import html_page
from sidecar.files.structure.result import LineNumbers, Structure, distinct
from sidecar.store.records import SymbolRecord

_DIRECTIVE: Final = re.compile(
    r"^\s*@(page|inject|using|model|inherits|implements|layout|attribute|typeparam|namespace)[ \t]+([^\n]{1,200})", re.M
)
_COMPONENT: Final = re.compile(r"<([A-Z]\w{1,80})(?=[\s/>])")
_TITLE: Final = re.compile(r"ViewData\[\"Title\"\]\s*=\s*\"([^\"\n]{1,120})\"|<PageTitle>([^<@\n]{1,120})<")
_BLOCK: Final = re.compile(r"@(?:code|functions)\s{0,200}\{")
_CSHARP: Final = re.compile(
    r"//[^\n]*|/\*.*?\*/|\"\"\".*?\"\"\"|@\"[^\"]*\"|\"(?:[^\"\\\n]|\\.)*\"|'(?:[^'\\\n]|\\.){1,9}'|[{}]", re.S
)


def razor(text: str) -> Structure:
    """Outline a Razor page or component: its route, parameters, used components and markup."""
    markup = text
    for start, end in code_blocks(text):
        markup = markup[:start] + re.sub(r"[^\n]", " ", text[start:end]) + markup[end:]
    page = html_page(markup)
    lines = LineNumbers(text)
    symbols = list(page.symbols)
    imports: list[str] = []
    points: list[str] = []
    for match in _DIRECTIVE.finditer(markup):
        word, value = match[1], match[2].strip().rstrip(";")
        kind, _, name = value.partition(" ")
        if word == "page":
            points.append(f"@page {shorten(value, 80)}")
        elif word == "using":
            imports.append(value.rpartition("=")[2].strip())
        elif word in {"model", "inherits", "implements", "layout"}:
            imports.append(re.split(r"[<(\[ ]", value)[0])
        if word in {"inject", "model", "typeparam"}:
            line = lines.at(match.start(1))
            shown = shorten(f"@{word} {value}", 120)
            named = name.strip() if word == "inject" and name else kind if word == "typeparam" else word
            symbols.append(SymbolRecord(kind="property", name=named, start=line, end=line, signature=shown))
    imports += [match[1] for match in _COMPONENT.finditer(markup)]
    title = _TITLE.search(text)
    doc = f"Page “{(title[1] or title[2]).strip()}”." if title is not None else page.doc
    return Structure(doc, tuple(symbols), distinct(imports), tuple(points), page.partial, page.head)


def code_blocks(text: str) -> list[tuple[int, int]]:
    """Return the ranges that contain the members of a component's class."""
    found: list[tuple[int, int]] = []
    at = 0
    while (opening := _BLOCK.search(text, at)) is not None:
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
