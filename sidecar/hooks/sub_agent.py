"""What a sub-agent is told when it starts."""

from __future__ import annotations

from protocol.files import HandoffParams, HandoffResult
from protocol.memories import InjectParams, InjectResult
from protocol.method import answer_of
from sidecar.hooks.learning import replayed_events
from sidecar.hooks.run import HookRun
from sidecar.hooks.transcript import sub_agent_tasks
from sidecar.text.fence import merge_blocks

SUB_AGENT_TOKENS = 1_000
_MAX_TASK = 20_000
# The last files are looked for among this many tool uses.
_MAX_TOOL_USES = 200


def context_for_sub_agent(run: HookRun) -> str:
    """Return what a sub-agent should know: memories for its task and type, and the session's last files."""
    learned, fresh, _ = run.journal.read()
    lines = [*learned, *fresh]
    about_files = run.settings.memory.inject_about_files
    used = [line for line in lines if line.kind == "tool"][-_MAX_TOOL_USES:] if about_files else []
    type = (run.event.agent_type or "").strip()
    last_message = next((line.text for line in reversed(lines) if line.kind == "user"), "")
    task = sub_agent_tasks(run.event.transcript_path, type) or last_message
    if not used and not task:
        return ""
    session_id = run.journal.session_id
    with run.engine(starts_sessions=False) as engine:
        block = files = ""
        if task:
            # Without the session: the sub-agent has not seen what its parent was shown.
            budget = min(SUB_AGENT_TOKENS, run.settings.memory.inject_budget_tokens)
            params = InjectParams(prompt=task[:_MAX_TASK], agent=type or None, budget_tokens=budget)
            block = answer_of(InjectResult, engine.call, "memory/inject", params).text
        if used:
            engine.replay(replayed_events(session_id, used))
            files = answer_of(HandoffResult, engine.call, "file/handoff", HandoffParams(session_id=session_id)).text
        return merge_blocks(block, files)
