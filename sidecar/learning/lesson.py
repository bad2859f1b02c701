"""What a rule has learned, as plain values: the facade makes a memory of it."""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import blake2b

NAME_LONGEST = 160


@dataclass(frozen=True, slots=True)
class Lesson:
    """One thing worth keeping.

    `rule` is the name of the rule, `name` None where the text names itself, `scope` None for the type's own.
    `files` are relative POSIX paths that it is about; `agent` is set only for what concerns one agent alone.
    `session_id` is where it was learned, `at` when, in epoch milliseconds. `at_once`: a memory without anybody's word.
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
    at_once: bool = False


def bounded_name(text: str) -> str:
    """A name of at most `NAME_LONGEST` characters on one line; a digest keeps long ones apart."""
    line = " ".join(text.split())
    if len(line) <= NAME_LONGEST:
        return line
    digest = blake2b(line.encode("utf-8", "replace"), digest_size=3).hexdigest()
    return f"{line[: NAME_LONGEST - 10].rstrip()}… ({digest})"
