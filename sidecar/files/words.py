"""The words of one file, each with how often it occurs, in total and in code.

Words outside comments and string literals are those of code; a file without a grammar has none. Of a file of data
(JSON, CSV, ...) only the beginning counts, so that a lock file does not outweigh the program.
"""

from __future__ import annotations

import re
import tomllib
import zlib
from collections import Counter
from collections.abc import Iterator, Mapping
from functools import cache
from itertools import repeat
from pathlib import Path
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from tree_sitter import Node

# Of one file, only this many distinct words are kept, the most frequent ones.
MAX_WORDS: Final = 4_000
MAX_WORD_CHARS: Final = 64
MAX_COUNT: Final = 255
DATA_CHARS: Final = 16_384

# Languages that are not written to be read.
DATA_LANGUAGES: Final = frozenset("json jsonl csv tsv xml diff text gomod ini dotenv".split())
_WORD = re.compile(r"\w\w+")
_TO_BLANK: Final = bytes(byte if re.match(r"\w", chr(byte), re.ASCII) else ord(" ") for byte in range(256))
# Words that are hashes, keys or encoded bytes: not worth finding, and a secret must not be kept.
_KEY = re.compile(r"(?=[A-Z]*[0-9])[A-Z0-9]{16,}|(?=.{16})(?:[A-Za-z]+[0-9]+){3,}[A-Za-z]*|[A-Za-z0-9]{40,}")

_NO_COUNTS: Final[Mapping[str, int]] = {}
# Read on import, because a server may outlive the files of its version.
_TABLE: Final = tomllib.loads(Path(__file__).with_name("words.toml").read_text("utf-8"))
WORD_SETS: Final = {name: frozenset(words.split()) for name, words in _TABLE.items()}


def words_of_text(language: str, text: str) -> bytes:
    if language in DATA_LANGUAGES:
        text = text[:DATA_CHARS]
    return pack(count_words(text), Counter())


def words_of_code(language: str, data: bytes, root: Node, around: str = "") -> bytes:
    """Pack the words of code, from its tree and text. `around` is the text that embeds the code, if any."""
    code: list[bytes] = []
    rest: list[bytes] = []
    at = 0
    for start, end in ranges_outside_code(language, root):
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
    """Count the words of a text; digits before a word are no part of it."""
    if not text.isascii():
        return Counter(word for word in _WORD.findall(text) if not word[0].isdigit())
    counts = Counter(text.encode().translate(_TO_BLANK).decode().split())
    for run in [run for run in counts if len(run) < 2 or run[0] <= "9"]:
        times, word = counts.pop(run), run.lstrip("0123456789")
        if len(word) > 1:
            counts[word] += times
    return counts


def kept_words(counts: Counter[str], in_code: Mapping[str, int] = _NO_COUNTS) -> dict[str, int]:
    """Return the counts of the words worth finding; of too many, those in code, then the most frequent ones."""
    for word in [word for word in counts if len(word) >= 16 and (len(word) > MAX_WORD_CHARS or _KEY.fullmatch(word))]:
        del counts[word]
    if len(counts) <= MAX_WORDS:
        return counts
    # Words of code may lead to other files, so they are dropped last.
    words = sorted(counts, key=lambda word: (-bool(in_code.get(word)), -counts[word], word))
    return {word: counts[word] for word in words[:MAX_WORDS]}


def pack(counts: Counter[str], in_code: Counter[str]) -> bytes:
    """Compress the words, in alphabetical order, with both counts."""
    words = sorted(kept_words(counts, in_code))
    if not words:
        return b""
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


def ranges_outside_code(language: str, root: Node) -> list[tuple[int, int]]:
    """Return the byte ranges of comments and strings, in order. Ranges may be nested."""
    from tree_sitter import QueryCursor

    from sidecar.files.outline.grammars import query

    captures = QueryCursor(query(language, _query_outside_code(language))).captures(root)
    return sorted(node.byte_range for node in captures.get("x", ()))


@cache
def _query_outside_code(language: str) -> str:
    from sidecar.files.outline.grammars import grammar

    nodes = grammar(language)
    return " ".join(f"({kind}) @x" for kind in sorted(WORD_SETS["not_code"]) if nodes.id_for_node_kind(kind, True))
