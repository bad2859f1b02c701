"""Rules for JavaScript and TypeScript."""

from __future__ import annotations

import re
from typing import Final

from sidecar.files.scan.heads import brace_head
from sidecar.files.scan.layout import DOUBLE, SINGLE, SLASHES, Layout, blanker, definition_finder
from sidecar.files.scan.record import ScannedDefinition, ScanRules

_LITERAL: Final = re.compile(SLASHES + rb"|" + DOUBLE + rb"|" + SINGLE + rb"|`[^`\\]*(?:\\.[^`\\]*)*`", re.DOTALL)
_LINE: Final = re.compile(
    rb"\n(?P<indent>[ \t]*+)(?P<words>(?:(?:export|default|declare|public|private|protected|static|abstract|override"
    rb"|readonly|async)[ \t]+)*+)"
    rb"(?:(?P<kind>class|interface|enum|const[ \t]+enum)[ \t]+(?P<type>[\w$\x80-\xff]+)"
    rb"|(?:(?:function[ \t]*\*?|type|namespace|const)[ \t]*(?<=[ \t*])|(?:[\w$]+\.)+(?=[\w$]+[ \t]*=[ \t]*"
    rb"(?:async[ \t]+)?(?:function\b|\(|[\w$]+[ \t]*=>)))(?P<function>[\w$\x80-\xff]+)"
    rb"|(?P<member>[\w$\x80-\xff]+)\??[ \t]*(?:<[^>\n]*>)?\()"
)
_EXPORTED: Final = re.compile(
    rb"\n(?:export|(?:exports[ \t]*=[ \t]*)?module\.exports[ \t]*=)[ \t]*(?:\{([^}]*)\}|([\w$]+)[ \t]*;?\n)"
)
_REQUIRED: Final = re.compile(rb"\nconst[ \t]+([\w$]+)[ \t]*=[ \t]*require\b")
_ASSIGNED: Final = re.compile(rb"\n(?:[\w$]+\.)+([\w$]+)[ \t]*=(?!=)")
_MODULE: Final = re.compile(
    rb"""\bfrom[ \t]*["']([^"'\n]+)["']|\bimport[ \t]*\(?[ \t]*["']([^"'\n]+)["']"""
    rb"""|\brequire[ \t]*\([ \t]*["']([^"'\n]+)["']"""
)
_NOT_NAMES: Final = frozenset("if for while switch catch function return super constructor with await".split())


def _public(words: str, name: str, kind: str) -> bool:
    return ("private" not in words and "protected" not in words) if kind else "export" in words


_find = definition_finder(Layout(_LINE, _public, not_names=_NOT_NAMES))


def defined(code: bytes, text: bytes) -> list[ScannedDefinition]:
    """Find classes with their methods, functions and types; names in an export list are public too."""
    definitions = _find(code, text)
    items = [item.split() for match in _EXPORTED.finditer(code) for item in (match[1] or match[2] or b"").split(b",")]
    named = [words[0] for words in items if words] + _ASSIGNED.findall(code)
    listed = {name.decode("utf-8", "replace").rstrip(":") for name in named}
    all_public = b"\nexport" not in code and b"exports" not in code
    modules = {name.decode("utf-8", "replace") for name in _REQUIRED.findall(code)}
    definitions = [symbol for symbol in definitions if symbol.name not in modules]
    return [
        symbol._replace(public=True) if symbol.top and (all_public or symbol.name in listed) else symbol
        for symbol in definitions
    ]


def imported(code: bytes, text: bytes) -> list[str]:
    return [(match[1] or match[2] or match[3]).decode("utf-8", "replace") for match in _MODULE.finditer(text)]


RULES: Final = ScanRules(blanker(_LITERAL), defined, imported, brace_head(line_ends=True))
