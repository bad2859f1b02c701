"""Rules for Go, Java, JavaScript and TypeScript."""

from __future__ import annotations

import re
from typing import Final

from sidecar.files.scan.heads import brace_head
from sidecar.files.scan.layout import DOUBLE, SINGLE, SLASHES, Layout, blanker, definition_finder
from sidecar.files.scan.record import ScannedDefinition, ScanRules, worth_linking

# Package-level declarations of Go start in the first column; capitalised names are public.
_GO_LITERAL: Final = re.compile(SLASHES + rb"|" + DOUBLE + rb"|" + SINGLE + rb"|`[^`]*`", re.DOTALL)
_GO_LINE: Final = re.compile(
    rb"\n(?:func[ \t]+(?P<receiver>\([^)\n]*\)[ \t]*)?(?P<function>[\w\x80-\xff]+)"
    rb"|type[ \t]+(?P<type>[\w\x80-\xff]+)(?P<interface>[^\n{]*\binterface[ \t]*\{)?"
    rb"|const[ \t]+(?P<constant>\w+)|(?P<block>const|type)[ \t]*\()"
)
_METHOD: Final = re.compile(rb"\n\t(\w+)\(")
_IN_BLOCK: Final = re.compile(rb"\n\t([A-Za-z_]\w*)")
_GO_IMPORTS: Final = re.compile(rb"\nimport[ \t]*(?:\(([^)]*)\)|(?:[\w.]+[ \t]+)?(\"[^\"\n]+\"))")
_QUOTED: Final = re.compile(rb"\"([^\"\n]+)\"")


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

    for match in _GO_LINE.finditer(code):
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


def _go_imported(code: bytes, text: bytes) -> list[str]:
    modules: list[str] = []
    for match in _GO_IMPORTS.finditer(text):
        modules += [module.decode("utf-8", "replace") for module in _QUOTED.findall(match[1] or match[2])]
    return modules


GO: Final = ScanRules(blanker(_GO_LITERAL), _go_defined, _go_imported, brace_head(line_ends=True))


_JAVA_LITERAL: Final = re.compile(
    SLASHES + rb'|"""[^"\\]*(?:(?:\\.|"(?!""))[^"\\]*)*"""|' + DOUBLE + rb"|" + SINGLE, re.DOTALL
)
_TYPE: Final = rb"(?!(?:return|new|throw|else|case|assert|yield|package|import)\b)[\w.]+(?:<[^;{}()=\n]*>)?(?:\[\])*"
_JAVA_LINE: Final = re.compile(
    rb"\n(?P<indent>[ \t]*+)(?P<words>(?:(?:public|protected|private|static|final|abstract|default|synchronized|native"
    rb"|strictfp|sealed|non-sealed|transient|volatile)[ \t]+)*+)"
    rb"(?:(?P<kind>class|interface|enum|record|@interface)[ \t]+(?P<type>[\w\x80-\xff]+)"
    rb"|(?:<[^;{}()=\n]*>[ \t]*)?" + _TYPE + rb"[ \t]+(?P<member>[\w\x80-\xff]+)(?:[ \t]*\(|(?<=[A-Z0-9_])[ \t]*=)"
    rb"|(?P<function>(?!)))"
)
_PACKAGE: Final = re.compile(rb"\n(?:package|import)[ \t][^\n]*")
_JAVA_IMPORT: Final = re.compile(rb"\nimport[ \t]+(?:static[ \t]+)?([\w.]+(?:\.\*)?)")


def _java_public(words: str, name: str, kind: str) -> bool:
    return "public" in words or ("interface" in kind and "private" not in words)


def _java_imported(code: bytes, text: bytes) -> list[str]:
    return [module.decode("utf-8", "replace") for module in _JAVA_IMPORT.findall(text)]


_blank_java = blanker(_JAVA_LITERAL)

JAVA: Final = ScanRules(
    lambda text: _PACKAGE.sub(b"\n", _blank_java(text)),
    definition_finder(Layout(_JAVA_LINE, _java_public)),
    _java_imported,
    brace_head(line_ends=False),
)

_SCRIPT_LITERAL: Final = re.compile(
    SLASHES + rb"|" + DOUBLE + rb"|" + SINGLE + rb"|`[^`\\]*(?:\\.[^`\\]*)*`", re.DOTALL
)
_SCRIPT_LINE: Final = re.compile(
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


def _script_public(words: str, name: str, kind: str) -> bool:
    return ("private" not in words and "protected" not in words) if kind else "export" in words


_find_script = definition_finder(Layout(_SCRIPT_LINE, _script_public, not_names=_NOT_NAMES))


def _script_defined(code: bytes, text: bytes) -> list[ScannedDefinition]:
    """Find classes with their methods, functions and types; names in an export list are public too."""
    definitions = _find_script(code, text)
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


def _script_imported(code: bytes, text: bytes) -> list[str]:
    return [(match[1] or match[2] or match[3]).decode("utf-8", "replace") for match in _MODULE.finditer(text)]


JAVASCRIPT: Final = ScanRules(blanker(_SCRIPT_LITERAL), _script_defined, _script_imported, brace_head(line_ends=True))
