"""The scan of one file content."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final, NamedTuple

import msgspec

from sidecar.files.words import WORD_SETS

MAX_DEFINITIONS: Final = 1_500  # per file; generated headers have more

MAX_IMPORTS: Final = 500
MAX_NAMES: Final = 4_000
MAX_NAME_CHARS: Final = 64
MAX_COUNT: Final = 255

TOP: Final = 1
PUBLIC: Final = 2


class ScannedDefinition(NamedTuple):
    """A definition; `line` counts from 1, and `owner` is the line of its owner, -1 without one."""

    name: str
    line: int
    top: bool
    public: bool
    owner: int = -1


class Scan(msgspec.Struct, frozen=True, array_like=True):
    """What a scan found: definitions in line order, imports as outlines spell them, and the names used in code."""

    language: str
    imports: tuple[str, ...] = ()
    names: tuple[str, ...] = ()
    lines: tuple[int, ...] = ()
    owners: tuple[int, ...] = ()  # indices into `names`, or -1
    flags: bytes = b""  # a byte of TOP and PUBLIC for each definition
    used: tuple[str, ...] = ()
    times: bytes = b""  # a byte for each name in `used`
    fault: str = ""  # the defect of a scanner that failed


class ScanRules(NamedTuple):
    """The functions that scan one language; the text that they get begins with a newline."""

    blank: Callable[[bytes], bytes]  # removes comments and strings, but not lines
    defined: Callable[[bytes, bytes], list[ScannedDefinition]]  # called with blanked code and the whole text
    imported: Callable[[bytes, bytes], list[str]]  # called like `defined`


def worth_linking(name: str) -> bool:
    """Return whether a use of the name mostly means its definition."""
    return len(name) > 2 and not name.startswith("__") and name not in WORD_SETS["reserved"]


def make_scan(
    language: str, definitions: Sequence[ScannedDefinition], imports: Sequence[str], used: Sequence[tuple[str, int]]
) -> Scan:
    """Return a scan within the limits. Of too many names, the least used are left out."""
    first = sorted(definitions, key=lambda definition: definition.line)[:MAX_DEFINITIONS]
    if len(used) > MAX_NAMES:
        used = sorted(used, key=lambda pair: (-pair[1], pair[0]))[:MAX_NAMES]
    used = sorted(used)
    places = {definition.line: place for place, definition in reversed(list(enumerate(first)))}
    owners = [places.get(definition.owner, -1) for definition in first]
    return Scan(
        language=language,
        imports=tuple(dict.fromkeys(imports))[:MAX_IMPORTS],
        names=tuple(definition.name for definition in first),
        lines=tuple(definition.line for definition in first),
        owners=tuple(owner if owner < place else -1 for place, owner in enumerate(owners)),
        flags=bytes([TOP * definition.top | PUBLIC * definition.public for definition in first]),
        used=tuple(name for name, _ in used),
        times=bytes([times if times < MAX_COUNT else MAX_COUNT for _, times in used]),
    )
