"""Rules for languages with braces: a table of patterns for each (`patterns.toml`), and code for Go and JavaScript."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from sidecar.files.scan.heads import brace_head
from sidecar.files.scan.layout import blanker, definition_finder
from sidecar.files.scan.record import ScannedDefinition, ScanRules, worth_linking
from sidecar.text.lazy_patterns import byte_patterns

_PATTERNS: Final = byte_patterns(Path(__file__), "go")
_SCRIPT: Final = byte_patterns(Path(__file__), "javascript")


def _go_defined(code: bytes, text: bytes) -> list[ScannedDefinition]:
    """Find functions, methods, types, constants, and the methods of interfaces."""
    definitions: list[ScannedDefinition] = []
    seen: set[tuple[int, str]] = set()
    line = at = 0

    def add(name: bytes, line: int, top: bool, key: int = 0, owner: int = -1) -> None:
        text = name.decode("utf-8", "replace")
        if worth_linking(text) and (key, text) not in seen:
            seen.add((key, text))
            definitions.append(ScannedDefinition(text, line, top, text[0].isupper(), owner))

    for match in _PATTERNS["line"].finditer(code):
        start = match.start()
        line += code.count(b"\n", at, start + 1)
        at = start + 1
        name = match["function"] or match["type"] or match["constant"]
        if name is not None:
            receiver = match["receiver"]
            add(name, line, receiver is None, start if receiver is not None else 0)
        if (is_interface := match["interface"] is not None) or match["block"] is not None:
            end = code.find(b"\n}" if is_interface else b"\n)", match.end())
            members = _PATTERNS["method" if is_interface else "in_block"]
            for member in members.finditer(code, match.end(), end if end >= 0 else len(code)):
                place = line + code.count(b"\n", at, member.start() + 1)
                if is_interface:
                    add(member[1], place, False, start, line)
                else:
                    add(member[1], place, True)
    return definitions


def _go_imported(code: bytes, text: bytes) -> list[str]:
    blocks = (match[1] or match[2] for match in _PATTERNS["imports"].finditer(text))
    return [module.decode("utf-8", "replace") for block in blocks for module in _PATTERNS["quoted"].findall(block)]


GO: Final = ScanRules(blanker(_PATTERNS["literal"]), _go_defined, _go_imported, brace_head(line_ends=True))


def rules(language: str, *, line_ends: bool = False) -> ScanRules:
    """Return the rules in the table of a language, whose heads may end with a line (`line_ends`)."""
    table = byte_patterns(Path(__file__), language)

    def imported(code: bytes, text: bytes) -> list[str]:
        return [match[match.lastindex or 0].decode("utf-8", "replace") for match in table["import"].finditer(text)]

    find = definition_finder(table["line"], table["public"])
    return ScanRules(blanker(table["literal"]), find, imported, brace_head(line_ends=line_ends))


JAVA: Final = rules("java")
_SCRIPT_RULES: Final = rules("javascript", line_ends=True)


def _script_defined(code: bytes, text: bytes) -> list[ScannedDefinition]:
    """Find classes with their methods, functions and types; names in an export list are public too."""
    definitions = _SCRIPT_RULES.defined(code, text)
    items = [
        item.split()
        for match in _SCRIPT["exported"].finditer(code)
        for item in (match[1] or match[2] or b"").split(b",")
    ]
    named = [words[0] for words in items if words] + _SCRIPT["assigned"].findall(code)
    listed = {name.decode("utf-8", "replace").rstrip(":") for name in named}
    all_public = b"\nexport" not in code and b"exports" not in code
    modules = {name.decode("utf-8", "replace") for name in _SCRIPT["required"].findall(code)}
    definitions = [symbol for symbol in definitions if symbol.name not in modules]
    return [
        symbol._replace(public=True) if symbol.top and (all_public or symbol.name in listed) else symbol
        for symbol in definitions
    ]


JAVASCRIPT: Final = _SCRIPT_RULES._replace(defined=_script_defined)
