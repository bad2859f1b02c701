"""Templates of pages: ids, headings and forms of the markup, and what the template says about itself."""

from __future__ import annotations

import re
from typing import Final

from sidecar.files.clean_text import shorten
from sidecar.files.structure.html_page import html_page
from sidecar.files.structure.result import Lines, Structure, distinct
from sidecar.store.records import SymbolRecord

_TAG: Final = re.compile(r"<%.*?%>", re.S)
_PARTIAL: Final = re.compile(
    r"\brender(?:_to_string)?[\s(]{1,9}(?:(?:partial|layout|template):?\s{0,9}(?:=>)?\s{0,9}:?)?"
    r"(?:[\"']([\w/.-]{1,120})[\"']|([A-Z]\w{1,60}(?:::\w{1,60}){0,4})\.new)"
)
_HELPER: Final = re.compile(
    r"<%[-=]{0,2}\s{0,9}(?P<word>form_with|form_for|form_tag|simple_form_for|bootstrap_form_with|content_for"
    r"|turbo_frame_tag)[\s(]{1,3}(?P<what>[^\n]{1,160}?)\)?\s{0,9}(?:\bdo\b|-?%>|\n)"
)
_NAMED: Final = re.compile(r"(?:\w+:\s*)?[:@\"']{0,3}([\w.-]+)")
_DIRECTIVE: Final = re.compile(
    r"^\s*@(page|inject|using|model|inherits|implements|layout|attribute|typeparam|namespace)[ \t]+([^\n]{1,200})",
    re.M,
)
_COMPONENT: Final = re.compile(r"<([A-Z]\w{1,80})(?=[\s/>])")
_TITLE: Final = re.compile(r"ViewData\[\"Title\"\]\s*=\s*\"([^\"\n]{1,120})\"|<PageTitle>([^<@\n]{1,120})<")
_BLOCK: Final = re.compile(r"@(?:code|functions)\s{0,200}\{")
_CSHARP: Final = re.compile(
    r"//[^\n]*|/\*.*?\*/|\"\"\".*?\"\"\"|@\"[^\"]*\"|\"(?:[^\"\\\n]|\\.)*\"|'(?:[^'\\\n]|\\.){1,9}'|[{}]",
    re.S,
)


def erb(text: str) -> Structure:
    """A page of Rails: its markup, the forms and blocks that its helpers make, and the partials it renders."""
    end = text.rfind("%>") + 2  # what is opened after it has no end to look for
    page = html_page(_TAG.sub(lambda match: " " + "\n" * match[0].count("\n"), text[:end]) + text[end:])
    lines = Lines(text)
    symbols = list(page.symbols)
    for match in _HELPER.finditer(text):
        named = _NAMED.match(match["what"])
        if named is not None:
            kind = "form" if "form" in match["word"] else "block"
            signature = shorten(f"{match['word']} {' '.join(match['what'].split())}", 120)
            line = lines.at(match.start())
            symbols.append(SymbolRecord(kind=kind, name=named[1], start=line, end=line, signature=signature))
    rendered = [match[1] or match[2] for match in _PARTIAL.finditer(text)]
    return Structure(
        page.doc, tuple(symbols), distinct([*rendered, *page.imports]), (), page.partial, page.head
    )


def razor(text: str) -> Structure:
    """A page or component of Razor: its route, what it is given, the components it is made of, its markup."""
    markup = text
    for start, end in code_blocks(text):
        markup = markup[:start] + re.sub(r"[^\n]", " ", text[start:end]) + markup[end:]
    page = html_page(markup)
    lines = Lines(text)
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
    """Where the members of a component's class stand."""
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
