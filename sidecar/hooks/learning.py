"""Learn from sessions' journals through the engine.

`engine.ended_sessions` starts a process for this.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import msgspec

from protocol import events as api
from protocol.method import answer_of
from protocol.sessions import EndParams, ListSessionsParams, ListSessionsResult
from sidecar.engine.ended_sessions import is_over, left_over
from sidecar.engine.journal_line import JournalLine, in_order
from sidecar.engine.session_journal import Journal
from sidecar.hooks.run import HookRun
from sidecar.hooks.transcript import exit_statuses
from sidecar.runtime.errors import SessionNotActive
from sidecar.store.journals import Owner

if TYPE_CHECKING:
    from sidecar.engine.engine import Engine

LOCK_SECONDS = 60.0
# A model may take this long to read sessions, because nobody waits for this process.
MODEL_SECONDS = 300.0


def learn_from_journals(run: HookRun) -> None:
    """Learn from the new lines of the run's journal and of sessions that are over, and end these sessions."""
    for path in dict.fromkeys((run.journal.path, *left_over(run.home, run.folder))):
        is_own = path == run.journal.path
        journal = run.journal if is_own else Journal.of_file(path)
        if not path.exists():
            continue
        # Another process may be learning. Wait for it only with the run's own journal, which may have a newer line.
        with journal.locked(LOCK_SECONDS if is_own else 0.0) as locked:
            if locked and path.exists():
                _learn_from(run, journal)


def _learn_from(run: HookRun, journal: Journal) -> None:
    owner = journal.owner()
    _note_statuses(journal, owner)
    learned_lines, new_lines, upto = journal.read()
    is_ended = is_over(journal.path)
    if not is_ended and not (new_lines and run.learns):
        return
    with run.engine(owner.given, starts_sessions=not is_ended) as engine:
        if run.learns:
            engine.replay(replayed_events(journal.session_id, _lines_to_replay(learned_lines)))
            for method, params in replayed_events(journal.session_id, in_order(new_lines)):
                engine.call(method, params)
        is_ended = is_ended and is_over(journal.path)  # unless the session was resumed meanwhile
        if is_ended and (owner.ended or not _is_at_work(engine, journal.session_id)):
            try:
                engine.call("session/end", EndParams(session_id=journal.session_id))
            except SessionNotActive:
                engine.store_lessons()
        if engine.suspend_sessions():  # otherwise the same lines are learned again next time
            if new_lines:
                journal.write(JournalLine("learned", upto=upto))
            if is_ended:
                journal.remove(upto)
        if is_ended and run.learns:
            engine.wait_for_models(MODEL_SECONDS)


def _is_at_work(engine: Engine, session_id: str) -> bool:
    sessions = answer_of(ListSessionsResult, engine.call, "session/list", ListSessionsParams(limit=200))
    return any(session.session_id == session_id for session in sessions.items)


def _note_statuses(journal: Journal, owner: Owner) -> None:
    """Write down the exit statuses of commands, for an agent whose transcript alone has them."""
    learned_lines, new_lines, _ = journal.read()
    waiting = {line.call for line in (*learned_lines, *new_lines) if line.open}
    for call, status in exit_statuses(owner.output, owner.tool).items() if waiting else ():
        if call in waiting:
            journal.write(JournalLine("status", call=call, exit=status))


def _lines_to_replay(lines: Sequence[JournalLine]) -> list[JournalLine]:
    """Return the learned lines to which later lines may refer, without reads before the agent last spoke."""
    last = max((index for index, line in enumerate(lines) if line.kind == "assistant"), default=-1)
    summed_up = max((index for index, line in enumerate(lines) if line.kind == "compaction"), default=-1)
    needed: list[JournalLine] = []
    for index, line in enumerate(lines):
        if line.kind in ("user", "assistant"):
            needed += [line] if index > summed_up else []
        elif line.kind == "tool" and (line.tool != "Read" or index > last):
            needed.append(line)
    return needed


def replayed_events(session_id: str, lines: Sequence[JournalLine]) -> Iterator[tuple[str, msgspec.Struct]]:
    """Yield the requests that report the lines of a journal to an engine."""
    for line in lines:
        if line.kind == "tool":
            yield (
                "event/toolResult",
                api.ToolResultParams(
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
            yield "event/userMessage", api.UserMessageParams(session_id=session_id, text=line.text)
        elif line.kind == "assistant":
            yield "event/reasoning", api.ReasoningParams(session_id=session_id, text=line.text)
        elif line.kind == "compaction":
            yield "event/compaction", api.CompactionParams(session_id=session_id, summary=line.text)
