"""Recognise the user's wish that nothing of a message is kept."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from sidecar.text.lazy_patterns import patterns

_FORMS: Final = patterns(Path(__file__), "off_record")


def is_off_record(text: str) -> bool:
    return _FORMS["wish"].search(text) is not None
