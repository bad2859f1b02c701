"""What an agent is given when it begins, through the engine: one budget, no repetition, byte-identical."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest
from msgspec.structs import replace

from protocol.context import BootResult
from protocol.memories import InjectParams, InjectResult
from protocol.methods import METHODS
from sidecar.engine.engine import Engine
from sidecar.engine.start_text import start_text
from sidecar.settings import Settings
from sidecar.text.tokens import estimate
from tests.client.calling import EngineCalls
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
    found = start_text(engine.call, InjectParams(session_id="me"), 5_000)
    for text in ("Run the linter", "blocked by #12", "keep SQLite", "split the parser", "works on: the lexer"):
        assert found.text.count(text) == 1, text
    assert "session me" not in found.text
    assert start_text(engine.call, InjectParams(session_id="me"), 5_000) == found


@pytest.mark.parametrize("budget", [1, 90, 150, 300, 600, 1_500])
def test_the_budget_is_for_both(engine: Engine, budget: int) -> None:
    found = start_text(engine.call, InjectParams(session_id="me"), budget)
    assert estimate(found.text) <= found.tokens <= budget
    if budget >= 150:
        assert "Run the linter" in found.text


def test_with_a_prompt_only_what_matters_whatever_the_task_is(engine: Engine) -> None:
    found = start_text(engine.call, InjectParams(session_id="me", prompt="How is part 17 of the engine made?"), 5_000)
    assert "Part 17" in found.text
    assert "works on: the lexer" in found.text
    assert found.text.count("blocked by #12") == 1
    assert "split the parser" not in found.text


@pytest.mark.parametrize("lines", [5, 8, 12, 20, 40])
def test_lines_are_limited_like_tokens(engine: Engine, lines: int) -> None:
    found = start_text(engine.call, InjectParams(session_id="me", max_lines=lines), 5_000)
    shown = found.text.count("\n")
    assert shown <= max(lines, 7)
    if lines >= 12:
        assert "Run the linter" in found.text
        assert shown > lines // 2, "as much as there is room for"


@pytest.mark.parametrize("format", ["markdown", "xml"])
def test_a_block_has_no_more_lines_than_asked_for(engine: Engine, format: str) -> None:
    asked = {"maxLines": 11, "format": format}
    block = EngineCalls(engine).memory_inject(msgspec.convert(asked, InjectParams))
    assert 5 < block.text.count("\n") <= 11
    assert [each.reason for each in block.omitted].count("budget") > 30


def test_the_setting_limits_lines_where_the_request_does_not(
    make_engine: MakeEngine, repository: Path, engine: Engine, plain: Settings
) -> None:
    settings = replace(plain, memory=replace(plain.memory, inject_max_lines=9))
    other = make_engine(repository, settings=settings)
    for method in ("memory/inject", "context/boot"):
        block = other.call(method, msgspec.convert({}, METHODS[method].params))
        assert isinstance(block, InjectResult | BootResult)
        assert 0 < block.text.count("\n") <= 9, method
