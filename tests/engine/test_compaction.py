"""A compaction reported to the engine: what the session was shown is shown again, once, and counts as one use."""

from __future__ import annotations

from pathlib import Path

from msgspec.structs import replace

from protocol import memories as wire
from protocol.events import CompactionParams
from protocol.sessions import StartParams
from sidecar.engine.engine import Engine
from tests.client.calling import EngineCalls
from tests.engine.conftest import MakeEngine

ASKED = "How is the settlement service deployed to the cluster?"


def ids(engine: Engine, session: str = "s", **more: object) -> list[str]:
    params = replace(wire.InjectParams(prompt=ASKED, exclude_shown=True, session_id=session), **more)
    block = EngineCalls(engine).memory_inject(params)
    return [item.id for item in block.items if item.id is not None]


def compact(engine: Engine, session: str = "s", summary: str = "") -> None:
    EngineCalls(engine).event_compaction(CompactionParams(session_id=session, summary=summary))


def filled(engine: Engine) -> str:
    made = EngineCalls(engine).memory_record(
        wire.RecordParams(content="The settlement service is deployed with make ship.")
    )
    for text in ("Cars are parked behind the building.", "Invoices use the fonts of the assets folder."):
        EngineCalls(engine).memory_record(wire.RecordParams(content=text))
    return str(made.memory.id)


def uses(engine: Engine, id: str) -> int:
    got = EngineCalls(engine).memory_get(wire.IdParams(id=id))
    return int(got.access_count)


def test_shown_memories_are_shown_again_after_each_compaction(make_engine: MakeEngine, repository: Path) -> None:
    engine = make_engine(repository)
    id = filled(engine)
    for _ in range(3):
        assert ids(engine) == [id]
        assert ids(engine) == []
        compact(engine, summary="The settlement service was looked at.")
    assert ids(engine, "other") == [id]
    assert ids(engine, "other") == []
    assert uses(engine, id) == 2


def test_another_process_knows_of_a_compaction(make_engine: MakeEngine, repository: Path) -> None:
    one, two = make_engine(repository), make_engine(repository)
    id = filled(one)
    assert ids(one) == [id]
    assert ids(two) == []
    compact(one)
    assert ids(two) == [id]
    assert ids(one) == []


def test_two_compactions_in_a_row_and_of_a_session_that_was_shown_nothing(
    make_engine: MakeEngine, repository: Path
) -> None:
    engine = make_engine(repository)
    id = filled(engine)
    compact(engine)
    compact(engine)
    assert ids(engine) == [id]
    compact(engine)
    compact(engine)
    assert ids(engine) == [id]
    assert ids(engine) == []
    assert uses(engine, id) == 1


def test_a_frozen_opening_that_is_given_again_is_not_news(make_engine: MakeEngine, repository: Path) -> None:
    engine = make_engine(repository)
    id = filled(engine)
    EngineCalls(engine).session_start(StartParams(session_id="s"))
    opening = wire.InjectParams(session_id="s", frozen=True)
    first = EngineCalls(engine).memory_inject(opening)
    assert id in [item.id for item in first.items]
    compact(engine)
    assert EngineCalls(engine).memory_inject(opening) == first
    assert ids(engine) == []


def test_a_follow_up_leans_on_the_prompt_before_the_compaction(make_engine: MakeEngine, repository: Path) -> None:
    engine = make_engine(repository)
    id = filled(engine)
    assert ids(engine) == [id]
    compact(engine)
    assert ids(engine, prompt="yes, do it") == [id]
    assert ids(engine, prompt="yes, do it") == []
