"""What a rule has learned, as plain values; the engine turns it into a candidate or a memory."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, NamedTuple

from sidecar.runtime.digests import blake2b

NAME_LONGEST = 160  # characters, less than a memory's name may have
NEVER = 1 << 30  # sessions: only a person makes it a memory
MENTION = "mention"  # the rule of a statement that does not say whether it outlives its task
STATED = frozenset(("preference", "correction", "rule", "decision", "fact", MENTION))  # rules of what the user states
REVISION = "revision"  # the rule of a lesson that only takes an earlier statement back or may change it

RevisionKind = Literal["last", "rule", "remark"]
Speaker = Literal["user", "agent", "tool", "model"]


class Revision(NamedTuple):
    """How a clause bears on an earlier statement, and what that is about.

    `rule`: it takes a rule back; `last`: it takes back what was said last; `remark`: it may change something.
    """

    kind: RevisionKind
    topic: str
    clause: str


@dataclass(frozen=True, slots=True)
class Quotation:
    """The words that a lesson rests on, their speaker, and what the agent had said before.

    `message` and `opening` are digests of the whole message and of the session's first; `size` is the message's length
    in characters.
    """

    words: str
    speaker: Speaker
    before: str = ""
    message: str = ""
    opening: str = ""
    size: int = 0


@dataclass(frozen=True, slots=True)
class Lesson:
    """One thing worth keeping.

    A `name` of None is derived from the text, a `scope` of None is the type's default. `at_once` makes it a memory
    without confirmation, else it waits until `sessions` have taught it or somebody confirms it; `standing` means that
    the user said it as holding from now on, and `surely_changes` that a `REVISION` changes what was said before.
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
    quotation: Quotation | None = None
    at_once: bool = False
    standing: bool = False
    sessions: int = 2
    revisions: tuple[Revision, ...] = ()
    surely_changes: bool = False


def bounded_name(text: str) -> str:
    """Return a name on one line of at most `NAME_LONGEST` characters; a digest keeps long ones distinct."""
    line = " ".join(text.split())
    if len(line) <= NAME_LONGEST:
        return line
    digest = blake2b(line.encode("utf-8", "replace"), digest_size=3).hexdigest()
    return f"{line[: NAME_LONGEST - 10].rstrip()}… ({digest})"


def digest(text: str) -> str:
    return blake2b(" ".join(text.split()).encode("utf-8", "replace"), digest_size=8).hexdigest()
