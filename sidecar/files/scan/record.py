"""The scan of one content."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final, NamedTuple

import msgspec

MAX_DEFINITIONS: Final = 1_500
"""Definitions of one file that count; generated headers have more."""

MAX_IMPORTS: Final = 500
MAX_NAMES: Final = 4_000
LONGEST: Final = 64
MAX_COUNT: Final = 255

TOP: Final = 1
PUBLIC: Final = 2


class Found(NamedTuple):
    """A definition: its name, the line it begins at (from 1), and whether it is at the top, and public."""

    name: str
    line: int
    top: bool
    public: bool


class Scan(msgspec.Struct, frozen=True, array_like=True):
    """Definitions in the order of their lines, imports as outlines spell them, and names used in code.

    `flags` holds a byte for each of `names`: TOP and PUBLIC. `used` are distinct, ascending, and `times` holds a byte
    for each: how often it stands in code, at most MAX_COUNT.
    """

    language: str
    imports: tuple[str, ...] = ()
    names: tuple[str, ...] = ()
    lines: tuple[int, ...] = ()
    flags: bytes = b""
    used: tuple[str, ...] = ()
    times: bytes = b""


class Rules(NamedTuple):
    """How one language is scanned. All of it works on text that begins with a newline.

    `blank` takes comments and the text of strings away and keeps the lines; `defined` gives what code without them
    defines; `imported` gives the modules, from (code, the whole text).
    """

    blank: Callable[[bytes], bytes]
    defined: Callable[[bytes, bytes], list[Found]]
    imported: Callable[[bytes, bytes], list[str]]


def worth_linking(name: str) -> bool:
    """Whether a use of a name may be told from a use of another thing of that name."""
    return len(name) > 2 and not name.startswith("__")


def made(
    language: str, found: Sequence[Found], imports: Sequence[str], used: Sequence[tuple[str, int]]
) -> Scan:
    """A scan of these parts, within the limits. Of too many names those used least go."""
    kept = sorted(found, key=lambda one: one.line)[:MAX_DEFINITIONS]
    if len(used) > MAX_NAMES:
        used = sorted(used, key=lambda pair: (-pair[1], pair[0]))[:MAX_NAMES]
    used = sorted(used)
    return Scan(
        language=language,
        imports=tuple(dict.fromkeys(imports))[:MAX_IMPORTS],
        names=tuple(one.name for one in kept),
        lines=tuple(one.line for one in kept),
        flags=bytes([TOP * one.top | PUBLIC * one.public for one in kept]),
        used=tuple(name for name, _ in used),
        times=bytes([min(times, MAX_COUNT) for _, times in used]),
    )
