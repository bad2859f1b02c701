"""Laravel's Blade templates: parameters, extended and included templates, and their sections, forms and components."""

from __future__ import annotations

import re
from typing import Final

from sidecar.files.clean_text import shorten
from sidecar.files.structure.html_page import html_page
from sidecar.files.structure.result import LineNumbers, Structure, capped, distinct
from sidecar.store.records import SymbolRecord

_COMMENT: Final = re.compile(r"\{\{--.{0,4000}?--\}\}", re.S)
_ECHO: Final = re.compile(r"@php\b.{0,4000}?@endphp\b|\{\{.{0,1000}?\}\}|\{!!.{0,1000}?!!\}", re.S)
_DIRECTIVE: Final = re.compile(
    r"@(?P<word>extends|include(?:If|When|Unless|First)?|each|component|livewire|section|yield|push|prepend|stack|props"
    r"|aware|can|cannot|auth|guest|fragment)\b"
    r"(?:[ \t]*\((?P<given>(?:[^()]|\((?:[^()]|\([^()]{0,400}+\)){0,400}+\)){0,800}+)\))?"
)
_QUOTED: Final = re.compile(r"[\"']([\w./:-]{1,120})[\"']")
_COMPONENT: Final = re.compile(r"<(x-[\w.:-]{1,80}|livewire:[\w.-]{1,80})")
_VARIABLE: Final = re.compile(r"\$(?!this\b|loop\b|errors\b|slot\b|attributes\b|__)[a-z_]\w{0,60}")
_SHOWN: Final = frozenset({"section", "yield", "push", "prepend", "stack", "fragment", "can", "cannot", "extends"})
_LIST_CHARS: Final = 160


def blade(text: str) -> Structure:
    """Outline a Blade template; the markup around its directives is read as an HTML page."""
    lines = LineNumbers(text)
    text = _blanked(_COMMENT, text)
    page = html_page(_blanked(_ECHO, text))
    symbols: list[SymbolRecord] = []
    imports: list[str] = []

    def add(kind: str, name: str, signature: str, at: int) -> None:
        line = lines.at(at)
        symbols.append(
            SymbolRecord(kind=kind, name=shorten(name, 80), start=line, end=line, signature=shorten(signature, 200))
        )

    for match in _DIRECTIVE.finditer(text):
        word, given = match["word"], " ".join((match["given"] or "").split())
        if word in {"props", "aware"}:
            add("parameters", word, f"@{word}({given})", match.start())
            continue
        named = _QUOTED.search(given)
        if named is None:
            continue
        if word in _SHOWN:
            add("block", named[1], f"@{word}({given})", match.start())
        if word not in _SHOWN or word == "extends":
            imports.append(named[1])
    imports += [match[1] for match in _COMPONENT.finditer(text)]
    reads = distinct(match[0] for match in _VARIABLE.finditer(text))
    if reads:
        told = shorten(f"reads: {', '.join(reads)}", _LIST_CHARS)
        add("call", told.replace(":", "", 1), told, text.index(reads[0]))
    found = sorted((*symbols, *page.symbols), key=lambda symbol: symbol.start)
    return Structure(
        doc=page.doc,
        symbols=capped(found, what="elements"),
        imports=distinct([*imports, *page.imports]),
        partial=page.partial,
        head=page.head if not found else None,
    )


def _blanked(pattern: re.Pattern[str], text: str) -> str:
    return pattern.sub(lambda match: " " + "\n" * match[0].count("\n"), text)
