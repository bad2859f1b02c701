"""The verdicts of `admission` on a sentence, and its limits."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal, NamedTuple

if TYPE_CHECKING:
    from sidecar.files.facets.content import Content

Reason = Literal[
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
MOST_FACETS: Final = 8
"""Facets per content."""


@dataclass(frozen=True, slots=True)
class Admitted:
    """A sentence that may be kept, on one safe line; `identifiers` occur in the content, the most telling first.

    `partners` are the paths of the other files that it concerns.
    """

    text: str
    identifiers: tuple[str, ...]
    partners: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Refused:
    """A sentence that is not kept, shortened for display, and why; its text is empty if it holds a secret."""

    text: str
    reason: Reason


class Partner(NamedTuple):
    """Another file of the workspace; `content` is None where it has no briefing."""

    path: str
    content: Content | None


Around = Callable[[str], Partner | None]
"""Resolves a path in a sentence to the file it means; None without one."""
