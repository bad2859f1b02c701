"""Code embedded in other text, with each line at its place in the file.

The embedded code is the scripts of components and pages, the Ruby of a template, or the cells of a notebook. All else
is left out, so that the code's grammar parses the result as a file of its own.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Final, NamedTuple

from msgspec.structs import replace

from sidecar.files.outline.source import shorten_signature
from sidecar.files.structure.comments import doc_of, strip_markers
from sidecar.files.structure.notebook import code_of_cells
from sidecar.files.structure.result import Structure, distinct
from sidecar.files.structure.templates import code_blocks
from sidecar.store.records import SymbolRecord

COMPONENTS: Final = frozenset({"vue", "svelte", "astro"})
"""Languages of which each file is one module: it defines what its scripts have at the top level."""

_SCRIPT: Final = re.compile(r"<!--|<script(?=[\s>])((?:\"[^\"]{0,400}\"|'[^']{0,400}'|[^<>\"']{1,400}+){0,24}+)>", re.I)
_END: Final = re.compile(r"</script", re.I)
_ATTRIBUTE: Final = re.compile(r"\b(lang|type)\s{0,9}=\s{0,9}[\"']?([\w/+.-]{1,60})", re.I)
_ABOVE: Final = re.compile(r"\s*<!--.{1,2000}?-->", re.S)
_FRONT: Final = re.compile(r"\s*---[ \t]*\n")
_FRONT_END: Final = re.compile(r"^---", re.M)
_PROP: Final = re.compile(r"^export let\b|= (?:withDefaults|define(?:Props|Emits|Model|Slots)|\$props)\b")
_RUBY: Final = re.compile(r"<%(?![%#])[-=|]{0,2}(.*?)-?%>", re.S)
_TYPED: Final = {"ts": "typescript", "typescript": "typescript", "tsx": "tsx", "jsx": "jsx"}

Piece = tuple[int, int]


class EmbeddedCode(NamedTuple):
    """The code inside a text, in a language with rules of its own.

    `lines` are the line numbers in the file, if they differ. `whole` is everything written by a person.
    """

    language: str
    text: str
    whole: str
    lines: tuple[int, ...] = ()


def embedded(language: str, text: str) -> EmbeddedCode | None:
    """Return the code inside `text`; None if there is none, or if the language embeds none."""
    if language == "notebook":
        cells = code_of_cells(text)
        return EmbeddedCode(cells.language, cells.code, cells.whole, cells.lines) if cells.code.strip() else None
    find = _HOSTS.get(language)
    found = find(text) if find is not None else ("", "")
    return EmbeddedCode(*found, text) if found[1].strip() else None


def joined(host: str, inner: EmbeddedCode, inside: Structure, around: Structure) -> Structure:
    symbols = list(inside.symbols)
    if host == "razor":  # its code is in a class without a name
        symbols = [child for symbol in symbols for child in symbol.children or (symbol,)]
    elif host == "erb":
        symbols = [symbol for symbol in symbols if symbol.kind not in {"block", "call"}]
    if host in COMPONENTS:
        every = all(symbol.public for symbol in symbols)
        symbols = [_mark_exported(symbol, exported=symbol.public and not every) for symbol in symbols]
    # Unclosed symbols must not end beyond the file.
    lines = inner.lines or range(1, inner.whole.removesuffix("\n").count("\n") + 2)
    symbols = [_with_file_lines(symbol, lines) for symbol in symbols]
    if host not in COMPONENTS or not symbols:
        symbols = sorted([*symbols, *around.symbols], key=lambda symbol: symbol.start)
    doc = inside.doc if host in COMPONENTS else around.doc or inside.doc
    if doc is None and (above := _ABOVE.match(inner.whole)) is not None:
        doc = doc_of(strip_markers(above[0]))
    return Structure(
        doc=doc,
        symbols=tuple(symbols),
        imports=distinct([*inside.imports, *around.imports], 500),
        entry_points=distinct([*around.entry_points, *inside.entry_points]),
        partial=inside.partial or (around.partial and host == "notebook"),
        head=None if symbols else around.head or inside.head,
    )


def _mark_exported(symbol: SymbolRecord, *, exported: bool) -> SymbolRecord:
    """Mark the names that a component's script offers to others as exported, and its props."""
    mark = "export " if exported and not symbol.signature.startswith("export") else ""
    signature = shorten_signature(mark + symbol.signature)
    kind = "prop" if _PROP.search(signature) else symbol.kind
    return replace(symbol, kind=kind, public=True, signature=signature)


def _with_file_lines(symbol: SymbolRecord, lines: Sequence[int]) -> SymbolRecord:
    return replace(
        symbol,
        start=lines[min(symbol.start, len(lines)) - 1],
        end=lines[min(symbol.end, len(lines)) - 1],
        children=tuple(_with_file_lines(child, lines) for child in symbol.children),
    )


def _at_their_lines(text: str, pieces: Iterable[Piece], before: str = "", after: str = ";") -> str:
    """Return the pieces of a text at their lines, each between `before` and `after`."""
    kept: list[str] = []
    at = 0
    for start, end in pieces:
        kept += ["\n" * text.count("\n", at, start), before, text[start:end], after]
        at = end
    return "".join(kept)


def _scripts(text: str) -> Iterator[tuple[str, Piece]]:
    """Yield a page's scripts with their languages; skip comments."""
    at = 0
    while (opening := _SCRIPT.search(text, at)) is not None:
        at = opening.end()
        if opening[1] is None:
            end = text.find("-->", at)
            at = end + 3 if end >= 0 else len(text)
            continue
        named = {key.lower(): value.lower() for key, value in _ATTRIBUTE.findall(opening[1])}
        closing = _END.search(text, at)
        end = closing.start() if closing is not None else len(text)
        kind = named.get("type", "").rpartition("/")[2]
        if kind in {"", "module", "javascript", "ecmascript", "x-javascript", "babel", *_TYPED}:
            yield _TYPED.get(named.get("lang", kind), "javascript"), (at, end)
        at = end


def _component(text: str) -> tuple[str, str]:
    found = list(_scripts(text))
    languages = {language for language, _ in found}
    language = next((one for one in ("tsx", "typescript", "jsx") if one in languages), "javascript")
    return language, _at_their_lines(text, (piece for _, piece in found))


def _astro(text: str) -> tuple[str, str]:
    front = _FRONT.match(text)
    pieces: list[Piece] = []
    if front is not None:
        closing = _FRONT_END.search(text, front.end())
        pieces = [(front.end(), closing.start() if closing is not None else len(text))]
    begin = pieces[0][1] if pieces else 0
    pieces += [(begin + start, begin + end) for _, (start, end) in _scripts(text[begin:])]
    return "typescript", _at_their_lines(text, pieces)


def _erb(text: str) -> tuple[str, str]:
    return "ruby", _at_their_lines(text, (match.span(1) for match in _RUBY.finditer(text, 0, text.rfind("%>") + 2)))


def _razor(text: str) -> tuple[str, str]:
    return "csharp", _at_their_lines(text, code_blocks(text), "class _ {", "}")


_HOSTS: Final[dict[str, Callable[[str], tuple[str, str]]]] = {
    **dict.fromkeys(("vue", "svelte", "html"), _component),
    "astro": _astro,
    "erb": _erb,
    "razor": _razor,
}
