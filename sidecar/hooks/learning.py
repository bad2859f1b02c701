"""From a session's journal to what it teaches, through the engine."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from protocol import events as wire
from protocol.sessions import EndParams
from sidecar.errors import SessionNotActive
from sidecar.hooks.journal import Journal, Line, in_order

if TYPE_CHECKING:
    from sidecar.engine import Engine

STALE_SECONDS = 12 * 3_600.0
"""A session that did nothing for so long and was never ended is ended when another one starts."""

_SWEPT = 2
Sent = tuple[str, msgspec.Struct]


def learn(engine: Engine, journal: Journal, before: int | None = None) -> int:
    """Learn from the journal's new lines, or those that begin before this byte; up to where, for `done` to note."""
    fresh, end = _learn(engine, journal, before)
    return end if fresh else 0


def learn_all(engine: Engine, journal: Journal) -> int:
    """Learn from the journal's new lines at its end; the byte at which it ended."""
    return _learn(engine, journal, None)[1]


def _learn(engine: Engine, journal: Journal, before: int | None) -> tuple[list[Line], int]:
    known, fresh, end = journal.read(before)
    engine.go_on(_events(journal.session_id, _still_open(known)))
    for method, params in _events(journal.session_id, in_order(fresh)):
        engine.call(method, params)
    return fresh, end


def done(engine: Engine, journal: Journal, end: int) -> None:
    """Store what was learned, and note how far: what could not be stored is learned again next time."""
    if engine.put_down() and end:
        journal.write(Line("learned", upto=end))


def end(engine: Engine, journal: Journal, upto: int | None = None) -> None:
    """The session is over: settle what is open, and remove the journal, unless something could not be stored.

    `upto` is how far was learned: what another hook wrote since stays, for a later session to learn from.
    """
    try:
        engine.call("session/end", EndParams(session_id=journal.session_id))
    except SessionNotActive:
        engine.settle()
    if engine.put_down():
        journal.remove(upto)


def sweep(engine: Engine, journal: Journal, home: Path, folder: Path) -> None:
    """End sessions of this workspace that were never ended, a few at a time."""
    before = time.time() - STALE_SECONDS
    others = [path for path in journal.place.glob("*.jsonl") if path != journal.path]
    for path in [path for path in others if _touched(path) < before][:_SWEPT]:
        other = Journal(home, folder, path.stem.rsplit("-", 1)[0])
        other.path = path
        with other.held(0.0) as mine:
            if mine:
                end(engine, other, learn_all(engine, other))


def _touched(path: Path) -> float:
    try:
        return path.stat().st_mtime
    except FileNotFoundError:  # its session has ended meanwhile, or another process swept it
        return time.time()


def _still_open(known: Sequence[Line]) -> list[Line]:
    """What a session needs to know of its past. What was said is over, and so is what was read before it."""
    last = max((at for at, line in enumerate(known) if line.kind == "assistant"), default=-1)
    kept: list[Line] = []
    for at, line in enumerate(known):
        if line.kind == "user":
            kept.append(Line("user"))
        elif line.kind == "tool" and (line.tool != "Read" or at > last):
            kept.append(line)
    return kept


def _events(session_id: str, lines: Sequence[Line]) -> Iterator[Sent]:
    for line in lines:
        if line.kind == "tool":
            yield (
                "event/toolResult",
                wire.ToolResultParams(
                    session_id=session_id,
                    tool=line.tool,
                    input=line.given,
                    output=line.output or "",
                    exit_code=line.exit,
                    metadata={"isError": True} if line.refused else None,
                    call_id=line.call,
                ),
            )
        elif line.kind == "user":
            yield "event/userMessage", wire.UserMessageParams(session_id=session_id, text=line.text)
        elif line.kind == "assistant":
            yield "event/reasoning", wire.ReasoningParams(session_id=session_id, text=line.text)
        elif line.kind == "compaction":
            yield "event/compaction", wire.CompactionParams(session_id=session_id, summary=line.text)
