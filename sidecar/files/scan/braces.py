"""Rules for Go, Java, JavaScript and TypeScript."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from sidecar.files.scan.heads import brace_head
from sidecar.files.scan.layout import Layout, blanker, definition_finder
from sidecar.files.scan.record import ScannedDefinition, ScanRules, worth_linking
from sidecar.text.lazy_patterns import byte_patterns

_PATTERNS: Final = byte_patterns(Path(__file__), "braces")


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

    for match in _PATTERNS["go_line"].finditer(code):
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
    modules: list[str] = []
    for match in _PATTERNS["go_imports"].finditer(text):
        modules += [module.decode("utf-8", "replace") for module in _PATTERNS["quoted"].findall(match[1] or match[2])]
    return modules


GO: Final = ScanRules(blanker(_PATTERNS["go_literal"]), _go_defined, _go_imported, brace_head(line_ends=True))


def _java_public(words: str, name: str, kind: str) -> bool:
    return "public" in words or ("interface" in kind and "private" not in words)


def _java_imported(code: bytes, text: bytes) -> list[str]:
    return [module.decode("utf-8", "replace") for module in _PATTERNS["java_import"].findall(text)]


_blank_java = blanker(_PATTERNS["java_literal"])

JAVA: Final = ScanRules(
    lambda text: _PATTERNS["package"].sub(b"\n", _blank_java(text)),
    definition_finder(Layout(_PATTERNS["java_line"], _java_public)),
    _java_imported,
    brace_head(line_ends=False),
)

_NOT_NAMES: Final = frozenset("if for while switch catch function return super constructor with await".split())


def _script_public(words: str, name: str, kind: str) -> bool:
    return ("private" not in words and "protected" not in words) if kind else "export" in words


_find_script = definition_finder(Layout(_PATTERNS["script_line"], _script_public, not_names=_NOT_NAMES))


def _script_defined(code: bytes, text: bytes) -> list[ScannedDefinition]:
    """Find classes with their methods, functions and types. Names in an export list are public, too."""
    definitions = _find_script(code, text)
    items = [
        item.split()
        for match in _PATTERNS["exported"].finditer(code)
        for item in (match[1] or match[2] or b"").split(b",")
    ]
    named = [words[0] for words in items if words] + _PATTERNS["assigned"].findall(code)
    listed = {name.decode("utf-8", "replace").rstrip(":") for name in named}
    all_public = b"\nexport" not in code and b"exports" not in code
    modules = {name.decode("utf-8", "replace") for name in _PATTERNS["required"].findall(code)}
    definitions = [symbol for symbol in definitions if symbol.name not in modules]
    return [
        symbol._replace(public=True) if symbol.top and (all_public or symbol.name in listed) else symbol
        for symbol in definitions
    ]


def _script_imported(code: bytes, text: bytes) -> list[str]:
    return [
        (match[1] or match[2] or match[3]).decode("utf-8", "replace") for match in _PATTERNS["module"].finditer(text)
    ]


JAVASCRIPT: Final = ScanRules(
    blanker(_PATTERNS["script_literal"]), _script_defined, _script_imported, brace_head(line_ends=True)
)
