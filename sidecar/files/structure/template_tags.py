"""Template tags of a page: parameters, extended and included templates, blocks and macros."""

from __future__ import annotations

import re
from typing import Final

from sidecar.files.clean_text import shorten
from sidecar.files.structure.result import LineNumbers
from sidecar.store.records import SymbolRecord

_TAG: Final = re.compile(
    r"\{%[-+]?\s{0,9}(?P<word>extends|include|block|macro|endblock|endmacro)\b\s{0,9}(?P<rest>[^%\n]{0,200}?)\s{0,9}[-+]?%\}"
    r"|\{\{-?\s{0,9}(?P<go>define|block|template)\s{1,9}\"(?P<name>[^\"\n]{1,120})\""
)
_PARAMETERS: Final = re.compile(
    r"\A(?:\s|@\*[^*]*+\*@|@import[^\n]*+)*+"
    r"@(?P<list>(?:\((?:[^()]++|\((?:[^()]++|\([^()]*+\))*+\))*+\)\s{0,9}){1,4})"
)


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
