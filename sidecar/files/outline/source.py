"""A file's text as UTF-8 bytes with plain newlines, and pieces of it."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Final

from sidecar.text.lazy_patterns import patterns

if TYPE_CHECKING:
    from tree_sitter import Node

SIGNATURE_CHARS: Final = 240
VALUE_CHARS: Final = 60
_PATTERNS: Final = patterns(Path(__file__), "source")
_CLOSING: Final = {"(": ")", "[": "]", "{": "}"}


def last_row(node: Node) -> int:
    """Return the last row that contains a part of the node."""
    end = node.end_point
    return end.row - 1 if end.column == 0 and end.row > node.start_point.row else end.row


class Source:
    """Decoded text, stored as UTF-8 because grammars count in bytes.

    Each line end becomes one newline, each lone surrogate U+FFFD.
    """

    def __init__(self, text: str) -> None:
        if "\r" in text:
            text = text.replace("\r\n", "\n").replace("\r", "\n")
        self.data: Final = text.encode("utf-8", "replace")
        self.lines: Final = text.count("\n") + (1 if text and not text.endswith("\n") else 0)

    def slice(self, start: int, end: int) -> str:
        return self.data[start:end].decode("utf-8", "replace")

    def text(self, node: Node) -> str:
        return self.data[node.start_byte : node.end_byte].decode("utf-8", "replace")

    def begins_line(self, node: Node) -> bool:
        return not self.data[self.data.rfind(b"\n", 0, node.start_byte) + 1 : node.start_byte].strip()

    def last_row(self, node: Node) -> int:
        """Return the last row of the node, not counting white space and comments at its end."""
        while self.data[node.end_byte - 1 : node.end_byte].isspace():
            inner = next((child for child in reversed(node.children) if "comment" not in child.type), None)
            if inner is None:
                break
            node = inner
        return last_row(node)

    def whole(self) -> str:
        return self.data.decode("utf-8", "replace")

    def line(self, start: int, end: int, cuts: Iterable[tuple[int, int]] = ()) -> str:
        """Return the text between two byte offsets as one line, without the byte ranges `cuts`."""
        pieces: list[str] = []
        at = start
        for cut_start, cut_end in sorted(cuts):
            if cut_end <= at or cut_start >= end:
                continue
            pieces.append(self.slice(at, max(at, cut_start)))
            at = cut_end
        pieces.append(self.slice(at, max(at, end)))
        return signature_line(" ".join(pieces))


def signature_line(text: str) -> str:
    """Put one blank for each run of white space, and none just inside brackets."""
    text = " ".join(text.split())
    if "( " in text or "[ " in text:
        text = _PATTERNS["after_opening"].sub(r"\1", text)
    if " )" in text or " ]" in text:
        text = _PATTERNS["before_closing"].sub(r"\1", text)
    if "< " in text and (typed := _PATTERNS["type_opening"].sub("<", text)) != text:
        text = _PATTERNS["type_closing"].sub(">", typed)
    return _PATTERNS["before_comma"].sub(",", text) if " ," in text else text


def shorten_signature(signature: str, limit: int = SIGNATURE_CHARS) -> str:
    """Shorten a one-line signature to `limit` characters; an ellipsis marks the cut.

    The beginning, as many whole parameters as fit, and the return type stay. The types of destructured parameters go
    first.
    """
    if len(signature) > limit:
        signature = _PATTERNS["shape"].sub(": {…}", signature)
    if len(signature) <= limit:
        return signature
    opened, close = _parameters(signature)
    tail = signature[close:] if close > 0 and len(signature) - close <= limit // 2 else ""
    room = limit - len(tail) - 3
    if tail:
        cut, closing = _last_parameter(signature, opened, room)
        if cut:
            return f"{signature[:cut]}…{closing}{tail}"
    return signature[: limit - 1].rstrip() + "…"


def _parameters(signature: str) -> tuple[int, int]:
    """Return the offsets of the longest outer parentheses; without a pair, those of the first `(` and the last `)`."""
    longest = depth = opened = 0
    found = signature.find("("), signature.rfind(")")
    for at, char in enumerate(signature):
        if char in "([{":
            depth += 1
            if depth == 1:
                opened = at
        elif char in ")]}" and depth:
            depth -= 1
            if not depth and char == ")" and at - opened > longest:
                longest, found = at - opened, (opened, at)
    return found


def _last_parameter(signature: str, opened: int, room: int) -> tuple[int, str]:
    """Return the offset after the last parameter that fits into `room` (0: none), and which closing brackets to add."""
    stack: list[str] = []
    cut, closing = opened + 1 if opened < room else 0, ""
    for at, char in enumerate(signature[opened:room], opened):
        if char in _CLOSING:
            stack.append(char)
        elif char in ")]}" and stack:
            stack.pop()
        elif char in ",;" and at + 2 <= room and (len(stack) == 1 or (len(stack) == 2 and stack[1] != "(")):
            cut, closing = at + 2, "" if len(stack) == 1 else " }" if stack[1] == "{" else "]"
    return cut, closing


def with_value(head: str, value: str | None, limit: int = VALUE_CHARS) -> str:
    """Return `head = value` if the value is short, `head = …` if not, and `head` without a value."""
    if value is None:
        return shorten_signature(head)
    if len(value) > limit:
        match = _PATTERNS["opened"].match(value)
        value = f"{match[1]}{match[2]}…{_CLOSING[match[2]]}" if match else "…"
    return shorten_signature(f"{head} = {value}")
