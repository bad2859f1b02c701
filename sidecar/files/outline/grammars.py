"""Tree-sitter grammars, each loaded on first use, and parsing with them."""

from __future__ import annotations

import functools
import importlib
import threading
import time
from typing import TYPE_CHECKING, Final

from sidecar.files.outline.languages import facts_of

if TYPE_CHECKING:
    from tree_sitter import Language, Node, Query, Tree

# Longer text is cut at a line end before parsing: a parse takes up to about a second per megabyte.
MAX_BYTES: Final = 2_000_000
_UNGUARDED: Final = 1_024
_PIECE: Final = 1_024
_SECONDS: Final = 0.3
_SECONDS_A_BYTE: Final = 3e-6


# The scanner of the bash grammar passes any character to the C library's tables for 8-bit characters and reads far
# beyond them: `{` and U+CD121 in a script crash the process. One letter per byte of such a character keeps all offsets.
_ASCII: Final = bytes(range(128)) + b"x" * 128


@functools.cache
def grammar(language: str) -> Language:
    from tree_sitter import Language

    module, function = facts_of(language).grammar
    return Language(getattr(importlib.import_module(module), function)())


def parse(language: str, data: bytes) -> tuple[Tree, bool]:
    """Parse `data` (UTF-8); return the tree and whether all of the text was read.

    Some grammars need quadratic time and memory for text in another language (Java: 7 s and a gigabyte for 8 KB of
    `a=>`), and a parser cannot be interrupted. So the parser gets its text in pieces, and the text ends early once the
    parser has used far more processor time than real files need (less than a microsecond a byte); only then may the
    same bytes give another tree at another time. Creating a parser takes half a microsecond, and parsers are not
    thread-safe, so none is kept.
    """
    from tree_sitter import Parser

    if language == "bash":
        data = data.translate(_ASCII)
    parser = Parser(grammar(language))
    if len(data) <= _UNGUARDED:
        return _tree(parser.parse(data)), True
    began, began_wall = time.thread_time(), time.perf_counter()
    complete = True
    # tree-sitter 0.26 never releases what `read` returns. So it gets the same object each time, refilled (it looks at a
    # piece only until it requests the next), and a second one for the end, released below.
    piece = memoryview(bytearray(_PIECE))
    ends: list[memoryview] = []

    def read(offset: int, _point: object) -> bytes | memoryview:
        nonlocal complete
        allowed = _SECONDS + _SECONDS_A_BYTE * offset
        # The wall clock never shows less than the thread's time and costs no system call.
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
    if tree is None:  # happens only without a language
        raise RuntimeError("the parser gave no tree")
    return tree


MAX_MATCHES: Final = 2_000


# tree-sitter 0.26.1 corrupts memory when it deletes a query with predicates. Two threads compiling the same query
# would leave one to be deleted, so they take turns and no query is ever deleted.
_compiling: Final = threading.Lock()


def query(language: str, text: str) -> Query:
    """Return the compiled query, the same object for all threads."""
    with _compiling:
        return _compile(language, text)


@functools.cache
def _compile(language: str, text: str) -> Query:
    from tree_sitter import Query

    return Query(grammar(language), text)


def captures(language: str, text: str, root: Node) -> list[Node]:
    """Return every captured node in source order, at most MAX_MATCHES."""
    from tree_sitter import QueryCursor

    found = QueryCursor(query(language, text)).captures(root)
    nodes = [node for group in found.values() for node in group]
    nodes.sort(key=lambda node: node.start_byte)
    return nodes[:MAX_MATCHES]
