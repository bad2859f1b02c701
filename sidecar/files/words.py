"""The words of one file, each with its number of occurrences, in total and in code.

Plain words are kept, not stems, so that the comparison of words may change without reading a file again; words of code
are those outside comments and string literals, as told by the grammar (a file without a grammar has none). Of files
that hold data rather than text (JSON, CSV, ...) only the beginning counts, so that a table of numbers or a lock file
does not outweigh the program.
"""

from __future__ import annotations

import re
import zlib
from collections import Counter
from collections.abc import Iterator
from itertools import repeat
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from tree_sitter import Node

MAX_WORDS: Final = 4_000  # maximum number of distinct words kept for one file; the most frequent stay
LONGEST: Final = 64
MAX_COUNT: Final = 255
DATA_CHARS: Final = 16_384

DATA: Final = frozenset("json jsonl csv tsv xml diff text gomod ini dotenv".split())  # not written to be read
_WORD = re.compile(r"\w\w+")
_ASCII_WORD = re.compile(r"[A-Za-z_]\w+", re.ASCII)  # twice as fast
_KEY = re.compile(r"(?=[A-Z]*[0-9])[A-Z0-9]{16,}|(?=.{16})(?:[A-Za-z]+[0-9]+){3,}[A-Za-z]*|[A-Za-z0-9]{40,}")
"""Words that are hashes, keys or encoded bytes: not worth finding, and a secret must not be kept."""

_NOT_CODE: Final = frozenset(
    """comment line_comment block_comment multiline_comment html_comment shebang shebang_line shebang_directive
    jsx_text text string_content string_fragment multiline_string_fragment string_literal_content
    interpreted_string_literal raw_string_literal raw_string_content verbatim_string_literal
    line_str_text multi_line_str_text heredoc_content nowdoc_body raw_string ansi_c_string
    regex_pattern regex_literal char_literal character_literal
    documentation_comment haddock pragma quoted_content content quoted_string_content character_content
    verbatim_string_characters verbatim_here_string_characters template_literal""".split()
)
"""Node types that contain no code; none of them can contain an interpolated expression."""

PYTHON_LITERAL: Final = re.compile(
    rb"#[^\n]*"
    rb'|"""([^"\\]*(?:(?:\\.|"(?!""))[^"\\]*)*)"""'
    rb"|'''([^'\\]*(?:(?:\\.|'(?!''))[^'\\]*)*)'''"
    rb'|"([^"\\\n]*(?:\\.[^"\\\n]*)*)"'
    rb"|'([^'\\\n]*(?:\\.[^'\\\n]*)*)'",
    re.DOTALL,
)
_FORMATTED: Final = (b"f", b"F", b"t", b"T", b"fr", b"fR", b"Fr", b"FR", b"tr", b"tR", b"Tr", b"TR")


def words_of_text(language: str, text: str) -> bytes:
    if language in DATA:
        text = text[:DATA_CHARS]
    return pack(count_words(text), Counter())


def words_of_code(language: str, data: bytes, root: Node, around: str = "") -> bytes:
    """Pack the words of code from its tree and text; `around` is the text that embeds the code, if any."""
    code: list[bytes] = []
    rest: list[bytes] = []
    at = 0
    ranges = python_literals(data) if language == "python" and not root.has_error else None
    for start, end in ranges_outside_code(language, root) if ranges is None else ranges:
        if start >= at:
            code.append(data[at:start])
            rest.append(data[start:end])
            at = end
    code.append(data[at:])
    in_code = count_words(b" ".join(code).decode("utf-8", "replace"))
    counts = count_words(b" ".join(rest).decode("utf-8", "replace"))
    counts.update(in_code)
    if around:
        counts = count_words(around)
    return pack(counts, in_code)


def count_words(text: str) -> Counter[str]:
    if text.isascii():
        return Counter(_ASCII_WORD.findall(text))
    return Counter(word for word in _WORD.findall(text) if not word[0].isdigit())


def pack(counts: Counter[str], in_code: Counter[str]) -> bytes:
    """Compress the words, in alphabetical order, with both counts."""
    words = [word for word in counts if len(word) < 16 or not (len(word) > LONGEST or _KEY.fullmatch(word))]
    if not words:
        return b""
    if len(words) > MAX_WORDS:
        # Words of code may lead to other files, so they are dropped last.
        words = sorted(words, key=lambda word: (-bool(in_code[word]), -counts[word], word))[:MAX_WORDS]
    words.sort()
    counted = [*map(counts.__getitem__, words), *map(in_code.get, words, repeat(0))]
    numbers = bytes([times if times < MAX_COUNT else MAX_COUNT for times in counted])
    return zlib.compress("\n".join(words).encode("utf-8", "replace") + b"\0" + numbers, 1)


def unpack(packed: bytes) -> Iterator[tuple[str, int, int]]:
    """Yield (word, occurrences, occurrences in code) in alphabetical order. Raises `ValueError` for other bytes."""
    if not packed:
        return iter(())
    try:
        body = zlib.decompress(packed)
    except zlib.error as error:
        raise ValueError("not packed words") from error
    text, _, numbers = body.partition(b"\0")
    words = text.decode("utf-8").split("\n")
    if len(numbers) != 2 * len(words):
        raise ValueError("not packed words")
    return zip(words, numbers, numbers[len(words) :], strict=False)


def python_literals(data: bytes) -> list[tuple[int, int]] | None:
    """Return the ascending byte ranges of comments and strings in Python; None if a string may contain code.

    A query would visit every node of the tree, which takes a third of the parsing time.
    """
    ranges: list[tuple[int, int]] = []
    for match in PYTHON_LITERAL.finditer(data):
        group = match.lastindex
        start, end = match.span(group or 0)
        if group is not None and data[max(0, match.start() - 2) : match.start()].endswith(_FORMATTED):
            return None
        if end > start:
            ranges.append((start, end))
    return ranges


def ranges_outside_code(language: str, root: Node) -> list[tuple[int, int]]:
    """Return the byte ranges of comments and strings, in order; ranges may be nested."""
    from tree_sitter import QueryCursor

    from sidecar.files.outline.grammars import grammar, query

    known = grammar(language)
    kinds = [kind for kind in sorted(_NOT_CODE) if known.id_for_node_kind(kind, True)]
    if not kinds:
        return []
    captures = QueryCursor(query(language, " ".join(f"({kind}) @x" for kind in kinds))).captures(root)
    return sorted((node.start_byte, node.end_byte) for node in captures.get("x", ()))
