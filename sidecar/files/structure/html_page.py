"""HTML: title, description, headings, landmarks with ids, forms, template tags; scripts and style sheets as imports."""

from __future__ import annotations

import re
from html import unescape
from typing import Final

from sidecar.files.clean_text import shorten
from sidecar.files.structure.result import LineNumbers, Structure, capped, distinct, first_sentence
from sidecar.files.structure.sample import sample
from sidecar.files.structure.tags import Tag, tags
from sidecar.store.records import SymbolRecord

_TAG: Final = re.compile(
    r"\{%[-+]?\s{0,9}(?P<word>extends|include|block|macro|endblock|endmacro)\b\s{0,9}(?P<rest>[^%\n]{0,200}?)\s{0,9}[-+]?%\}"
    r"|\{\{-?\s{0,9}(?P<go>define|block|template)\s{1,9}\"(?P<name>[^\"\n]{1,120})\""
)
_PARAMETERS: Final = re.compile(
    r"\A(?:\s|@\*[^*]*+\*@|@import[^\n]*+)*+"
    r"@(?P<list>(?:\((?:[^()]++|\((?:[^()]++|\([^()]*+\))*+\))*+\)\s{0,9}){1,4})"
)

HEADING: Final = re.compile(r"h[1-6]")
_FILLED = re.compile(r"\{%[^\n]{0,400}?%\}")
LANDMARKS: Final = frozenset("main nav section article aside header footer form dialog template table canvas".split())


def html_page(text: str) -> Structure:
    """Return the symbols of an HTML page, each one line long."""
    lines = LineNumbers(text)
    doc: str | None = None
    title: str | None = None
    symbols: list[SymbolRecord] = []
    imports: list[str] = []
    heading: tuple[Tag, list[str]] | None = None
    opened = closed = 0

    def add(kind: str, name: str, signature: str, at: Tag, end: int | None = None) -> None:
        line = lines.at(at.start)
        symbols.append(SymbolRecord(kind=kind, name=name, start=line, end=max(line, end or line), signature=signature))

    for tag in tags(text):
        name, attributes = tag.name, tag.attributes
        opened += name in LANDMARKS and not tag.closing
        closed += name in LANDMARKS and tag.closing
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
            continue
        if name == "title" and title is None:
            title = _words(tag.text)
        elif name == "meta" and attributes.get("name", "").lower() == "description":
            doc = first_sentence(attributes.get("content", ""))
        elif name == "script" and attributes.get("src"):
            imports.append(attributes["src"])
        elif name == "link" and attributes.get("href") and attributes.get("rel", "stylesheet").lower() == "stylesheet":
            imports.append(attributes["href"])
        elif HEADING.fullmatch(name):
            heading = (tag, [tag.text])
        elif name == "form":
            label = attributes.get("id") or attributes.get("name") or attributes.get("action") or "form"
            method = attributes.get("method", "get").upper()[:10]
            add("form", shorten(label, 80), f"form {shorten(label, 80)} ({method})", tag)
        elif attributes.get("id", "").strip():
            label = shorten(attributes["id"], 80)
            add("landmark" if name in LANDMARKS else "element", label, f"{name}#{label}", tag)
    if title and doc is None:
        doc = f"Page “{shorten(title, 120)}”."
    return _structure(text, lines, doc, symbols, imports, partial=opened != closed)


def _structure(
    text: str, lines: LineNumbers, doc: str | None, symbols: list[SymbolRecord], imports: list[str], *, partial: bool
) -> Structure:
    if len(symbols) > 40 or sum(symbol.kind == "heading" for symbol in symbols) > 2:
        symbols = [symbol for symbol in symbols if symbol.kind != "element"] or symbols
    if "{%" in text or "{{" in text or text.lstrip()[:2] in {"@(", "@*"}:
        tagged, named = template_tags(text, lines)
        symbols, imports = [*tagged, *symbols], [*named, *imports]
    return Structure(
        doc=doc,
        symbols=capped(symbols, what="elements"),
        imports=distinct(value[:400] for value in imports if not value.startswith("data:")),
        partial=partial,
        head=None if symbols else sample(text),
    )


def _words(text: str) -> str:
    return shorten(" ".join(unescape(_FILLED.sub("", text[:1000])).split()), 120)


def template_tags(text: str, lines: LineNumbers) -> tuple[list[SymbolRecord], list[str]]:
    """Return the symbols of the tags (Jinja, Go, Twirl) and the templates they name."""
    found: list[SymbolRecord] = []
    named: list[str] = []
    open_: list[tuple[str, str, str, int]] = []

    def add(kind: str, name: str, signature: str, start: int, end: int) -> None:
        shown = shorten(" ".join(signature.split()), 600)
        found.append(SymbolRecord(kind=kind, name=shorten(name, 80), start=start, end=end, signature=shown))

    given = _PARAMETERS.match(text)
    if given is not None:
        start, end = given.span("list")
        add("parameters", "parameters", f"parameters {given['list']}", lines.at(start), lines.at(end - 1))
    for match in _TAG.finditer(text):
        word, rest, line = (match["word"] or match["go"], match["rest"] or match["name"] or "", lines.at(match.start()))
        if word in {"extends", "include", "template"}:
            named.append(rest.split(" ")[0].strip("\"'"))
            if word == "extends":
                add("template", named[-1], f"extends {rest}", line, line)
        elif word.startswith("end"):
            if open_:
                kind, name, signature, start = open_.pop()
                add(kind, name, signature, start, line)
        elif match["go"]:
            add("block", rest, f'{word} "{rest}"', line, line)
        elif rest:
            open_.append((word, re.split(r"[\s(]", rest)[0], f"{word} {rest}", line))
    for kind, name, signature, start in open_:
        add(kind, name, signature, start, start)
    return sorted(found, key=lambda symbol: symbol.start), named
