"""Recognise this program's own output when it returns escaped in JSON or HTML, and its own tools and commands."""

from __future__ import annotations

import re
from typing import Final

from sidecar.text.lazy_patterns import lazy
from sidecar.text.own_blocks import TAG, without_own_text

_OPEN = r"(?:<|&lt;|\\u003[cC])"
_CLOSE = r"(?:>|&gt;|\\u003[eE])"
_END = rf"{_OPEN}\\?/{TAG}\s*{_CLOSE}"
_BLOCK = lazy(rf"{_OPEN}{TAG}(?![\w-]).*?(?:{_END}|\Z)", re.DOTALL)
_ENDING = lazy(_END)
_TAIL = lazy(rf"\A.*{_END}", re.DOTALL)
_OWN_TOOL = lazy(
    r"memory[-_ ]?sidecar|(?:^|__|[./])memory[_/](?:record|search|inject|get|list|update|archive|restore|delete"
    r"|history|undo|link|links|promote|resolve|reopen|maintain|recall)$"
)
OWN_PROGRAMS: Final = frozenset({"memory-sidecar", "sidecar"})
"""This program on a command line; the second name follows `python -m`."""


def without_echo(text: str) -> str:
    """Remove everything that this program rendered, even if escaped or cut off at either end."""
    text = without_own_text(text)
    if TAG in text:  # an escaped tag, or an end tag without its beginning
        text = _TAIL.sub("", _BLOCK.sub("", text))
    return text


def without_marks(text: str) -> str:
    """Remove whole blocks and lone end tags from a summary; keep its other words, since a model rewrote them."""
    text = without_own_text(text)
    return _ENDING.sub("", _BLOCK.sub("", text)) if TAG in text else text


def is_own_tool(name: str) -> bool:
    """Return whether a tool is this program's own, whatever prefix an agent gives its name."""
    return _OWN_TOOL.search(name.lower()) is not None
