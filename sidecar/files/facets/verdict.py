"""The verdicts of `admission` on a sentence, and its limits."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal, NamedTuple

if TYPE_CHECKING:
    from sidecar.files.facets.content import Content

VerdictReason = Literal[
    "tooShort",
    "tooLong",
    "noIdentifier",
    "notInFile",
    "definedElsewhere",
    "noSuchFile",
    "task",
    "notDurable",
    "question",
    "paraphrase",
    "alreadyInOutline",
    "saysLittle",
    "code",
    "noise",
    "secret",
    "full",
]

SHORTEST: Final = 20
LONGEST: Final = 300
MAX_FACETS: Final = 8  # maximum number of facets per content


@dataclass(frozen=True, slots=True)
class Admitted:
    """A sentence that may be kept, as one safe line; `identifiers` occur in the content, the most telling first.

    `partners` are the paths of the other files it concerns.
    """

    text: str
    identifiers: tuple[str, ...]
    partners: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Refused:
    """A refused sentence, shortened for display, and the reason; its text is empty if it contains a secret."""

    text: str
    reason: VerdictReason


class Partner(NamedTuple):
    """Another file of the workspace; `content` is None if the file has no briefing."""

    path: str
    content: Content | None


Around = Callable[[str], Partner | None]
"""Resolves a path in a sentence to the file it means; None if there is no such file."""
