"""What a rule has learned, as plain values: the facade makes a memory of it."""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import blake2b
from typing import Literal

NAME_LONGEST = 160

Speaker = Literal["user", "agent", "tool", "model"]


@dataclass(frozen=True, slots=True)
class Said:
    """The words that a lesson rests on, who said them, and what the agent had said before. `message` and `opening` are
    digests of the whole message and of the session's first, `size` counts the message's characters.
    """

    words: str
    speaker: Speaker
    before: str = ""
    message: str = ""
    opening: str = ""
    size: int = 0


@dataclass(frozen=True, slots=True)
class Lesson:
    """One thing worth keeping. `name` None: the text names itself; `scope` None: the type's own; `agent`: it concerns
    that one alone. `at_once`: it becomes a memory without confirmation, else once `sessions` have taught it or somebody
    confirms it. `standing`: the user said it as holding from now on.
    """

    rule: str
    content: str
    session_id: str
    at: int
    name: str | None = None
    type: str = "project"
    scope: str | None = None
    category: str | None = None
    files: tuple[str, ...] = ()
    agent: str | None = None
    tags: tuple[str, ...] = ()
    said: Said | None = None
    at_once: bool = False
    standing: bool = False
    sessions: int = 2


def bounded_name(text: str) -> str:
    """A name of at most `NAME_LONGEST` characters on one line; a digest keeps long ones apart."""
    line = " ".join(text.split())
    if len(line) <= NAME_LONGEST:
        return line
    digest = blake2b(line.encode("utf-8", "replace"), digest_size=3).hexdigest()
    return f"{line[: NAME_LONGEST - 10].rstrip()}… ({digest})"


def digest(text: str) -> str:
    """A short digest of a message, whatever its spacing."""
    return blake2b(" ".join(text.split()).encode("utf-8", "replace"), digest_size=8).hexdigest()
