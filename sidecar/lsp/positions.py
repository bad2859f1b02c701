"""Lines and columns as LSP counts them.

A line ends with `\\n`, `\\r\\n` or `\\r` and nothing else (LSP 3.17, Text Documents); a column counts code units of the
negotiated encoding. Inside this program columns are indexes into Python strings, which count code points.
"""

from __future__ import annotations

import re
from typing import Final, Literal

from lsprotocol import types

Encoding = Literal["utf-8", "utf-16", "utf-32"]

_LINE: Final = re.compile(r"[^\r\n]*(?:\r\n|\n|\r)|[^\r\n]+\Z")


def split_lines(text: str) -> list[str]:
    """Split a text into lines with their ends; the last line has no end, and is empty after a final line end."""
    lines = _LINE.findall(text)
    if not lines or lines[-1].endswith(("\n", "\r")):
        lines.append("")
    return lines


def without_line_end(line: str) -> str:
    return line.rstrip("\r\n")


def encoding_of(encoding: object) -> Encoding:
    """Return the encoding of a capability, or UTF-16 if unknown."""
    value = getattr(encoding, "value", encoding)
    return "utf-8" if value == "utf-8" else "utf-32" if value == "utf-32" else "utf-16"


def to_column(line: str, index: int, encoding: Encoding) -> int:
    before = line[:index]
    if encoding == "utf-32" or before.isascii():
        return len(before)
    if encoding == "utf-8":
        return len(before.encode("utf-8", "surrogatepass"))
    return len(before) + sum(character > "\uffff" for character in before)


def to_index(line: str, column: int, encoding: Encoding) -> int:
    """Return the index of the code point at or around a column; the line's end for a column beyond it."""
    line = without_line_end(line)
    if encoding == "utf-32" or line.isascii():
        return max(0, min(column, len(line)))
    passed = 0
    for index, character in enumerate(line):
        if encoding == "utf-16":
            passed += 2 if character > "\uffff" else 1
        else:
            passed += len(character.encode("utf-8", "surrogatepass"))
        if passed > column:
            return index
    return len(line)


def position(lines: list[str], line: int, index: int, encoding: Encoding) -> types.Position:
    """Return a place in these lines as the client counts; a line past the last stands for the end of the text."""
    if line >= len(lines):
        line, index = len(lines) - 1, len(without_line_end(lines[-1]))
    text = without_line_end(lines[line])
    return types.Position(line, to_column(text, min(index, len(text)), encoding))


def whole_lines(lines: list[str], first: int, last: int, encoding: Encoding) -> types.Range:
    """Return the range from the start of the first line to the end of the last."""
    end = min(last, len(lines) - 1)
    return types.Range(
        position(lines, first, 0, encoding), position(lines, end, len(without_line_end(lines[end])), encoding)
    )
