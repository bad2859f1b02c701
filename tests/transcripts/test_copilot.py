"""Copilot CLI's events."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from sidecar.learning.session_event import SessionEvent
from tests.transcripts.conftest import Write, said, tools

NAME = ".copilot/session-state/ab-12/events.jsonl"


def event(kind: str, second: int = 1, **data: object) -> dict[str, object]:
    at = f"2026-03-04T02:31:{second:02}.000Z"
    return {"type": kind, "data": data, "id": f"{kind}-{second}", "timestamp": at, "parentId": None}


def test_a_copilot_session_is_read_as_events(
    write: Write, project: Path, read: Callable[..., list[SessionEvent]]
) -> None:
    write(
        NAME,
        [
            event("session.start", sessionId="ab-12", context={"cwd": str(project)}, startTime="2026-03-04T02:30:58Z"),
            event("user.message", 1, content="Use tabs.", transformedContent="<reminder>x</reminder> Use tabs."),
            event("user.message", 2, content="How to do it", source="skill-pdf"),
            event("user.message", 3, content="Go on.", isAutopilotContinuation=True),
            event("assistant.message", content="", toolRequests=[{"toolCallId": "c1"}]),
            event("tool.execution_start", toolCallId="c1", toolName="bash", arguments={"command": "make"}),
            event(
                "tool.execution_complete",
                toolCallId="c1",
                success=True,
                result={"content": "F\n<shellId: 0 completed with exit code 2>"},
            ),
            event("tool.execution_start", toolCallId="c2", toolName="edit", arguments={"path": "a.py"}),
            event("tool.execution_complete", toolCallId="c2", success=False, error={"message": "denied"}),
            {**event("assistant.message", content="Of a sub-agent."), "agentId": "a1"},
            event("assistant.message", content="All done."),
            event("session.compaction_complete", success=True, summaryContent="We did this."),
        ],
    )
    events = read()
    assert said(events) == ["Use tabs."]
    assert said(events, "agent") == ["All done."]
    assert said(events, "compaction") == ["We did this."]
    assert tools(events) == [("bash", {"command": "make"}, 2, False), ("edit", {"path": "a.py"}, None, True)]


def test_a_copilot_folder_is_read_from_the_file_beside(
    write: Write, project: Path, read: Callable[..., list[SessionEvent]]
) -> None:
    write(NAME, [event("session.start", sessionId="ab-12"), event("user.message", content="Use tabs.")])
    write(".copilot/session-state/ab-12/workspace.yaml", ["id: ab-12", f"cwd: {project}"])
    assert said(read()) == ["Use tabs."]
