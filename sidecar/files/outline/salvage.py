"""Declarations that a parser lost in a broken file, found line by line by their keywords.

After an unmatched bracket or quote, a grammar may give up on the rest of the file. A line that begins like a
declaration and is missing in the outline is added, nested by its indentation. Only trees with errors are searched,
because the search does not know comments from code.
"""

from __future__ import annotations

import re
from collections import defaultdict
from itertools import zip_longest
from typing import Final

from sidecar.files.outline.draft import Outline, OutlineDraft, every_draft
from sidecar.files.outline.languages import facts_of, words_of
from sidecar.files.outline.source import Source, shorten_signature, signature_line
from sidecar.files.structure.quoted_lines import indent_quoted

_TABLE: Final = words_of("salvage")
_KIND_BY_WORD: Final = {word: kind for kind, words in _TABLE["kinds"].items() for word in words.split()}
_CONTAINERS: Final = frozenset(_TABLE["containers"].split())
_HIDDEN: Final = re.compile(r"\b(?:private|fileprivate|protected|defp|defmacrop)\b")
_CLOSERS: Final = frozenset({"}", "};", "})", "});", "end"})
_MAX_LINES: Final = 20_000
_MAX_ADDED_SYMBOLS: Final = 1_000


def salvage(out: Outline, source: Source, language: str) -> None:
    facts = facts_of(language)
    if not facts.lost:
        return
    parts = {name: part.replace("\n", "") for name, part in _TABLE["patterns"].items()}
    pattern = re.compile(r"[ \t]*" + facts.lost.replace("{modifiers}", parts["modifiers"]) + parts["name"])
    function = re.compile(facts.lost_function.replace("{method}", parts["method"]) or "(?!)")
    known = _by_line(out.symbols)
    names = {name for symbols in known.values() for name in symbols}
    bodies: dict[int, list[tuple[int, int]]] = defaultdict(list)  # the functions around each line
    for symbol in every_draft(out.symbols):
        if symbol.kind in ("function", "method", "property"):
            for number in range(symbol.start + 1, min(symbol.end, symbol.start + _MAX_LINES) + 1):
                bodies[number].append((symbol.start, symbol.end))
    open_containers: list[tuple[int, OutlineDraft]] = []
    added = 0
    lines = source.whole().split("\n")[:_MAX_LINES]
    starts = {symbol.start for symbols in known.values() for symbol in symbols.values()}
    for number, line in enumerate(indent_quoted(lines, language, starts), 1):
        match = pattern.match(line) or function.match(line)
        if match is None or (match.re is function and number in starts):
            continue
        name = match.group("name").strip("`")
        line = lines[number - 1]
        indent = _indent(line)
        if any(start < number <= end and indent > _indent(lines[start - 1]) for start, end in bodies.get(number, ())):
            continue  # local to a function
        while open_containers and open_containers[-1][0] >= indent:
            open_containers.pop()
        word = match.groupdict().get("word")
        draft = known.get(number, {}).get(name)
        if draft is None and name not in names and added < _MAX_ADDED_SYMBOLS:
            draft = _draft(word, name, number, line, inside=bool(open_containers))
            (open_containers[-1][1].children if open_containers else out.symbols).append(draft)
            added += 1
        if draft is not None and word in _CONTAINERS and len(open_containers) < 4:
            open_containers.append((indent, draft))
    if added:
        out.symbols.sort(key=lambda symbol: symbol.start)
    _bound(out.symbols, lines, len(lines))


def _bound(symbols: list[OutlineDraft], lines: list[str], bottom: int) -> None:
    """End each definition at the first closing brace or `end` that is indented like its first row.

    `bottom` is the last row of the symbols' owner.
    """
    for symbol, following in zip_longest(symbols, symbols[1:]):
        indent = _indent(lines[symbol.start - 1]) if symbol.start <= len(lines) else -1
        last = following.start - 1 if following is not None and symbol.start == symbol.end else symbol.end
        if symbol.kind in ("constant", "variable", "field"):
            continue
        if symbol.start == symbol.end and following is None:
            last = bottom
        for number in range(symbol.start + 1, min(last, bottom) + 1):
            if lines[number - 1].strip() in _CLOSERS and _indent(lines[number - 1]) == indent:
                symbol.end = number
                break
        _bound(symbol.children, lines, symbol.end)


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())


def _draft(word: str | None, name: str, number: int, line: str, *, inside: bool) -> OutlineDraft:
    kind = _KIND_BY_WORD.get(word, word) if word is not None else "method" if line[:1].isspace() else "function"
    if kind == "function" and inside:
        kind = "method"
    text = shorten_signature(signature_line(line).rstrip(" {:"))
    return OutlineDraft(kind, name, number, number, text, public=not (_HIDDEN.search(text) or name.startswith("_")))


def _by_line(symbols: list[OutlineDraft]) -> dict[int, dict[str, OutlineDraft]]:
    """Map each line on which a declaration may begin to its symbols by name."""
    by_line: dict[int, dict[str, OutlineDraft]] = defaultdict(dict)
    for symbol in every_draft(symbols):
        for number in range(symbol.start, min(symbol.end, symbol.start + 20) + 1):
            by_line[number][symbol.name] = symbol
    return by_line
