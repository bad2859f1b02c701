"""The tour's step on learning: a few events of a session, and what became of them."""

from __future__ import annotations

from typing import Any

from protocol.memories import InjectResult, ListResult
from protocol.sessions import Session
from sidecar.cli.tour.agent import Agent
from sidecar.cli.tour.transcript import Step

_SESSION = "tour"
_PREFERENCE = "Looks good. From now on always write comments in British English, please."
_DECISION = "We decided to keep amounts as integers of cents because floats lose pennies."
_NOTHING = (
    "Thanks, that was quick!",
    "What would happen if we always used tabs?",
    "The log says:\n```\nerror: always use --force\n```\nany idea why?",
)
_COMMAND = "make check"
_PASSES = f"RATES=rates.csv {_COMMAND}"
_ERROR = "E   KeyError: 'RATES'\nmake: *** [check] Error 1"


def learn(step: Step, agent: Agent) -> None:
    """Tell of a short session and look at what was learned."""
    before = {memory.id for memory in agent.memories()}
    told = [
        _event(agent, "the user", "event/userMessage", text=_PREFERENCE),
        _event(agent, "a command fails", "event/toolResult", **_run(_COMMAND, _ERROR, 2)),
        _event(agent, "it passes with a variable", "event/toolResult", **_run(_PASSES, "all good", 0)),
        _event(agent, "the agent", "event/reasoning", text=_DECISION),
        *(_event(agent, "the user", "event/userMessage", text=text) for text in _NOTHING),
    ]
    agent.ask("session/end", {"sessionId": _SESSION}, Session)
    learned = [memory for memory in agent.memories() if memory.id not in before]
    texts = [memory.content for memory in learned]
    step.claim(
        "A preference was learned from what the user said.", any("British English" in text for text in texts)
    )
    step.claim(
        "An error was learned together with its fix.",
        any("KeyError" in text and _PASSES in text for text in texts),
    )
    step.claim("A decision was learned from the agent's own words.", any("cents" in text for text in texts))
    step.claim(
        "Thanks, a question and a quoted log taught nothing.", len(texts) == 3, f"{len(texts)} memories"
    )
    block: InjectResult = agent.ask(
        "memory/inject", {"prompt": "amounts in cents", "sessionId": _SESSION}, InjectResult
    )
    _event(agent, "", "event/userMessage", text=block.text)
    agent.ask("session/end", {"sessionId": _SESSION}, Session)
    again: ListResult = agent.ask("memory/list", {}, ListResult)
    step.claim("What was injected is not learned again.", len(again.items) == len(before) + len(learned))
    step.data = {
        "events": told,
        "learned": [
            {"kind": f"{one.type}, {one.scope}", "source": one.source, "content": one.content}
            for one in learned
        ],
    }


def _run(command: str, output: str, code: int) -> dict[str, Any]:
    return {"tool": "Bash", "input": {"command": command}, "output": output, "exitCode": code}


def _event(agent: Agent, who: str, method: str, **params: Any) -> dict[str, str]:
    """Send one event; what the tour shows of it."""
    agent.client.notify(method, {"sessionId": _SESSION, "workspaceUri": agent.folder.as_uri(), **params})
    said = params.get("text") or params.get("output") or ""
    return {"who": who, "method": method, "said": str(said)}
