"""Read a hook's journal: its lines and the bytes where they begin, how far it was learned from, and its owner."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Protocol, TypeVar

import msgspec


class JournalEntry(Protocol):
    """What every line has: its kind and, in a line of the kind `learned`, the byte up to which was learned."""

    @property
    def kind(self) -> str: ...

    @property
    def upto(self) -> int: ...


L = TypeVar("L", bound=JournalEntry)
Lines = Sequence[tuple[int, bytes, L]]


def read_lines(data: bytes, decoder: msgspec.json.Decoder[L]) -> list[tuple[int, bytes, L]]:
    """Return for each line where it begins, its bytes, and what they decode to; skip broken lines."""
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
    """Return the byte up to which was learned; ignore an outdated line, which names a byte after its own start."""
    notes = (line.upto for start, _, line in lines if line.kind == "learned" and line.upto <= start)
    return max(notes, default=0)


class Owner(msgspec.Struct, frozen=True):
    """The owner of a journal: session (`text`), transcript (`output`), agent (`tool`), and whether the session ended.

    `given` are the processes that may be the agent's, nearest first.
    """

    text: str = ""
    output: str | None = None
    tool: str = ""
    given: tuple[str, ...] = ()
    ended: bool = False

    @property
    def process(self) -> str | None:
        return self.given[0] if self.given else None


_owner = msgspec.json.Decoder(Owner)


def owner_of(data: bytes) -> Owner:
    """Return the owner that a journal's last owner line names, and whether the session ended after that line."""
    owner = Owner()
    for raw in data.splitlines():
        try:
            if raw.startswith(b'{"kind":"process"'):
                owner = _owner.decode(raw)
            elif raw.startswith(b'{"kind":"ended"'):
                owner = msgspec.structs.replace(owner, ended=True)
        except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
            continue
    return owner


def journal_folder(home: Path, folder: Path) -> Path:
    from xxhash import xxh3_64_hexdigest

    return home / "hooks" / xxh3_64_hexdigest(str(folder).encode())
