"""The words of one file, each once, with how often it stands there and how often of that in code."""

import re
import zlib
from collections import Counter
from collections.abc import Iterator
from typing import TYPE_CHECKING, Final, NamedTuple

MAX_WORDS: Final = 4_000
LONGEST: Final = 64
MAX_COUNT: Final = 255
DATA_CHARS: Final = 16_384
DATA: Final = frozenset("json jsonl csv tsv xml diff text gomod ini dotenv".split())
_WORD = re.compile(r"\w\w+")
_ASCII_WORD = re.compile(r"[A-Za-z_]\w+", re.ASCII)  # twice as fast
_KEY = re.compile(r"(?=[A-Z]*[0-9])[A-Z0-9]{16,}|(?=.{16})(?:[A-Za-z]+[0-9]+){3,}[A-Za-z]*|[A-Za-z0-9]{40,}")


def words_of_text(language: str, text: str) -> bytes:
    """The packed words of a file without a grammar."""
    if language in DATA:
        text = text[:DATA_CHARS]
    return pack(_counted(text), Counter())


def _counted(text: str) -> Counter[str]:
    if text.isascii():
        return Counter(_ASCII_WORD.findall(text))
    return Counter(word for word in _WORD.findall(text) if not word[0].isdigit())


def pack(counts: Counter[str], in_code: Counter[str]) -> bytes:
    """Words in the order of their text, their counts, and their counts in code, compressed; b"" without words."""
    kept = [word for word in counts if len(word) < 16 or not (len(word) > LONGEST or _KEY.fullmatch(word))]
    if not kept:
        return b""
    if len(kept) > MAX_WORDS:
        # A word of code may lead to another file, so it goes last.
        kept = sorted(kept, key=lambda word: (-bool(in_code[word]), -counts[word], word))[:MAX_WORDS]
    kept.sort()
    numbers = bytes([min(counts[word], MAX_COUNT) for word in kept])
    code = bytes([min(in_code[word], MAX_COUNT) for word in kept])
    return zlib.compress("\n".join(kept).encode("utf-8", "replace") + b"\0" + numbers + code, 1)


def unpack(packed: bytes) -> Iterator[Word]:
    """The words, in the order of their text. ValueError when the bytes are not what `pack` gives."""
    if not packed:
        return iter(())
    try:
        body = zlib.decompress(packed)
    except zlib.error as error:
        raise ValueError("these are no packed words") from error
    text, _, numbers = body.partition(b"\0")
    words = text.decode("utf-8").split("\n")
    if len(numbers) != 2 * len(words):
        raise ValueError("these are no packed words")
    return map(Word, words, numbers[: len(words)], numbers[len(words) :])
