"""CSS, SCSS, LESS: selectors, media queries with their rules, custom properties, mixins, imports."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from itertools import groupby, pairwise

from sidecar.files.clean_text import shorten
from sidecar.files.outline.comments import doc_of, strip_markers
from sidecar.files.structure.result import MAX_CHILDREN, LineNumbers, Structure, capped, distinct
from sidecar.store.records import SymbolRecord

_MARK = re.compile(r"""/\*|//|["'{};]""")
_IMPORT = re.compile(
    r"""@(?:import|use|forward)\s{1,20}(?:\([\w, ]{1,60}\)\s{0,4})?(?:url\(\s{0,4})?["']?([^"')\s;]{1,400})"""
)
_VARIABLE = re.compile(r"(--[\w-]{1,100}|\$[\w-]{1,100}|@[\w-]{1,100})\s{0,20}:\s{0,20}([^;]{0,200})")
_ONE_OF_MANY = re.compile(r"^([.#][A-Za-z]+)-[\w-]+((?::{1,2}[\w-]+)?)$")
_MANY = 6
_HEADING = re.compile(
    r"/\*[\s*]*(?:([=\-#~*])\1{3,}[\s*]*)?(?P<title>\w[^*=#~{}]{2,80}?)[\s*]*([=\-#~*])\3{3,}[\s*]*\*/"
)
_SPACES = re.compile(r"\s+")


@dataclass
class _StyleBlock:
    selector: str
    start: int
    end: int
    children: list[_StyleBlock] = field(default_factory=list)
    properties: dict[str, tuple[int, str]] = field(default_factory=dict)


def stylesheet(text: str, *, line_comments: bool) -> Structure:
    """Return the rules of a style sheet; with `line_comments` (SCSS and LESS) `//` begins a comment."""
    lines = LineNumbers(text)
    root = _StyleBlock("", 0, len(text))
    stack = [root]
    imports: list[str] = []
    doc: str | None = None
    partial = False
    position = begin = 0
    prelude: list[str] = []
    headings: list[tuple[int, str]] = []
    while (mark := _MARK.search(text, position)) is not None:
        sign, at = mark.group(), mark.start()
        if sign == "/*":
            end = text.find("*/", at + 2)
            partial = partial or end < 0
            if doc is None and not root.children:
                doc = doc_of(strip_markers(text[at : end + 2 if end > 0 else at + 800][:2000]))
            if len(stack) == 1 and end > 0 and (ruled := _HEADING.fullmatch(text, at, end + 2)):
                headings.append((lines.at(at), " ".join(ruled["title"].split())))
            prelude.append(text[begin:at])
            position = begin = end + 2 if end >= 0 else len(text)
            continue
        if sign == "//":
            position = at + 2
            if line_comments and text[max(0, at - 1) : at] != ":":
                end = text.find("\n", at)
                prelude.append(text[begin:at])
                position = begin = end if end >= 0 else len(text)
            continue
        if sign in "\"'":
            position = _string_end(text, at)
            continue
        statement = _SPACES.sub(" ", "".join([*prelude, text[begin:at]])[-2000:]).strip()
        first = begin
        prelude = []
        position = begin = mark.end()
        if sign == "{":
            first += len(text[first:at]) - len(text[first:at].lstrip())
            block = _StyleBlock(statement, first, len(text))
            if len(stack) <= 2:
                stack[-1].children.append(block)
            stack.append(block)
            continue
        variable = _VARIABLE.match(statement)
        if variable and len(stack) <= 2:
            stack[-1].properties.setdefault(variable[1], (at, variable[2].strip()))
        elif statement.startswith("@") and len(imports) < 200 and (imported := _IMPORT.match(statement)):
            imports.append(imported[1])
        if sign == "}" and len(stack) > 1:
            stack.pop().end = at
        elif sign == "}":
            partial = True
    return Structure(
        doc=doc,
        symbols=capped(_sections(_alike(_symbols(root, lines)), headings), what="rules"),
        imports=distinct(imports),
        partial=partial or len(stack) > 1,
    )


def _sections(symbols: list[SymbolRecord], headings: list[tuple[int, str]]) -> list[SymbolRecord]:
    """Put rules below the ruled comments that head them, if there are two."""
    if len(headings) < 2:
        return symbols
    found = [one for one in symbols if one.start < headings[0][0]]
    for (start, title), (following, _) in pairwise([*headings, (len(symbols) * MAX_CHILDREN + headings[-1][0], "")]):
        rules = [one for one in symbols if start <= one.start < following]
        end = max([start, *(one.end for one in rules)])
        found.append(
            SymbolRecord(kind="section", name=title, start=start, end=end, signature=title, children=tuple(rules))
        )
    return found


def _string_end(text: str, start: int) -> int:
    """Return the offset after the string that begins at `start`; an unclosed one ends with its line."""
    match = re.compile(r'"(?:[^"\\\n]+|\\.)*"?' if text[start] == '"' else r"'(?:[^'\\\n]+|\\.)*'?", re.S).match(
        text, start
    )
    return match.end() if match else start + 1


def _symbols(root: _StyleBlock, lines: LineNumbers) -> list[SymbolRecord]:
    symbols = _properties(root, lines)
    seen: dict[str, int] = {}
    for block in root.children:
        name = shorten(block.selector, 120)
        if not name:
            continue
        start, end = lines.at(block.start), lines.at(block.end)
        known = seen.get(name)
        children = _properties(block, lines)
        if name.startswith("@") or not children:
            children += [
                SymbolRecord(
                    kind="rule",
                    name=shorten(child.selector, 80),
                    start=lines.at(child.start),
                    end=max(lines.at(child.start), lines.at(child.end)),
                    signature=shorten(child.selector, 80),
                )
                for child in block.children
                if child.selector
            ]
        if known is not None and not children:
            continue
        seen[name] = len(symbols)
        kind = "at-rule" if name.startswith("@") else "rule"
        symbols.append(
            SymbolRecord(
                kind=kind,
                name=name,
                start=start,
                end=max(start, end),
                signature=name,
                children=capped(children, MAX_CHILDREN),
            )
        )
    return symbols


def _alike(symbols: list[SymbolRecord]) -> list[SymbolRecord]:
    """Merge long runs of rules whose selectors differ in one word, such as those of icons."""
    found: list[SymbolRecord] = []
    for pattern, group in groupby(symbols, lambda one: one.children or _ONE_OF_MANY.sub(r"\1-NAME\2", one.name)):
        run = list(group)
        if len(run) < _MANY or not isinstance(pattern, str):
            found += run
            continue
        name = f"{pattern} ({len(run)} rules)"
        found.append(SymbolRecord(kind="rule", name=name, start=run[0].start, end=run[-1].end, signature=name))
    return found


def _properties(block: _StyleBlock, lines: LineNumbers) -> list[SymbolRecord]:
    found = []
    for name, (at, value) in block.properties.items():
        line = lines.at(at)
        shown = f"{name}: {value}" if 0 < len(value) <= 30 else name
        found.append(SymbolRecord(kind="constant", name=name, start=line, end=line, signature=shown))
    return found
