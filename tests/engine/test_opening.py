"""What an agent is given when it begins, through the engine: one budget, no repetition, byte-identical."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from protocol.memories import InjectParams
from protocol.methods import METHODS
from sidecar.engine.engine import Engine
from sidecar.engine.session_opening import opening
from sidecar.text.tokens import estimate
from tests.engine.conftest import MakeEngine


@pytest.fixture
def engine(make_engine: MakeEngine, repository: Path) -> Engine:
    engine = make_engine(repository)

    def call(method: str, **params: object) -> None:
        engine.call(method, msgspec.convert(params, METHODS[method].params))

    call("memory/record", content="Run the linter before you commit.", category="directive")
    call("memory/record", content="The release is blocked by #12.", category="blocker")
    call("memory/record", content="Decided to keep SQLite because it needs no server.", category="decision")
    call("memory/record", content="First split the parser, then the lexer.", category="plan")
    for number in range(40):
        call("memory/record", content=f"Part {number} of the engine is made of {number * 7} smaller parts.")
    call("session/start", sessionId="other", agent="codex", workingOn="the lexer")
    call("session/start", sessionId="me")
    return engine


def test_memories_and_the_rest_without_saying_anything_twice(engine: Engine) -> None:
    found = opening(engine.call, InjectParams(session_id="me"), 5_000)
    for text in ("Run the linter", "blocked by #12", "keep SQLite", "split the parser", "works on: the lexer"):
        assert found.text.count(text) == 1, text
    assert "session me" not in found.text
    assert opening(engine.call, InjectParams(session_id="me"), 5_000) == found


@pytest.mark.parametrize("budget", [1, 90, 150, 300, 600, 1_500])
def test_the_budget_is_for_both(engine: Engine, budget: int) -> None:
    found = opening(engine.call, InjectParams(session_id="me"), budget)
    assert estimate(found.text) <= found.tokens <= budget
    if budget >= 150:
        assert "Run the linter" in found.text


def test_with_a_prompt_only_what_matters_whatever_the_task_is(engine: Engine) -> None:
    found = opening(engine.call, InjectParams(session_id="me", prompt="How is part 17 of the engine made?"), 5_000)
    assert "Part 17" in found.text
    assert "works on: the lexer" in found.text
    assert found.text.count("blocked by #12") == 1
    assert "split the parser" not in found.text
