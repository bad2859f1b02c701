"""Rules for Go: package-level declarations start in the first column; capitalised names are public."""

from __future__ import annotations

import re
from typing import Final

from sidecar.files.scan.heads import brace_head
from sidecar.files.scan.layout import DOUBLE, SINGLE, SLASHES, blanker
from sidecar.files.scan.record import ScannedDefinition, ScanRules, worth_linking

_LITERAL: Final = re.compile(SLASHES + rb"|" + DOUBLE + rb"|" + SINGLE + rb"|`[^`]*`", re.DOTALL)
_LINE: Final = re.compile(
    rb"\n(?:func[ \t]+(?P<receiver>\([^)\n]*\)[ \t]*)?(?P<function>[\w\x80-\xff]+)"
    rb"|type[ \t]+(?P<type>[\w\x80-\xff]+)(?P<interface>[^\n{]*\binterface[ \t]*\{)?"
    rb"|const[ \t]+(?P<constant>\w+)|(?P<block>const|type)[ \t]*\()"
)
_METHOD: Final = re.compile(rb"\n\t(\w+)\(")
_IN_BLOCK: Final = re.compile(rb"\n\t([A-Za-z_]\w*)")
_IMPORTS: Final = re.compile(rb"\nimport[ \t]*(?:\(([^)]*)\)|(?:[\w.]+[ \t]+)?(\"[^\"\n]+\"))")
_QUOTED: Final = re.compile(rb"\"([^\"\n]+)\"")


def defined(code: bytes, text: bytes) -> list[ScannedDefinition]:
    """Find functions, methods, types, constants, and the methods of interfaces."""
    definitions: list[ScannedDefinition] = []
    seen: set[tuple[int, str]] = set()
    line = at = 0

    def add(name: bytes, line: int, top: bool, key: int = 0, owner: int = -1) -> None:
        text = name.decode("utf-8", "replace")
        if worth_linking(text) and (key, text) not in seen:
            seen.add((key, text))
            definitions.append(ScannedDefinition(text, line, top, text[0].isupper(), owner))

    for match in _LINE.finditer(code):
        start = match.start()
        line += code.count(b"\n", at, start + 1)
        at = start + 1
        name = match["function"] or match["type"] or match["constant"]
        if name is not None:
            of = match["receiver"]
            add(name, line, of is None, start if of is not None else 0)
        inner = _METHOD if match["interface"] is not None else _IN_BLOCK if match["block"] is not None else None
        if inner is not None:
            end = code.find(b"\n}" if inner is _METHOD else b"\n)", match.end())
            for member in inner.finditer(code, match.end(), end if end >= 0 else len(code)):
                place = line + code.count(b"\n", at, member.start() + 1)
                if inner is _METHOD:
                    add(member[1], place, False, start, line)
                else:
                    add(member[1], place, True)
    return definitions


def imported(code: bytes, text: bytes) -> list[str]:
    modules: list[str] = []
    for match in _IMPORTS.finditer(text):
        modules += [module.decode("utf-8", "replace") for module in _QUOTED.findall(match[1] or match[2])]
    return modules


RULES: Final = ScanRules(blanker(_LITERAL), defined, imported, brace_head(line_ends=True))
