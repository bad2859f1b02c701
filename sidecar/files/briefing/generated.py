"""What a generated file says about itself and defines, for the error that refuses a briefing of it."""

from __future__ import annotations

from typing import Final

from sidecar.files.clean_text import clean
from sidecar.files.outline import outline
from sidecar.files.structure.comments import strip_markers
from sidecar.text.lazy_patterns import lazy

_MAX_NAMED: Final = 30
_NOTICE: Final = lazy(r"(?i)\bgenerated\b|\bdo not (?:edit|modify)|^\W*source:")
_MAX_LINES, _MAX_NOTICES = 40, 3  # the lines in which notices are searched


def held_by(path: str, data: bytes, hash: str) -> str:
    """Return the notice of a generated file and its outermost definitions with their lines."""
    record = outline(path, data, hash)
    head = strip_markers("\n".join(data[:4_000].decode("utf-8", "replace").split("\n")[:_MAX_LINES]))
    notices = [clean(line, 160).strip("@. ") for line in head if len(line) < 300 and _NOTICE.search(line)]
    told = [f"It says: {'; '.join(notices[:_MAX_NOTICES])}."] if notices else []
    symbols = [symbol for symbol in record.symbols if symbol.kind != "more" and symbol.public]
    if symbols:
        named = [f"{symbol.kind} {clean(symbol.name, 60)} L{symbol.start}-{symbol.end}" for symbol in symbols]
        left = f" and {len(named) - _MAX_NAMED} more" if len(named) > _MAX_NAMED else ""
        told.append(f"Its {record.lines} lines define {', '.join(named[:_MAX_NAMED])}{left}.")
    return " ".join(told)
