"""What is said of a sentence that was to become a facet, and the limits; the judging is `admission`'s."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal

Reason = Literal[
    "tooShort",
    "tooLong",
    "noIdentifier",
    "notInFile",
    "task",
    "notDurable",
    "question",
    "paraphrase",
    "alreadyInOutline",
    "code",
    "noise",
    "secret",
    "full",
]

SHORTEST: Final = 20
LONGEST: Final = 300
MOST_FACETS: Final = 8
"""Facets of one content."""


@dataclass(frozen=True, slots=True)
class Admitted:
    """A sentence that may be kept, on one safe line; `identifiers` occur in the content, the most telling first."""

    text: str
    identifiers: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Refused:
    """A sentence that is not kept, shortened for showing, and why; of one that holds a secret not a word."""

    text: str
    reason: Reason
