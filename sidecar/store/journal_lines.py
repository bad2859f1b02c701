"""Reads a hook's journal: its lines, each with the byte where it begins, and how far of them was learned."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol, TypeVar

import msgspec


class Noted(Protocol):
    """What every line has: its kind, and in one of the kind `learned` up to which byte was learned."""

    @property
    def kind(self) -> str:
        """What the line is about."""

    @property
    def upto(self) -> int:
        """A byte of the journal."""


L = TypeVar("L", bound=Noted)
Lines = Sequence[tuple[int, bytes, L]]


def read_lines(data: bytes, decoder: msgspec.json.Decoder[L]) -> list[tuple[int, bytes, L]]:
    """Each line: where it begins, as it stands there, and as it is read; broken ones are left out."""
    lines: list[tuple[int, bytes, L]] = []
    at = 0
    for raw in data.splitlines(keepends=True):
        start, at = at, at + len(raw)
        try:
            lines.append((start, raw, decoder.decode(raw)))
        except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
            continue
    return lines


def learned_upto(lines: Lines[L]) -> int:
    """Up to which byte was learned. What a note says of bytes behind itself is about the journal as it was once."""
    notes = (line.upto for start, _, line in lines if line.kind == "learned" and line.upto <= start)
    return max(notes, default=0)
