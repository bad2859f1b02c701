"""Recognise a user's request not to remember a message."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from sidecar.text.lazy_patterns import patterns

_PATTERNS: Final = patterns(Path(__file__), "off_record")


def is_off_record(text: str) -> bool:
    return _PATTERNS["wish"].search(text) is not None
