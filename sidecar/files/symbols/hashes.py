"""A hash of what one symbol contains, which does not depend on layout and comments.

It covers the types of nodes and the texts of leaves in the symbol's lines: without comments, semicolons and trailing
commas, with one kind of quotes, and with docstrings. Without a grammar, it covers the lines themselves.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Final

import xxhash

from sidecar.checkout.content import decode
from sidecar.files.language import CODE
from sidecar.files.outline.grammars import MAX_BYTES, parse
from sidecar.files.outline.languages import facts_of
from sidecar.files.outline.source import Source
from sidecar.store.records import ContentRecord, SymbolRecord

if TYPE_CHECKING:
    from tree_sitter import Node

_DROPPED_TOKENS: Final = frozenset((";", ""))
_CLOSING_TOKENS: Final = frozenset((")", "]", "}", ">"))
_QUOTES: Final = str.maketrans("'", '"')
_MAX_NODES: Final = 200_000


def spans(content: ContentRecord, wanted: Collection[str] | None = None) -> dict[str, list[tuple[int, int]]]:
    """Return the first and last lines (from 1) of the `wanted` symbols, by dotted name; by default of all.

    A wanted name may leave out owners (`m` for `C.m`) if it then fits only one symbol. A name may have several spans.
    """
    spans_by_name: dict[str, list[tuple[int, int]]] = {}
    for name, symbol in dotted_symbols(content.symbols):
        spans_by_name.setdefault(name, []).append((symbol.start, symbol.end))
    if wanted is None:
        return spans_by_name
    by_name: dict[str, list[tuple[int, int]]] = {}
    for name in wanted:
        full = full_name(name, spans_by_name)
        if full is not None:
            by_name[name] = spans_by_name[full]
    return by_name


def full_name(name: str, names: Collection[str]) -> str | None:
    """Return the full name that `name` means: itself, the only name that ends in `.name`, or `name` without its leading
    modules. None if there is none.
    """
    if name in names:
        return name
    tail = f".{name}"
    ending = [full for full in names if full.endswith(tail)]
    if len(ending) == 1:
        return ending[0]
    # `module.func` and `pkg::Type` also name the module, which a file's outline does not.
    inner = name
    while not ending and "." in inner:
        inner = inner.partition(".")[2]
        if inner in names and "." in inner:
            return inner
    return None


def dotted_symbols(symbols: Collection[SymbolRecord], owner: str = "") -> Iterator[tuple[str, SymbolRecord]]:
    for symbol in symbols:
        name = f"{owner}.{_bare(symbol.name)}" if owner else _bare(symbol.name)
        yield name, symbol
        yield from dotted_symbols(symbol.children, name)


def symbol_hashes(content: ContentRecord, data: bytes, wanted: Collection[str] | None = None) -> Mapping[str, str]:
    """Return the hashes (hex) of those `wanted` symbols that the file has, by name; names are as for `spans`."""
    places = spans(content, wanted)
    if not places:
        return {}
    source = Source(decode(data).removeprefix("\ufeff"))
    read = _reader_of_code(content.language, source) if content.language in CODE else _reader_of_lines(source)
    return {
        name: xxhash.xxh3_128_hexdigest(
            "\x1e".join("\x1f".join(read(start, end)) for start, end in ranges).encode("utf-8", "replace")
        )
        for name, ranges in places.items()
    }


def _bare(name: str) -> str:
    return name.replace("::", ".").replace("#", ".").strip(". ")


def _reader_of_lines(source: Source) -> Callable[[int, int], list[str]]:
    lines = source.whole().split("\n")
    return lambda start, end: [" ".join(line.split()) for line in lines[start - 1 : end] if line.strip()]


def _reader_of_code(language: str, source: Source) -> Callable[[int, int], list[str]]:
    """Parse a file once; return a function that gives the tokens of some of its lines."""
    rules = facts_of(language)
    data, mask = source.data[:MAX_BYTES], rules.mask
    tree, _ = parse(language, data if mask is None else mask(data))
    tops = [(node.start_point.row, node.end_point.row, node) for node in tree.root_node.children]

    def tokens(start: int, end: int) -> list[str]:
        inside = [node for first, last, node in tops if last >= start - 1 and first <= end - 1]
        return _tokens(inside, data, start - 1, end - 1, rules.comments)

    return tokens


def _tokens(tops: Sequence[Node], data: bytes, first: int, last: int, comments: frozenset[str]) -> list[str]:
    """Return the tokens in the rows from `first` to `last`: marks around inner nodes, and the texts of leaves."""
    tokens: list[str] = []
    stack: list[Node | None] = list(reversed(tops))  # the file itself belongs to no symbol
    nodes = 0
    while stack and nodes < _MAX_NODES:
        node = stack.pop()
        if node is None:
            tokens.append("\x03")
            continue
        nodes += 1
        if node.end_point.row < first or node.start_point.row > last or node.type in comments or node.is_extra:
            continue
        inside = node.start_point.row >= first and (
            node.end_point.row <= last or (node.end_point.row == last + 1 and node.end_point.column == 0)
        )
        if node.child_count:
            if inside and node.is_named and not _wraps(node, data, comments):
                tokens.append(f"\x02{node.type}")
                stack.append(None)
            stack.extend(reversed(node.children))
        elif inside:
            text = data[node.start_byte : node.end_byte].decode("utf-8", "replace").strip()
            if text in _DROPPED_TOKENS:
                continue
            if text in _CLOSING_TOKENS and tokens and tokens[-1] == ",":
                tokens.pop()
            tokens.append(text.translate(_QUOTES) if len(text) <= 4 else text)
    return tokens


def _wraps(node: Node, data: bytes, comments: frozenset[str]) -> bool:
    """Return whether a node only wraps another one, as the body of a class with a single method does."""
    parts = [
        child
        for child in node.children
        if not (child.is_extra or child.type in comments)
        and (
            child.end_byte - child.start_byte > 4 or data[child.start_byte : child.end_byte].strip() not in (b"", b";")
        )
    ]
    return len(parts) == 1 and parts[0].is_named
