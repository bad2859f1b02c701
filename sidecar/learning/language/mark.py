"""What a rule found in a sentence."""

from __future__ import annotations

from typing import Literal, NamedTuple

Kind = Literal["preference", "correction", "decision", "blocker", "fact"]


class Mark(NamedTuple):
    """A statement within a sentence: `start` and `end` bound it, `at` is where the phrase is that gave it away."""

    kind: Kind
    rule: str
    score: float
    at: int
    start: int
    end: int
