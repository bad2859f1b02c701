"""The results of `admission` for a sentence, and its limits."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal, NamedTuple

if TYPE_CHECKING:
    from sidecar.files.facets.content import Content

RefusalReason = Literal[
    "tooShort", "tooLong", "noIdentifier", "notInFile", "definedElsewhere", "noSuchFile", "task", "notDurable",
    "question", "paraphrase", "alreadyInOutline", "saysLittle", "code", "noise", "secret", "full"
]  # fmt: skip

MIN_SENTENCE: Final = 20
MAX_SENTENCE: Final = 300
FACETS_PER_CONTENT: Final = 8


@dataclass(frozen=True, slots=True)
class Admitted:
    """An admitted sentence as one safe line."""

    text: str
    identifiers: tuple[str, ...]  # the most telling first
    partners: tuple[str, ...] = ()  # the other files that it is about


@dataclass(frozen=True, slots=True)
class Refused:
    """A refused sentence, shortened for display, with the reason. The text is empty if it contains a secret."""

    text: str
    reason: RefusalReason


class Partner(NamedTuple):
    """Another file of the workspace. `content` is None if the file has no briefing."""

    path: str
    content: Content | None


# Finds the file that a path in a sentence names.
ResolvePath = Callable[[str], Partner | None]
