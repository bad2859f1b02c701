"""HTML: title, description, headings, landmarks with ids, forms; scripts and style sheets as imports."""

from __future__ import annotations

import re
from html import unescape
from typing import Final

from msgspec.structs import replace

from sidecar.files.clean_text import shorten
from sidecar.files.structure.result import LineNumbers, Structure, capped, distinct, first_sentence
from sidecar.files.structure.sample import sample
from sidecar.files.structure.tags import Tag, tags
from sidecar.store.records import SymbolRecord

_HEADING = re.compile(r"h[1-6]")
_FILLED = re.compile(r"\{%[^\n]{0,400}?%\}")
_LANDMARKS = frozenset("main nav section article aside header footer form dialog template table canvas".split())


def html_page(text: str) -> Structure:
    """Return the symbols of an HTML page, each one line long except forms."""
    lines = LineNumbers(text)
    doc: str | None = None
    title: str | None = None
    symbols: list[SymbolRecord] = []
    imports: list[str] = []
    form: list[SymbolRecord] | None = None
    form_at = 0
    heading: tuple[Tag, list[str]] | None = None
    opened = closed = 0

    def add(kind: str, name: str, signature: str, at: Tag, end: int | None = None) -> None:
        line = lines.at(at.start)
        symbols.append(SymbolRecord(kind=kind, name=name, start=line, end=max(line, end or line), signature=signature))

    for tag in tags(text, html=True):
        name, attributes = tag.name, tag.attributes
        opened += name in _LANDMARKS and not tag.closing
        closed += name in _LANDMARKS and tag.closing
        if heading is not None:
            start, parts = heading
            if (tag.closing and name == start.name) or len(parts) > 40:
                words = _words(" ".join(parts))
                if words:
                    add("heading", words, f"{start.name} {words}", start, lines.at(tag.start))
                heading = None
            else:
                parts.append(tag.text)
        if tag.closing:
            if name == "form" and form is not None:
                last = symbols[form_at]
                symbols[form_at] = replace(last, end=max(last.start, lines.at(tag.start)), children=tuple(form))
                form = None
            continue
        if name == "title" and title is None:
            title = _words(tag.text)
        elif name == "meta" and attributes.get("name", "").lower() == "description":
            doc = first_sentence(attributes.get("content", ""))
        elif name == "script" and attributes.get("src"):
            imports.append(attributes["src"])
        elif name == "link" and attributes.get("href") and attributes.get("rel", "stylesheet").lower() == "stylesheet":
            imports.append(attributes["href"])
        elif _HEADING.fullmatch(name):
            heading = (tag, [tag.text])
        elif name == "form":
            label = attributes.get("id") or attributes.get("name") or attributes.get("action") or "form"
            method = attributes.get("method", "get").upper()[:10]
            add("form", shorten(label, 80), f"form {shorten(label, 80)} ({method})", tag)
            form, form_at = [], len(symbols) - 1
        elif form is not None and name in {"input", "select", "textarea", "button"} and len(form) < 40:
            field = attributes.get("name") or attributes.get("id")
            if field:
                line = lines.at(tag.start)
                shown = shorten(field, 60)
                form.append(SymbolRecord(kind="field", name=shown, start=line, end=line, signature=shown))
        elif attributes.get("id", "").strip() and form is None:
            label = shorten(attributes["id"], 80)
            add("landmark" if name in _LANDMARKS else "element", label, f"{name}#{label}", tag)
    if title and doc is None:
        doc = f"Page “{shorten(title, 120)}”."
    if len(symbols) > 40 or sum(symbol.kind == "heading" for symbol in symbols) > 2:
        symbols = [symbol for symbol in symbols if symbol.kind != "element"] or symbols
    if "{%" in text or "{{" in text or text.lstrip()[:2] in {"@(", "@*"}:
        from sidecar.files.structure.template_tags import template_tags

        tagged, named = template_tags(text, lines)
        symbols, imports = [*tagged, *symbols], [*named, *imports]
    return Structure(
        doc=doc,
        symbols=capped(symbols, what="elements"),
        imports=distinct(value[:400] for value in imports if not value.startswith("data:")),
        partial=opened != closed,
        head=None if symbols else sample(text),
    )


def _words(text: str) -> str:
    return shorten(" ".join(unescape(_FILLED.sub("", text[:1000])).split()), 120)


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
    r"^\s*@(page|inject|using|model|inherits|implements|layout|attribute|typeparam|namespace)[ \t]+([^\n]{1,200})", re.M
)
_COMPONENT: Final = re.compile(r"<([A-Z]\w{1,80})(?=[\s/>])")
_TITLE: Final = re.compile(r"ViewData\[\"Title\"\]\s*=\s*\"([^\"\n]{1,120})\"|<PageTitle>([^<@\n]{1,120})<")
_BLOCK: Final = re.compile(r"@(?:code|functions)\s{0,200}\{")
_CSHARP: Final = re.compile(
    r"//[^\n]*|/\*.*?\*/|\"\"\".*?\"\"\"|@\"[^\"]*\"|\"(?:[^\"\\\n]|\\.)*\"|'(?:[^'\\\n]|\\.){1,9}'|[{}]", re.S
)


def erb(text: str) -> Structure:
    """Outline a Rails page: its markup, the forms and blocks made by helpers, and the partials it renders."""
    end = text.rfind("%>") + 2  # nothing opened after it can be closed
    page = html_page(_TAG.sub(lambda match: " " + "\n" * match[0].count("\n"), text[:end]) + text[end:])
    lines = LineNumbers(text)
    symbols = list(page.symbols)
    for match in _HELPER.finditer(text):
        named = _NAMED.match(match["what"])
        if named is not None:
            kind = "form" if "form" in match["word"] else "block"
            signature = shorten(f"{match['word']} {' '.join(match['what'].split())}", 120)
            line = lines.at(match.start())
            symbols.append(SymbolRecord(kind=kind, name=named[1], start=line, end=line, signature=signature))
    rendered = [match[1] or match[2] for match in _PARTIAL.finditer(text)]
    return Structure(page.doc, tuple(symbols), distinct([*rendered, *page.imports]), (), page.partial, page.head)


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
