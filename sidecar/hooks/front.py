"""What each event does, and what the agent is told. The entry is `respond`."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import msgspec
from msgspec.structs import replace

from sidecar.hooks.about_file import about_file
from sidecar.hooks.asking import question
from sidecar.hooks.dialects import held_back, in_claude_words, takes_before_tools, told
from sidecar.hooks.event import HookEvent, folder_of, read_event
from sidecar.hooks.journal import Journal, Line, said_line, tool_line
from sidecar.hooks.transcript import exit_statuses, last_compaction, said_in_turn
from sidecar.settings import Settings, load
from sidecar.store.location import data_home

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sidecar.engine import Engine

logger = logging.getLogger(__name__)

SECONDS = 4.0
"""How long an agent may be kept waiting for the store; what is in the journal by then is learned from later."""

LOCK_SECONDS = 1.0
CLAUDE = "claude-code"
PROMPT_TOKENS = 1_500
START_TOKENS = 3_000

_EMPTIED = ("compact", "clear")
"""How a session goes on whose context was lost: what it was shown before, it may be shown again."""

CANDIDATES = """\
At the end of the summary add a section with the heading "## Memory Candidates" that lists what this conversation taught
and a later session will still need: preferences and corrections of the user, decisions with their reasons, errors with
what fixed them, how things are done in this project. One line each, in the form
- **Short name** (type, scope): one statement that is understandable on its own
with type one of user, feedback, project, reference and scope one of personal, project, global. Leave the section out
when there is nothing. Leave out the current task, what the code itself says, and secrets. Do not repeat what stands
between <memory-notes> markers: it is remembered already and is given again after the compaction.
"""
"""Claude Code takes what a hook of PreCompact prints as further instructions for the summary. Other agents do not."""

Answer = Mapping[str, Any] | str


def respond(data: bytes, environ: Mapping[str, str], agent: str = CLAUDE) -> bytes:
    """What to print for one event: JSON, or nothing. Whatever goes wrong is logged and nothing is printed."""
    event = read_event(data)
    if event is not None:
        agent = event.agent if event.agent is not None and agent == CLAUDE else agent
        event = in_claude_words(event, agent)
    if event is None:
        logger.info("Something on stdin was no hook event.")
        return b""
    folder = folder_of(event, environ)
    if folder is None:
        logger.info("A hook named no folder that exists.")
        return b""
    settings = load(folder, environ).settings
    if not settings.memory.enabled or event.hook_event_name not in _EVENTS:
        return b""
    visit = Visit(event, folder, settings, environ, agent)
    try:
        answer = _EVENTS[event.hook_event_name](visit)
    except Exception:
        logger.exception("The hook %s failed.", event.hook_event_name)
        return b""
    if isinstance(answer, str):
        return answer.encode()
    return msgspec.json.encode(answer) + b"\n" if answer else b""


class Visit:
    """One event at work."""

    def __init__(
        self,
        event: HookEvent,
        folder: Path,
        settings: Settings,
        environ: Mapping[str, str],
        agent: str = CLAUDE,
    ) -> None:
        self.event = event
        self.agent = agent
        self.folder = folder
        self.settings = settings
        self.environ = environ
        self.home = data_home(load(None, environ).settings.store.folder)
        self.journal = Journal(self.home, folder, event.session_id)

    @property
    def learns(self) -> bool:
        """Whether what happens is to be learned from."""
        return self.settings.memory.learn != "off"

    def settle_statuses(self) -> None:
        """Write down how commands ended of which the agent told that only in its transcript."""
        known, fresh, _ = self.journal.read()
        waiting = {line.call for line in (*known, *fresh) if line.open}
        if waiting:
            for call, status in exit_statuses(self.event.transcript_path).items():
                if call in waiting:
                    self.journal.write(Line("status", call=call, exit=status))

    @contextmanager
    def engine(self) -> Iterator[Engine]:
        """The engine, with nothing read ahead and nothing watched, and sessions left as they are at the end."""
        from sidecar.engine import Engine

        own = self.settings
        quiet = replace(own, files=replace(own.files, warm_up=False), watch=replace(own.watch, mode="off"))
        engine = Engine(quiet)
        try:
            engine.open_workspace(self.folder, watch=False)
            yield engine
        finally:
            engine.put_down()
            engine.close()

    def inject(self, engine: Engine, **params: Any) -> str:
        """The block for the agent."""
        from protocol.memories import InjectParams, InjectResult

        given = InjectParams(session_id=self.event.session_id, **params)
        return cast(InjectResult, engine.call("memory/inject", given)).text

    def told(self, text: str) -> Answer | None:
        """The answer that puts a text in front of the agent."""
        if not text:
            return None
        return told(self.event, self.agent, text)


def _session_start(visit: Visit) -> Answer | None:
    from protocol.events import CompactionParams
    from protocol.sessions import StartParams
    from sidecar.hooks import learning
    from sidecar.requests.opening import opening

    with visit.engine() as engine, visit.journal.held(LOCK_SECONDS) as mine:
        engine.call("session/start", StartParams(session_id=visit.event.session_id, agent=visit.agent))
        if visit.event.source in _EMPTIED:
            engine.call("event/compaction", CompactionParams(session_id=visit.event.session_id, summary=""))
        if mine and visit.learns:
            if visit.event.source == "compact" and (summary := last_compaction(visit.event.transcript_path)):
                visit.journal.write(said_line("compaction", summary))
            learning.sweep(engine, visit.journal, visit.home, visit.folder)
            learning.done(engine, visit.journal, learning.learn(engine, visit.journal))
        budget = min(START_TOKENS, visit.settings.memory.inject_budget_tokens)
        return visit.told(opening(engine.call, budget, session_id=visit.event.session_id, frozen=True).text)


def _prompt(visit: Visit) -> Answer | None:
    prompt = visit.event.prompt or ""
    if not prompt.strip():  # Qwen Code asks again after each result of a tool
        return None
    # What was said is learned from when the turn ends: a person waits for this answer, and reading the rules of
    # language takes a third of the time that it takes. What was left by a turn that was broken off is learned now.
    before = visit.journal.write(said_line("user", prompt)) if visit.learns else 0
    with visit.engine() as engine:
        if visit.learns and visit.journal.read(before)[1]:
            from sidecar.hooks import learning

            with visit.journal.held(LOCK_SECONDS) as mine:
                if mine and visit.journal.read(before)[1]:
                    visit.settle_statuses()
                    learning.done(engine, visit.journal, learning.learn(engine, visit.journal, before))
        budget = min(PROMPT_TOKENS, visit.settings.memory.inject_budget_tokens)
        text = ""
        if visit.agent != "cursor":  # which lets a prompt pass or not, and takes nothing with it
            text = visit.inject(
                engine, prompt=prompt[:200_000], budget_tokens=budget, exclude_shown=True, brief=True
            )
        return visit.told(text)


def _used(visit: Visit, *, failed: bool = False) -> Answer | None:
    event = visit.event
    if visit.learns and event.tool_name:
        output = event.error if failed else event.tool_response
        line = tool_line(
            event.tool_name,
            event.tool_input,
            output,
            event.tool_use_id,
            failed=failed,
            tells_status=event.tells_status,
        )
        if line is not None:
            visit.journal.write(line)
    return None if failed or takes_before_tools(visit.agent) else visit.told(about_file(visit))


def _before_tool(visit: Visit) -> Answer | None:
    """A tool is about to be used. Nothing is ever blocked, and nothing is learned: it may not come to it."""
    return visit.told(about_file(visit)) if takes_before_tools(visit.agent) else None


def _said(visit: Visit) -> None:
    """The assistant has ended its turn."""
    if not visit.learns:
        return
    event = visit.event
    said = said_in_turn(event.agent_transcript_path or event.transcript_path)
    used = {line.call: at for at, line in enumerate(visit.journal.read()[1]) if line.kind == "tool"}
    for text, calls in said:
        after = max((call for call in calls if call in used), key=used.__getitem__, default=None)
        visit.journal.write(said_line("assistant", text, after))
    last = event.last_assistant_message
    if not said and isinstance(last, str) and last.strip():
        visit.journal.write(said_line("assistant", last))
    _learn(visit)


def _stopped(visit: Visit) -> Answer | None:
    """The turn has ended; where the settings say so, the agent first asks the user once what is to be kept."""
    _said(visit)
    text = question(visit)
    return held_back(visit.agent, text) if text else None


def _before_compaction(visit: Visit) -> Answer | None:
    """Store what was learned, and ask for what the summary should say of it."""
    _learn(visit)
    return CANDIDATES if visit.learns and visit.agent == CLAUDE else None


def _turn(visit: Visit) -> None:
    """Codex tells its `notify` program of a turn that has ended: what the user said, and the answer."""
    if visit.learns and visit.event.prompt:
        visit.journal.write(said_line("user", visit.event.prompt))
    _said(visit)


def _answered(visit: Visit) -> None:
    """Cursor tells of each answer by itself; at the end of the turn it is learned from."""
    text = visit.event.last_assistant_message
    if visit.learns and isinstance(text, str) and text.strip():
        visit.journal.write(said_line("assistant", text))


def _learn(visit: Visit) -> None:
    from sidecar.hooks import learning

    if visit.learns:
        with visit.journal.held(LOCK_SECONDS) as mine:
            visit.settle_statuses()
            if mine and visit.journal.read()[1]:
                with visit.engine() as engine:
                    learning.done(engine, visit.journal, learning.learn(engine, visit.journal))


def _session_end(visit: Visit) -> None:
    from sidecar.hooks import learning

    with visit.engine() as engine, visit.journal.held(LOCK_SECONDS) as mine:
        if mine:
            upto = None
            if visit.learns:
                visit.settle_statuses()
                upto = learning.learn_all(engine, visit.journal)
            learning.end(engine, visit.journal, upto)


_EVENTS: dict[str, Callable[[Visit], Answer | None]] = {
    "SessionStart": _session_start,
    "UserPromptSubmit": _prompt,
    "PreToolUse": _before_tool,
    "PostToolUse": _used,
    "PostToolUseFailure": lambda visit: _used(visit, failed=True),
    "PreCompact": _before_compaction,
    "Stop": _stopped,
    "SubagentStop": _said,
    "Turn": _turn,
    "Said": _answered,
    "SessionEnd": _session_end,
}


def respond_in_time(
    data: bytes, environ: Mapping[str, str], seconds: float = SECONDS, agent: str = CLAUDE
) -> tuple[bytes, bool]:
    """`respond`, or nothing when it takes longer; whether it has ended, so that the process may end in good order."""
    found: list[bytes] = []

    def work() -> None:
        try:
            found.append(respond(data, environ, agent))
        except Exception:
            logger.exception("A hook failed.")

    thread = threading.Thread(target=work, name="hook", daemon=True)
    thread.start()
    thread.join(seconds)
    if thread.is_alive():
        logger.warning("The store was busy for %.0f s; a hook answered nothing.", seconds)
    return (found[0] if found else b""), not thread.is_alive()
