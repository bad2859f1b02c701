"""Respond to each event: write it down, and return the text for the agent. `process.py` calls `respond_in_time`."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Mapping

import msgspec

from protocol.method import answer_of
from sidecar.engine.ended_sessions import LEARN_EVENT, left_over, start_learning
from sidecar.engine.journal_line import JournalLine, said_line, tool_line
from sidecar.hooks.event import as_claude_event, continuation_answer, folder_of, read_event, takes_before_tools
from sidecar.hooks.hints import file_notes_text, question_about_candidates
from sidecar.hooks.run import HookOutput, HookProgress, HookRun, tolerating_write_failures
from sidecar.hooks.transcript import assistant_turn, last_compaction
from sidecar.models.quiet import QUIET_VARIABLE
from sidecar.runtime.errors import SidecarError
from sidecar.settings import load

log = logging.getLogger(__name__)

# A hook runs this long beyond its time limit, even after a signal, until its event is written down.
OVERTIME_SECONDS = 30.0
CLAUDE = "claude-code"
PROMPT_TOKENS = 1_500

# What a session's start says if it lost its context. It may then be shown the same memories again.
_CONTEXT_LOST = ("compact", "clear")
# Claude Code adds the output of a PreCompact hook to the instructions for the summary. Other agents do not.
CANDIDATES_REQUEST = """\
At the end of the summary add a section with the heading "## Memory Candidates" that lists what this conversation taught
and a later session will still need: preferences and corrections of the user, decisions with their reasons, errors with
what fixed them, how things are done in this project. One line each, in the form
- **Short name** (type, scope): one statement that is understandable on its own
with type one of user, feedback, project, reference and scope one of personal, project, global. Leave the section out
when there is nothing. Leave out the current task, what the code itself says, and secrets. Do not repeat what stands
between <memory-notes> markers: it is remembered already and is given again after the compaction.
"""

_POLL_SECONDS = 0.02


def respond(data: bytes, environ: Mapping[str, str], agent: str, progress: HookProgress) -> bytes:
    """Return the output for one event: JSON, text or nothing. An error is logged and gives nothing."""
    if environ.get(QUIET_VARIABLE):  # we started this agent ourselves as a model
        return b""
    event = read_event(data)
    if event is None:
        log.info("The data on stdin is not a hook event.")
        return b""
    if agent == CLAUDE and event.agent is not None:
        agent = event.agent
    event = as_claude_event(event, agent)
    folder = folder_of(event, environ)
    if folder is None:
        log.info("The folder of a hook event does not exist.")
        return b""
    settings = load(folder, environ).settings
    if not settings.memory.enabled or event.hook_event_name not in _EVENTS:
        return b""
    run = HookRun(event, folder, settings, environ, agent, progress)
    try:
        answer = _EVENTS[event.hook_event_name](run)
    except SidecarError as error:
        log.warning("The hook %s could not answer: %s", event.hook_event_name, error.message)
        return b""
    except Exception:
        log.exception("The hook %s failed.", event.hook_event_name)
        return b""
    if isinstance(answer, str):
        return answer.encode()
    return msgspec.json.encode(answer) + b"\n" if answer else b""


def _session_start(run: HookRun) -> HookOutput | None:
    from protocol.events import CompactionParams
    from protocol.memories import InjectParams
    from protocol.sessions import StartParams

    with tolerating_write_failures():
        run.journal.record_owner(run.processes)  # first of all, so that a resumed session does not count as ended
        if run.learns and run.event.source == "compact":
            if summary := last_compaction(run.event.transcript_path, run.agent):
                run.journal.write(said_line("compaction", summary))
            run.learn_later()
        elif left_over(run.home, run.folder):
            start_learning(run.home, run.folder)
    with run.engine(run.processes) as engine:
        frozen = False  # freeze the block only if the store can record that
        with tolerating_write_failures():
            engine.call("session/start", StartParams(session_id=run.event.session_id, agent=run.agent))
            if run.event.source in _CONTEXT_LOST:
                engine.call("event/compaction", CompactionParams(session_id=run.event.session_id, summary=""))
            frozen = True
        own = run.settings.memory
        params = InjectParams(session_id=run.event.session_id, frozen=frozen, max_lines=own.inject_max_lines)
        run.progress.block_for = run.journal
        return run.start_answer(engine.call, params)


def _prompt(run: HookRun) -> HookOutput | None:
    prompt = run.event.prompt or ""
    if not prompt.strip():  # Qwen Code sends the event again after each result of a tool
        return None
    if run.learns:
        with tolerating_write_failures():
            run.journal.confirm_process(run.processes)
            run.journal.write(said_line("user", prompt))
    if run.agent == "cursor":  # it accepts no text for a prompt
        return None
    from protocol.memories import InjectParams, InjectResult

    unseen = run.journal.take_unseen()
    run.progress.block_for = run.journal
    params = InjectParams(
        session_id=run.event.session_id,
        prompt=prompt[:200_000],
        budget_tokens=min(PROMPT_TOKENS, run.settings.memory.inject_budget_tokens),
        exclude_shown=not unseen,
        brief=not unseen,
    )
    with run.peer_or_engine() as answerer:
        if unseen:
            return run.start_answer(answerer.call, params)
        return run.context_answer(answer_of(InjectResult, answerer.call, "memory/inject", params).text)


def _tool_used(run: HookRun, *, failed: bool = False) -> HookOutput | None:
    event = run.event
    if run.learns and event.tool_name:
        output = event.error if failed else event.tool_response
        tool_use = (event.tool_name, event.tool_input, output, event.tool_use_id)
        line = tool_line(*tool_use, failed=failed, tells_status=event.tells_status)
        if line is not None:
            with tolerating_write_failures():
                run.journal.write(line)
    return None if failed or takes_before_tools(run.agent) else run.context_answer(file_notes_text(run))


def _before_tool(run: HookRun) -> HookOutput | None:
    """Describe the file of a tool that is about to run. Learn nothing from it, because the tool may never run."""
    return run.context_answer(file_notes_text(run)) if takes_before_tools(run.agent) else None


def _sub_agent(run: HookRun) -> HookOutput | None:
    from sidecar.hooks.sub_agent import context_for_sub_agent

    return run.context_answer(context_for_sub_agent(run))


def _write_turn(run: HookRun) -> None:
    """Write down the assistant's words in the turn that has ended."""
    if not run.learns:
        return
    event = run.event
    turn = assistant_turn(event.agent_transcript_path or event.transcript_path, run.agent)
    lines_by_call = {
        line.call: line_number for line_number, line in enumerate(run.journal.read().unlearned) if line.kind == "tool"
    }
    for text, calls in turn:
        after = max((call for call in calls if call in lines_by_call), key=lines_by_call.__getitem__, default=None)
        run.journal.write(said_line("assistant", text, after))
    last = event.last_assistant_message
    if not turn and isinstance(last, str) and last.strip():
        run.journal.write(said_line("assistant", last))
    run.learn_later()


