"""Rules for Python, whose blocks are found by indentation."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from sidecar.files.scan.record import ScannedDefinition, ScanRules, worth_linking
from sidecar.text.lazy_patterns import byte_patterns

_HASH: Final = ord("#")
_LETTERS: Final = frozenset(b"fFtTrR")
_PATTERNS: Final = byte_patterns(Path(__file__), "python")
_LIKE_AN_ATTRIBUTE: Final = (b"property", b".setter", b".deleter", b".getter")


def _decorators(text: bytes, end: int) -> Iterator[bytes]:
    """Yield the decorator lines right above a definition, the nearest first; they end at the offset `end`."""
    while end > 0:
        begin = text.rfind(b"\n", 0, end) + 1
        above = text[begin:end].strip()
        if not above.startswith(b"@"):
            return
        yield above
        end = begin - 1


def blank(text: bytes) -> bytes:
    """Blank comments and strings, but not the code in the braces of formatted strings."""

    def rest(match: re.Match[bytes]) -> bytes:
        literal, start = match[0], match.start()
        lines = b"\n" * literal.count(b"\n")
        before = text[start - 1]
        if before in _LETTERS and literal[0] != _HASH and _formatted(text, start):
            return b" " + _PATTERNS["quoted"].sub(b" ", b" ".join(_PATTERNS["field"].findall(literal))) + b" " + lines
        return lines or b" "

    return _PATTERNS["literal"].sub(rest, text)


def _formatted(text: bytes, start: int) -> bool:
    prefix = text[max(0, start - 3) : start]
    for length in (2, 1):
        if _PATTERNS["formatted"].fullmatch(prefix[-length:]) and not prefix[: -length or None][-1:].isalnum():
            return True
    return False


def defined(code: bytes, text: bytes) -> list[ScannedDefinition]:
    """Find classes, functions and constants. Local functions and properties are left out."""
    definitions: list[ScannedDefinition] = []
    seen: set[tuple[str, str]] = set()
    inside: list[tuple[int, str, str, int]] = []  # indentation, kind, name and line of the open blocks
    overloaded: dict[tuple[str, str], ScannedDefinition] = {}
    line = at = 0
    for match in _PATTERNS["definition"].finditer(code):
        start = match.start()
        line += code.count(b"\n", at, start + 1)
        at = start + 1
        if match.lastindex is None:
            inside.clear()  # a block in the first column ends the function or class before it
            continue
        if match[2] is None:
            name = (match[4] or match[5]).decode("utf-8", "replace")
            plain = match[4] is None or name.isupper()
            if plain and ("", name) not in seen and worth_linking(name):
                seen.add(("", name))
                definitions.append(ScannedDefinition(name, line, True, not name.startswith("_")))
            continue
        indent = len(match[1].expandtabs(8))
        while inside and inside[-1][0] >= indent:
            inside.pop()
        kind, name = match[2].decode(), match[3].decode("utf-8", "replace")
        owner = inside[-1][2] if inside else ""
        in_function = any(block[1] == "def" for block in inside)
        holder = inside[-1][3] if inside else -1
        inside.append((indent, kind, name, line))
        if in_function:
            continue
        if (owner, name) in seen or not worth_linking(name):
            continue
        decorated = list(_decorators(code, start)) if kind == "def" else []
        if owner and any(decorator.endswith(_LIKE_AN_ATTRIBUTE) for decorator in decorated):
            continue
        if any(decorator.endswith(b"overload") for decorator in decorated):
            declared = ScannedDefinition(name, line, not owner, not name.startswith("_"), holder)
            overloaded.setdefault((owner, name), declared)
            continue
        seen.add((owner, name))
        definitions.append(ScannedDefinition(name, line, not owner, not name.startswith("_"), holder))
    definitions += [stub for key, stub in overloaded.items() if key not in seen]  # stubs have only overloads
    if b"\n__all__" in code:
        listed = b" ".join(_PATTERNS["all"].findall(text))
        if listed:
            names = {name.decode() for name in _PATTERNS["in_all"].findall(listed)}
            definitions = [
                symbol._replace(public=symbol.name in names) if symbol.top else symbol for symbol in definitions
            ]
    return definitions


def imported(code: bytes, text: bytes) -> list[str]:
    """Return the imported modules, and `module.name` for each imported name that may be a module."""
    modules: list[str] = []
    for match in _PATTERNS["import"].finditer(code):
        if match[3] is not None:
            modules += [word for word in map(_name, match[3].split(b",")) if word]
            continue
        module = b"".join(match[1].split()).decode("utf-8", "replace")
        inner = module.strip(".")
        names = [_name(word) for word in match[2].strip(b"()").replace(b"\\\n", b" ").split(b",")]
        if inner or "*" in names:
            modules.append(module)
        for name in names:
            if name and name != "*" and not (name[0].isupper() and inner):
                modules.append(module + name if module.endswith(".") else f"{module}.{name}")
    return modules


def _name(part: bytes) -> str:
    words = part.split()
    return words[0].decode("utf-8", "replace") if words else ""


PYTHON: Final = ScanRules(blank, defined, imported)
