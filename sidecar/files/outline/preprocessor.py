"""Prepare C, C++ and C# text for grammars without a preprocessor.

They lose declarations between conditional directives (`#if` to `#endif`) and at macros, so both are blanked. Only words
in capitals count as macros, and mostly only those with an underscore, because `FILE` and `DWORD` are types.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Final

from sidecar.text.lazy_patterns import byte_patterns

_Clear = Callable[[int, int], None]
_DIRECTIVE: Final = re.compile(
    rb"/\*[\s\S]*?\*/|//[^\n]*|\"(?:[^\"\\\n]|\\.)*\"|'(?:[^'\\\n]|\\.){1,8}'"
    rb"|^[ \t]*#[ \t]*(?P<word>if|ifdef|ifndef|elif|elifdef|else|endif"
    rb"|pragma|error|warning|undef|line|region|endregion|nullable)\b"
    rb"(?P<rest>(?:[^\n\\]|\\\n|\\.)*)",
    re.MULTILINE,
)
_DEFINE: Final = re.compile(rb"^[ \t]*#[ \t]*define\b(?:[^\\\n]|\\.|\\\n)*\\\n(?:[^\\\n]|\\.|\\\n)*", re.MULTILINE)
_COMMENT: Final = re.compile(rb"/\*[^\n]*?\*/")  # ends a `#define` for the grammar
_MACROS: Final = byte_patterns(Path(__file__), "cpp_macros")
_NOT_BLANK: Final = re.compile(rb"[^\n]")
_LITERAL: Final = re.compile(rb"/\*[\s\S]*?\*/|//[^\n]*|\"(?:[^\"\\\n]|\\.)*\"|'(?:[^'\\\n]|\\.){1,8}'")


def blank(text: bytes) -> bytes:
    """Replace everything except newlines with blanks."""
    return _NOT_BLANK.sub(b" ", text)


def without_conditions(data: bytes) -> bytes:
    """Blank directive lines. If the branches of a conditional leave brackets open, blank all but the first."""
    out = bytearray(data)
    groups: list[list[tuple[int, int, bytes]]] = []  # for each open #if: branch start, directive end, branch text

    def clear(start: int, end: int) -> None:
        out[start:end] = blank(bytes(out[start:end]))

    for match in _DIRECTIVE.finditer(data):
        word = match.group("word")
        if word is None:
            continue
        clear(*match.span())
        if word.startswith(b"if"):
            groups.append([(match.end(), match.start(), word + match.group("rest"))])
        elif word.startswith(b"el") and groups:
            groups[-1].append((match.end(), match.start(), word))
        elif word == b"endif" and groups:
            _close(out, groups.pop(), match.start(), clear)
    return bytes(out)


def _close(out: bytearray, group: list[tuple[int, int, bytes]], end: int, clear: _Clear) -> None:
    ends = [*(directive for _, directive, _ in group[1:]), end]
    condition = group[0][2]
    balances = [_balance(bytes(out[start:stop])) for (start, _, _), stop in zip(group, ends, strict=True)]
    dead = condition.split()[1:] == [b"0"] if condition.startswith(b"if ") else False
    if dead or (b"__cplusplus" in condition and balances[0] != (0, 0)):
        clear(group[0][0], ends[0])
        return
    open_branch = next((index for index, balance in enumerate(balances) if balance != (0, 0)), None)
    if open_branch is None:
        return
    keep = 0 if balances[0] != (0, 0) else -1
    for index, balance in enumerate(balances):
        if index != keep and (balance != (0, 0) or keep == 0) and (len(group) > 1 or keep != 0):
            clear(group[index][0], ends[index])


def _balance(text: bytes) -> tuple[int, int]:
    """Count the braces and parentheses that a branch leaves open."""
    if b"{" not in text and b"}" not in text and b"(" not in text and b")" not in text:
        return (0, 0)
    text = _LITERAL.sub(b"", text)
    return (text.count(b"{") - text.count(b"}"), text.count(b"(") - text.count(b")"))


def without_macros(data: bytes) -> bytes:
    """Blank what the grammar cannot read, keeping the length."""
    data = _DEFINE.sub(lambda define: _COMMENT.sub(lambda comment: blank(comment[0]), define[0]), data)
    data = without_conditions(data)
    for pattern in _MACROS.values():
        data = pattern.sub(_without_macro, data)
    return data


def _without_macro(match: re.Match[bytes]) -> bytes:
    whole = match.group()
    start, end = match.start(1) - match.start(), match.end(1) - match.start()
    return whole[:start] + blank(whole[start:end]) + whole[end:]
