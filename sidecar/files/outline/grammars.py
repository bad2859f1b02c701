"""From a language to its tree-sitter grammar, loaded when first asked for, and from text to a tree."""

from __future__ import annotations

import functools
import importlib
import time
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from tree_sitter import Language, Node, Query, Tree

# Where module and function are not `tree_sitter_LANGUAGE` and `language`. C has no wheel in the default install: the
# C++ grammar reads nearly all of it. The same for JavaScript and TSX.
_GRAMMARS: Final = {
    "javascript": ("tree_sitter_typescript", "language_tsx"),
    "jsx": ("tree_sitter_typescript", "language_tsx"),
    "typescript": ("tree_sitter_typescript", "language_typescript"),
    "tsx": ("tree_sitter_typescript", "language_tsx"),
    "c": ("tree_sitter_cpp", "language"),
    "csharp": ("tree_sitter_c_sharp", "language"),
    "php": ("tree_sitter_php", "language_php"),
    "ocaml": ("tree_sitter_ocaml", "language_ocaml"),
    "ocaml-interface": ("tree_sitter_ocaml", "language_ocaml_interface"),
    "terraform": ("tree_sitter_hcl", "language"),
}

# Longer text is cut at a line end before it is parsed: a parse takes about a second per megabyte at worst.
MAX_BYTES: Final = 2_000_000
_UNGUARDED: Final = 1_024
_PIECE: Final = 1_024
_SECONDS: Final = 0.3
_SECONDS_A_BYTE: Final = 3e-6


# The bash grammar's scanner asks the C library's tables for 8-bit characters about any character and reads far beyond
# them: `{` and U+CD121 in a script end the process. A letter for each byte of such a character keeps every position.
_ASCII: Final = bytes(range(128)) + b"x" * 128


@functools.cache
def grammar(language: str) -> Language:
    """The grammar of a code language; immutable, so it is kept and shared between threads."""
    from tree_sitter import Language

    module, function = _GRAMMARS.get(language, (f"tree_sitter_{language}", "language"))
    return Language(getattr(importlib.import_module(module), function)())


def parse(language: str, data: bytes) -> tuple[Tree, bool]:
    """The tree of `data` (UTF-8), and whether all of it was read.

    Some grammars need quadratic time and memory for text that is not their language (Java: 7 s and a
    gigabyte for 8 KB of `a=>`), and a parser cannot be interrupted. So it gets its text in pieces, and the
    end comes early when it has used far more processor time than any real file needs (which is less than a
    microsecond a byte); only then may the same bytes give another tree at another time. A parser costs half
    a microsecond and is not thread-safe, so none is kept.
    """
    from tree_sitter import Parser

    if language == "bash":
        data = data.translate(_ASCII)
    parser = Parser(grammar(language))
    if len(data) <= _UNGUARDED:
        return _tree(parser.parse(data)), True
    began, began_wall = time.thread_time(), time.perf_counter()
    complete = True
    # tree-sitter 0.26 never gives back what `read` returns. So it gets the same object each time, filled anew (it looks
    # at a piece until it asks for the next one), and another one for the end, emptied below.
    piece = memoryview(bytearray(_PIECE))
    ends: list[memoryview] = []

    def read(offset: int, _point: object) -> bytes | memoryview:
        nonlocal complete
        allowed = _SECONDS + _SECONDS_A_BYTE * offset
        # The clock on the wall never shows less, and does not cost a call of the system.
        late = time.perf_counter() - began_wall > allowed and time.thread_time() - began > allowed
        if not complete or late:
            complete = False
            return b""
        if offset + _PIECE <= len(data):
            piece[:] = data[offset : offset + _PIECE]
            return piece
        if offset >= len(data):
            return b""
        ends.append(memoryview(data[offset:]))
        return ends[-1]

    tree = _tree(parser.parse(read))
    for view in (piece, *ends):
        view.release()
    return tree, complete


def _tree(tree: Tree | None) -> Tree:
    if tree is None:  # only without a language
        raise RuntimeError("the parser gave no tree")
    return tree


MAX_MATCHES: Final = 2_000


@functools.cache
def query(language: str, text: str) -> Query:
    """A query of a code language, compiled once."""
    from tree_sitter import Query

    return Query(grammar(language), text)


def captures(language: str, text: str, root: Node) -> list[Node]:
    """Every node that the query's captures name, in source order, at most MAX_MATCHES."""
    from tree_sitter import QueryCursor

    found = QueryCursor(query(language, text)).captures(root)
    nodes = [node for group in found.values() for node in group]
    nodes.sort(key=lambda node: node.start_byte)
    return nodes[:MAX_MATCHES]
