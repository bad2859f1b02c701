"""Remove values that the guarded text hides from symbols and samples, which were made from the plain text."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from itertools import pairwise
from typing import Final

from msgspec.structs import replace

from sidecar.files.structure.guards import HIDDEN, said_values
from sidecar.store.records import SymbolRecord

_MIN_VALUE_CHARS: Final = 5  # characters of a value that is looked for in symbols
_MAX_VALUES: Final = 60  # values that are looked for in a sample
_SPACES: Final = re.compile(r"\s+")
_WORD: Final = re.compile(r"\b[A-Za-z]+\b")
_MIN_REPEATS_OF_WORD: Final = 3
_PERHAPS: Final = re.compile(r"(?i)pass|pwd?\b|pin\b|secret|token|cred|key|code")


def hidden_values(text: str, told: str) -> list[tuple[int, str]]:
    """Return what is hidden in `told`, the guarded text, with the number of its line.

    Leave out a plain word that `told` shows elsewhere: it is not a secret, even behind a name such as `inline_key`.
    """
    found = []
    shown_words: Counter[str] = Counter()
    for number, (line, shown) in enumerate(zip(text.split("\n"), told.split("\n"), strict=False), 1):
        if HIDDEN not in shown or line == shown:
            continue
        at = 0
        for before, after in pairwise(shown.split(HIDDEN)):
            start = line.find(before, at) + len(before)
            end = line.find(after, start) if after else len(line)
            at = max(start, end)
            value = line[start:at].strip(" \t\"'`,;[](){}")
            if value.isalpha() and value.isascii():
                shown_words = shown_words or Counter(_WORD.findall(told))
                if shown_words[value] >= _MIN_REPEATS_OF_WORD:
                    continue
            if len(value) >= _MIN_VALUE_CHARS:
                found.append((number, value))
    return found


def hide_in_text(text: str | None, values: Sequence[tuple[int, str]]) -> str | None:
    """Return a text made from the file without the values that are hidden in it."""
    for _, value in values[:_MAX_VALUES] if text else ():
        text = text.replace(value, "[hidden]") if text else text
    return text


def hide_in_symbols(
    symbols: Sequence[SymbolRecord], values: Sequence[tuple[int, str]], keys_only: bool
) -> tuple[SymbolRecord, ...]:
    """Return symbols without the values that are hidden on their lines; names stay."""
    return tuple(_hide_in_symbol(one, values, keys_only) for one in symbols)


def _hide_in_symbol(one: SymbolRecord, values: Sequence[tuple[int, str]], keys_only: bool) -> SymbolRecord:
    inside = [each for each in values if one.start <= each[0] <= max(one.start, one.end)]
    signature, doc, name = one.signature, one.doc, one.name
    loose = " " in name or signature == name
    if doc and _PERHAPS.search(doc):
        doc = said_values(doc).replace(HIDDEN, "[hidden]")
    for _, value in inside:
        signature = signature.replace(value, "[hidden]")
        doc = doc.replace(value, "[hidden]") if doc else doc
        name = name.replace(value, "[hidden]") if loose and not keys_only else name
        for part in _SPACES.split(value) if " " in value else ():
            if len(part) >= _MIN_VALUE_CHARS and not part.isalpha():
                signature = signature.replace(part, "[hidden]")
    if keys_only and signature != name and (at := signature.find(": ")) > 0:
        signature = signature[:at]
    return replace(
        one, name=name, signature=signature, doc=doc, children=hide_in_symbols(one.children, inside, keys_only)
    )
