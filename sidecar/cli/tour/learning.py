"""The tour's step on learning: what a session says, what waits for confirmation, and what becomes of it."""

from __future__ import annotations

from typing import Any

from protocol.candidates import Candidate, CandidatesResult
from protocol.memories import InjectResult, ListResult, Memory, RecordResult
from protocol.sessions import Session
from sidecar.cli.output import counted
from sidecar.cli.tour.agent import TourAgent
from sidecar.cli.tour.transcript import TourStep

_SESSION = "tour"
_STANDING = "From now on always use pnpm rather than npm."
_SUMMARY = "## Memory Candidates\n- **Amounts** (project, project): Amounts are kept as integers of cents.\n"
_NOTHING = (
    "Thanks, that was quick!",
    "What would happen if we always used tabs?",
    "The log says:\n```\nerror: always use --force\n```\nany idea why?",
)


def learn(step: TourStep, agent: TourAgent) -> None:
    """Report a short session, examine what was learned, and confirm what waits."""
    before = {memory.id for memory in agent.memories()}
    events = [
        _event(agent, "the user", "event/userMessage", text=_STANDING),
        *(_event(agent, "the user", "event/userMessage", text=text) for text in _NOTHING),
        _event(agent, "a compaction", "event/compaction", summary=_SUMMARY),
    ]
    learned, waiting = _end(agent, before)
    step.claim(
        "What the user said as standing is remembered at once.", any("pnpm" in memory.content for memory in learned)
    )
    step.claim(
        "What was only found waits as a candidate, with its evidence.",
        len(waiting) == 1 and "cents" in waiting[0].content and bool(waiting[0].evidence),
    )
    step.claim(
        "Thanks, a question and a quoted log taught nothing.",
        len(learned) == 1,
        counted(len(learned), "memory", "memories"),
    )
    question = {"prompt": "How are amounts kept, as cents?", "sessionId": _SESSION}
    block: InjectResult = agent.ask("memory/inject", question, InjectResult)
    step.claim("A candidate is shown to nobody.", "integers of cents" not in block.text)
    confirmed = [agent.ask("memory/confirm", {"id": candidate.id}, RecordResult).memory for candidate in waiting]
    block = agent.ask("memory/inject", question, InjectResult)
    step.claim("Confirmed, it is a memory like any other.", "integers of cents" in block.text)
    _event(agent, "", "event/userMessage", text=block.text)
    again, undecided = _end(agent, before)
    step.claim("What was injected is not learned again.", len(again) == len(learned) + len(confirmed) and not undecided)
    step.data = {
        "events": events,
        "learned": [_row(memory, "said as standing") for memory in learned]
        + [_row(memory, "candidate, then confirmed") for memory in confirmed],
    }


def _end(agent: TourAgent, before: set[str]) -> tuple[list[Memory], list[Candidate]]:
    """End the session; return the memories that are new since `before`, and the candidates."""
    agent.ask("session/end", {"sessionId": _SESSION}, Session)
    listed: ListResult = agent.ask("memory/list", {}, ListResult)
    waiting: CandidatesResult = agent.ask("memory/candidates", {}, CandidatesResult)
    return [memory for memory in listed.items if memory.id not in before], waiting.items


def _row(memory: Memory, how: str) -> dict[str, str]:
    return {"kind": f"{how}; {memory.scope}", "source": memory.source, "content": memory.content}


def _event(agent: TourAgent, who: str, method: str, **params: Any) -> dict[str, str]:
    agent.client.notify(method, {"sessionId": _SESSION, "workspaceUri": agent.folder.as_uri(), **params})
    return {"who": who, "method": method, "said": str(params.get("text") or params.get("summary") or "")}
