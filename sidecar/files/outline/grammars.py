"""Tree-sitter grammars, each loaded on first use, and parsing with them.

Some grammars need quadratic memory for unmatched angle brackets, allocated after the last byte was read, where no time
limit can interrupt them: 16 KB of `a<` cost the Java grammar a second and 650 MB. C# and TypeScript behave alike.
"""

from __future__ import annotations

import functools
import importlib
import re
import threading
import time
from typing import TYPE_CHECKING, Final

from sidecar.files.outline.languages import facts_of
from sidecar.files.outline.preprocessor import blank

if TYPE_CHECKING:
    from tree_sitter import Language, Query, Tree

# Longer text is cut at a line end before parsing: a parse takes up to about a second per megabyte.
MAX_BYTES: Final = 2_000_000
MAX_UNMATCHED: Final = 200  # more than this many unmatched angle brackets in a statement are blanked
_STATEMENT: Final = re.compile(rb"[^;{}]+")
_MAX_UNTIMED_BYTES: Final = 1_024
_PIECE_BYTES: Final = 1_024
_FIXED_SECONDS: Final = 0.3
_SECONDS_PER_BYTE: Final = 3e-6


# The scanner of the bash grammar passes any character to the C library's tables for 8-bit characters and reads far
# beyond the tables: `{` and U+CD121 in a script crash the process. A letter for each byte keeps all offsets.
_ASCII: Final = bytes(range(128)) + b"x" * 128


@functools.cache
def grammar(language: str) -> Language:
    from tree_sitter import Language

    module, function = facts_of(language).grammar
    return Language(getattr(importlib.import_module(module), function)())


def parse(language: str, data: bytes) -> tuple[Tree, bool]:
    """Parse `data` (UTF-8); return the tree, and whether all of the text was read.

    Some grammars need quadratic time for text in another language (Java: 7 s for 8 KB of `a=>`), and a parser cannot be
    interrupted. So the parser gets its text in pieces, and the text ends early once the parser has used far more
    processor time than real files need. Parsers are not thread-safe and cheap to make, so none is kept.
    """
    from tree_sitter import Parser

    if language == "bash":
        data = data.translate(_ASCII)
    whole, data = data, without_unmatched(language, data)
    complete = data is whole
    parser = Parser(grammar(language))
    if len(data) <= _MAX_UNTIMED_BYTES:
        return _tree(parser.parse(data)), complete
    began, began_wall = time.thread_time(), time.perf_counter()
    in_time = True
    # tree-sitter 0.26 never releases what `read` returns: `read` returns one buffer each time, and another at the end.
    piece = memoryview(bytearray(_PIECE_BYTES))
    ends: list[memoryview] = []

    def read(offset: int, _point: object) -> bytes | memoryview:
        nonlocal in_time
        allowed = _FIXED_SECONDS + _SECONDS_PER_BYTE * offset
        # The wall clock never shows less than the thread's time and costs no system call.
        late = time.perf_counter() - began_wall > allowed and time.thread_time() - began > allowed
        if not in_time or late:
            in_time = False
            return b""
        if offset + _PIECE_BYTES <= len(data):
            piece[:] = data[offset : offset + _PIECE_BYTES]
            return piece
        if offset >= len(data):
            return b""
        ends.append(memoryview(data[offset:]))
        return ends[-1]

    tree = _tree(parser.parse(read))
    for view in (piece, *ends):
        view.release()
    return tree, complete and in_time


def without_unmatched(language: str, data: bytes) -> bytes:
    """Blank each statement with more than MAX_UNMATCHED unmatched angle brackets. The length stays."""
    arrow = facts_of(language).arrow
    if not arrow or max(data.count(b"<"), data.count(b">")) <= MAX_UNMATCHED:
        return data
    arrows = re.compile(arrow.encode())

    def checked(match: re.Match[bytes]) -> bytes:
        opening, closing = match[0].count(b"<"), match[0].count(b">")
        if max(opening, closing) <= MAX_UNMATCHED:
            return match[0]
        unmatched = opening - closing + len(arrows.findall(match[0]))
        return match[0] if abs(unmatched) <= MAX_UNMATCHED else blank(match[0])

    readable = _STATEMENT.sub(checked, data)
    return data if readable == data else readable


def _tree(tree: Tree | None) -> Tree:
    if tree is None:  # happens only without a language
        raise RuntimeError("the parser gave no tree")
    return tree


# tree-sitter 0.26.1 corrupts memory when it deletes a query with predicates. Two threads compiling the same query
# would leave one to be deleted, so they take turns and no query is ever deleted.
_compiling: Final = threading.Lock()


def query(language: str, text: str) -> Query:
    with _compiling:
        return _compile(language, text)


@functools.cache
def _compile(language: str, text: str) -> Query:
    from tree_sitter import Query

    return Query(grammar(language), text)
