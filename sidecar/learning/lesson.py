"""What a rule has learned, as plain values; the engine makes a candidate or a memory of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, NamedTuple

from sidecar.runtime.digests import blake2b

MAX_NAME_CHARS = 160  # characters; a memory's name may have more
UNREACHABLE_SESSIONS = 1 << 30  # more sessions than can be: only a person makes the lesson a memory
MENTION = "mention"  # rule of a statement that may or may not outlive its task
STATED_RULES = frozenset(("preference", "correction", "rule", "decision", "fact", MENTION))  # of what the user states
REVISION = "revision"  # rule of a lesson that only takes back or may change an earlier statement

RevisionKind = Literal["last", "rule", "remark"]
Speaker = Literal["user", "agent", "tool", "model"]


class Revision(NamedTuple):
    """How a clause bears on an earlier statement."""

    # `rule`: takes a rule back; `last`: takes back what was said last; `remark`: may change something
    kind: RevisionKind
    topic: str  # what the earlier statement is about
    clause: str


@dataclass(frozen=True, slots=True)
class Quotation:
    """The words on which a lesson rests."""

    words: str
    speaker: Speaker
    before: str = ""  # what the agent had said before
    message: str = ""  # digest of the whole message
    opening: str = ""  # digest of the session's first message
    size: int = 0  # characters of the message


@dataclass(frozen=True, slots=True)
class Lesson:
    """One thing worth keeping."""

    rule: str
    content: str
    session_id: str
    at: int
    name: str | None = None  # None: derived from the text
    type: str = "project"
    scope: str | None = None  # None: the default of the type
    category: str | None = None
    files: tuple[str, ...] = ()
    quotation: Quotation | None = None
    at_once: bool = False  # make it a memory without confirmation
    standing: bool = False  # the user said it as a rule from now on
    sessions: int = 2  # number of sessions that make it a memory without confirmation
    revisions: tuple[Revision, ...] = ()
    surely_changes: bool = False  # as a `REVISION`, it surely changes what was said before


def bounded_name(text: str) -> str:
    """Return a name on one line, of at most `MAX_NAME_CHARS` characters; a digest keeps cut names distinct."""
    line = " ".join(text.split())
    if len(line) <= MAX_NAME_CHARS:
        return line
    digest = blake2b(line.encode("utf-8", "replace"), digest_size=3).hexdigest()
    return f"{line[: MAX_NAME_CHARS - 10].rstrip()}… ({digest})"


def digest(text: str) -> str:
    return blake2b(" ".join(text.split()).encode("utf-8", "replace"), digest_size=8).hexdigest()
