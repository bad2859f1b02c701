"""Preparation of C and C++ text for a grammar without a preprocessor.

Conditional directives and macros in declarations make the grammar lose symbols, so `mask` blanks them. Only words in
capitals count as macros, mostly only those with an underscore, because `FILE` and `DWORD` are types.
"""

from __future__ import annotations

import re
from typing import Final

from sidecar.files.outline.conditions import blank, without_conditions

_CAPS: Final = rb"[A-Z][A-Z0-9]*_[A-Z0-9_]*"
_ARGUMENTS: Final = rb"\((?:[^()\n]|\([^()\n]{0,120}\)){0,200}\)"
_DEEP_ARGUMENTS: Final = rb"\((?:[^()]|\((?:[^()]|\([^()]{0,120}\)){0,120}\)){0,300}\)"
_KEYWORD: Final = (
    rb"(?:template|class|struct|union|enum|namespace|using|static|inline|extern|virtual|constexpr|explicit"
    rb"|typedef|friend"
    rb"|const|unsigned|signed|void|int|char|bool|long|short|double|float|auto|size_t)\b"
)

_DEFINE: Final = re.compile(rb"^[ \t]*#[ \t]*define\b(?:[^\\\n]|\\.|\\\n)*\\\n(?:[^\\\n]|\\.|\\\n)*", re.MULTILINE)
_COMMENT: Final = re.compile(rb"/\*[^\n]*?\*/")  # ends a `#define` for the grammar
_PATTERNS: Final = tuple(
    re.compile(pattern, re.MULTILINE)
    for pattern in (
        # template <typename T, ENABLE_IF(...)>
        rb"template[ \t]*<[^;{}]{0,400}?(,\s*" + _CAPS + _DEEP_ARGUMENTS + rb")(?=\s*>)",
        # class API_MACRO Name {
        rb"\b(?:class|struct|union|enum)[ \t]+([A-Z][A-Z0-9_]{2,}(?:" + _ARGUMENTS + rb")?)"
        rb"(?=[ \t]+[A-Za-z_][\w:]*(?:<[^;{}]{0,80}>)?[ \t\n]*(?:final[ \t\n]*)?[:{;])",
        # API_MACRO void f(, API_MACRO class X {
        rb"^[ \t]*([A-Z][A-Z0-9_]{2,}(?:"
        + _ARGUMENTS
        + rb")?)(?=[ \t\n]+(?:"
        + _CAPS
        + rb"[ \t\n]+)?"
        + _KEYWORD
        + rb")",
        # MACRO_A MACRO_B name( or name {, after any type
        rb"^[ \t]*(" + _CAPS + rb"(?:" + _ARGUMENTS + rb")?(?:[ \t\n]+" + _CAPS + rb")?)"
        rb"(?=[ \t\n]+[A-Za-z_~][\w:<>,&*~ \t]{0,120}[({])",
        # static MACRO int f(, constexpr MACRO type name
        rb"\b(?:static|inline|extern|constexpr|virtual|explicit|typedef|friend|const|void|int|char|bool"
        rb"|long|double|float|auto|size_t)"
        rb"[ \t]+(?:\*[ \t]*)?(" + _CAPS + rb")(?=[ \t]+[A-Za-z_~])",
        # template <...> MACRO name(
        rb"^[ \t]*template[ \t]*<[^;{}\n]{0,200}>[ \t\n]*(" + _CAPS + rb")(?=[ \t\n]+[A-Za-z_~])",
        # ) MACRO; and ) MACRO {
        rb"\)[ \t]*(?:const[ \t]*)?(" + _CAPS + rb"(?:" + _ARGUMENTS + rb")?)(?=[ \t\n]*[;{])",
        # if MACRO (
        rb"\bif[ \t]+([A-Z][A-Z0-9_]{3,})(?=[ \t]*\()",
        # MACRO(...) alone on its line, without a body
        rb"^[ \t]*(" + _CAPS + _ARGUMENTS + rb")(?=[ \t]*(?://[^\n]*)?\n\s*[^\s{:=,.)\-+|&?])",
        # MACRO alone at the start of a line, or a macro that opens, closes or marks something
        rb"^(" + _CAPS + rb")(?=[ \t]*$)",
        rb"^[ \t]+((?:[A-Z0-9_]*_)?(?:BEGIN|END|PUSH|POP)(?:_[A-Z0-9_]+)?|Q_(?:OBJECT|GADGET))(?=[ \t]*$)",
    )
)


def mask(data: bytes) -> bytes:
    """Blank what the grammar cannot read, keeping the length."""
    data = _DEFINE.sub(lambda define: _COMMENT.sub(lambda comment: blank(comment[0]), define[0]), data)
    data = without_conditions(data)
    for pattern in _PATTERNS:
        data = pattern.sub(_without_macro, data)
    return data


def _without_macro(match: re.Match[bytes]) -> bytes:
    whole = match.group()
    start, end = match.start(1) - match.start(), match.end(1) - match.start()
    return whole[:start] + blank(whole[start:end]) + whole[end:]
