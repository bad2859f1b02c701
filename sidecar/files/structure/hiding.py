"""Remove, from symbols and samples made of the plain text, the values that the guarded text hides."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from itertools import pairwise
from typing import Final

from msgspec.structs import replace

from sidecar.files.structure.guards import HIDDEN, hide_stated_values
from sidecar.store.records import SymbolRecord

_MIN_VALUE_CHARS: Final = 5  # the minimum length of a value that is removed from symbols
_MAX_VALUES: Final = 60  # the number of values removed from a sample
_SPACES: Final = re.compile(r"\s+")
_WORD: Final = re.compile(r"\b[A-Za-z]+\b")
_MIN_REPEATS_OF_WORD: Final = 3  # a plain word that is repeated so often is no secret
_MAY_STATE_A_SECRET: Final = re.compile(r"(?i)pass|pwd?\b|pin\b|secret|token|cred|key|code")


def hidden_values(text: str, guarded: str) -> list[tuple[int, str]]:
    """Return the values of `text` that `guarded` hides, with the numbers of their lines.

    A plain word that `guarded` shows three times is left out: it is no secret, even behind a name like `inline_key`.
    """
    found = []
    shown_words: Counter[str] = Counter()
    for number, (line, shown) in enumerate(zip(text.split("\n"), guarded.split("\n"), strict=False), 1):
        if HIDDEN not in shown or line == shown:
            continue
        at = 0
        for before, after in pairwise(shown.split(HIDDEN)):
            start = line.find(before, at) + len(before)
            end = line.find(after, start) if after else len(line)
            at = max(start, end)
            value = line[start:at].strip(" \t\"'`,;[](){}")
            if value.isalpha() and value.isascii():
                shown_words = shown_words or Counter(_WORD.findall(guarded))
                if shown_words[value] >= _MIN_REPEATS_OF_WORD:
                    continue
            if len(value) >= _MIN_VALUE_CHARS:
                found.append((number, value))
    return found


def hide_in_text(text: str | None, values: Sequence[tuple[int, str]]) -> str | None:
    """Return a text made from the file, without the values that are hidden in the file."""
    if text:
        for _, value in values[:_MAX_VALUES]:
            text = text.replace(value, "[hidden]")
    return text


def hide_in_symbols(
    symbols: Sequence[SymbolRecord], values: Sequence[tuple[int, str]], keys_only: bool
) -> tuple[SymbolRecord, ...]:
    """Return symbols without the values that are hidden on their lines. Names stay."""
    return tuple(_hide_in_symbol(symbol, values, keys_only) for symbol in symbols)


def _hide_in_symbol(symbol: SymbolRecord, values: Sequence[tuple[int, str]], keys_only: bool) -> SymbolRecord:
    inside = [each for each in values if symbol.start <= each[0] <= max(symbol.start, symbol.end)]
    signature, doc, name = symbol.signature, symbol.doc, symbol.name
    loose = " " in name or signature == name
    if doc and _MAY_STATE_A_SECRET.search(doc):
        doc = hide_stated_values(doc).replace(HIDDEN, "[hidden]")
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
        symbol, name=name, signature=signature, doc=doc, children=hide_in_symbols(symbol.children, inside, keys_only)
    )
