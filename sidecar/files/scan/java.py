"""Rules for Java."""

from __future__ import annotations

import re
from typing import Final

from sidecar.files.scan.heads import brace_head
from sidecar.files.scan.layout import DOUBLE, SINGLE, SLASHES, Layout, blanker, definition_finder
from sidecar.files.scan.record import ScanRules

_LITERAL: Final = re.compile(
    SLASHES + rb'|"""[^"\\]*(?:(?:\\.|"(?!""))[^"\\]*)*"""|' + DOUBLE + rb"|" + SINGLE, re.DOTALL
)
_TYPE: Final = rb"(?!(?:return|new|throw|else|case|assert|yield|package|import)\b)[\w.]+(?:<[^;{}()=\n]*>)?(?:\[\])*"
_LINE: Final = re.compile(
    rb"\n(?P<indent>[ \t]*+)(?P<words>(?:(?:public|protected|private|static|final|abstract|default|synchronized|native"
    rb"|strictfp|sealed|non-sealed|transient|volatile)[ \t]+)*+)"
    rb"(?:(?P<kind>class|interface|enum|record|@interface)[ \t]+(?P<type>[\w\x80-\xff]+)"
    rb"|(?:<[^;{}()=\n]*>[ \t]*)?" + _TYPE + rb"[ \t]+(?P<member>[\w\x80-\xff]+)(?:[ \t]*\(|(?<=[A-Z0-9_])[ \t]*=)"
    rb"|(?P<function>(?!)))"
)
_PACKAGE: Final = re.compile(rb"\n(?:package|import)[ \t][^\n]*")
_IMPORT: Final = re.compile(rb"\nimport[ \t]+(?:static[ \t]+)?([\w.]+(?:\.\*)?)")


def _public(words: str, name: str, kind: str) -> bool:
    return "public" in words or ("interface" in kind and "private" not in words)


def imported(code: bytes, text: bytes) -> list[str]:
    """Return classes, packages as `a.b.*`, and static members."""
    return [module.decode("utf-8", "replace") for module in _IMPORT.findall(text)]


_blank = blanker(_LITERAL)


def blank(text: bytes) -> bytes:
    """Blank the `package` and `import` statements as well."""
    return _PACKAGE.sub(b"\n", _blank(text))


RULES: Final = ScanRules(blank, definition_finder(Layout(_LINE, _public)), imported, brace_head(line_ends=False))