def _turn_stopped(run: HookRun) -> HookOutput | None:
    """End the turn. If the settings say so, the agent first asks the user which candidates to keep."""
    _write_turn(run)
    text = question_about_candidates(run)
    return continuation_answer(run.agent, text) if text else None


def _before_compaction(run: HookRun) -> HookOutput | None:
    """Let the agent's summary list what was learned."""
    run.learn_later()
    return CANDIDATES_REQUEST if run.learns and run.agent == CLAUDE else None


def _cursor_answered(run: HookRun) -> None:
    """Write down one answer of Cursor's agent."""
    text = run.event.last_assistant_message
    if run.learns and isinstance(text, str) and text.strip():
        run.journal.write(said_line("assistant", text))


def _session_end(run: HookRun) -> None:
    run.journal.write(JournalLine("ended"))
    start_learning(run.home, run.folder, run.event.session_id)


def _ended_sessions(run: HookRun) -> None:
    from sidecar.hooks.learning import learn_from_journals

    learn_from_journals(run)


_EVENTS: dict[str, Callable[[HookRun], HookOutput | None]] = {
    "SessionStart": _session_start,
    "UserPromptSubmit": _prompt,
    "PreToolUse": _before_tool,
    "PostToolUse": _tool_used,
    "PostToolUseFailure": lambda run: _tool_used(run, failed=True),
    "PreCompact": _before_compaction,
    "Stop": _turn_stopped,
    "SubagentStart": _sub_agent,
    "SubagentStop": _write_turn,
    "Said": _cursor_answered,
    "SessionEnd": _session_end,
    LEARN_EVENT: _ended_sessions,
}


def respond_in_time(
    data: bytes, environ: Mapping[str, str], seconds: float, agent: str, leave: threading.Event
) -> tuple[bytes, bool]:
    """Call `respond`; once the event is written down, give up after `seconds` or on `leave`.

    Return the answer, and whether the handler has finished, so that the process may end normally. If the answer with a
    block of memories is given up, the session's next prompt brings the block.
    """
    answers: list[bytes] = []
    progress = HookProgress()
    written_down = progress.written_down

    def work() -> None:
        try:
            answers.append(respond(data, environ, agent, progress))
        except Exception:
            log.exception("The hook of %s failed.", agent)

    thread = threading.Thread(target=work, name="hook", daemon=True)
    thread.start()
    until = time.monotonic() + min(seconds, threading.TIMEOUT_MAX)
    while thread.is_alive() and not (written_down.is_set() and (leave.is_set() or time.monotonic() >= until)):
        if time.monotonic() >= until + OVERTIME_SECONDS:
            break
        thread.join(_POLL_SECONDS)
    answer = answers[0] if answers else b""
    if progress.block_for is not None and (leave.is_set() or not answers):
        with tolerating_write_failures():
            progress.block_for.mark_unseen()
    if thread.is_alive() and not leave.is_set():
        log.warning("The store was busy for %.0f s; a hook wrote its event down and answered nothing.", seconds)
    return answer, not thread.is_alive()
