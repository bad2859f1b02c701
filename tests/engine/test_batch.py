"""Requests that are answered together: one commit, each answered once and in order, and alone when that fails."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from protocol.links import LinksParams
from protocol.memories import RecordParams
from sidecar.engine.engine import Engine
from sidecar.engine.options import EngineOptions
from sidecar.runtime.cancellation import Context
from sidecar.runtime.errors import Cancelled, InvalidField, StoreUnavailable
from sidecar.settings import load
from sidecar.store.memory_store import GroupCommit, MemoryTransaction
from tests.client.calling import MethodCaller


@pytest.fixture
def engine(tmp_path: Path) -> Iterator[Engine]:
    settings = load(None, {"MEMORY_SIDECAR_STORE_FOLDER": str(tmp_path / "store")}).settings
    made = Engine(settings, EngineOptions(short_lived=True))
    (tmp_path / "project").mkdir()
    made.lifecycle.add_workspace(tmp_path / "project").open()
    yield made
    made.close()


def ask(engine: Engine, texts: list[str], calls: list[Context] | None = None) -> list[Any]:
    """The outcomes, in order."""
    calls = calls or [Context() for _ in texts]
    asked = [(RecordParams(content=text), call) for text, call in zip(texts, calls, strict=True)]
    return list(engine.call_together("memory/record", asked))


def commits(tmp_path: Path) -> int:
    (place,) = [each for each in (tmp_path / "store").rglob("memories/cache.db") if "user" not in each.parts]
    return int(sqlite3.connect(place).execute("PRAGMA user_version").fetchone()[0])


def answered(engine: Engine, outcome: str) -> int:
    """Return how many records had this outcome, by the engine's own metrics."""
    row = f'memory_sidecar_requests_total{{method="memory/record",outcome="{outcome}"}} '
    text = MethodCaller(engine)("sidecar/metrics").text
    return int(float(next(line for line in text.splitlines() if line.startswith(row)).removeprefix(row)))


def test_batched_requests_share_one_commit(engine: Engine, tmp_path: Path) -> None:
    before = commits(tmp_path)
    times = "night morning hour Monday month weekend".split()
    outcomes = ask(engine, [f"The payment worker drains the queue of invoices every {time}." for time in times])
    assert [outcome.status for outcome in outcomes] == ["created"] * 6
    assert commits(tmp_path) == before + 2, "one of the memories, one of the links between those that are alike"
    assert answered(engine, "ok") == 6
    assert ask(engine, ["Alpha is blue."])[0].status == "created"


def test_texts_that_are_not_alike_take_one_commit_only(engine: Engine, tmp_path: Path) -> None:
    before = commits(tmp_path)
    words = "harbour violin cement lantern orchid turbine walnut glacier".split()
    ask(engine, [f"The {word} {word[::-1]}." for word in words])
    assert commits(tmp_path) == before + 1


SAID = [
    "We use pnpm for packages.",
    "The payment worker drains the queue of invoices every night.",
    "We use npm for packages.",
    "The payment worker drains the queue of invoices every morning.",
    "We use pnpm for packages.",
    "y" * 60_000,
    "The payment worker drains the queue of invoices every hour, says Ada.",
    "The port is 8080.",
    "The port is 9090.",
]


def facts(engine: Engine, outcomes: list[Any]) -> list[object]:
    """What each answer says of the memories, by their texts, and the links that were found."""
    texts = {outcome.memory.id: outcome.memory.content for outcome in outcomes if hasattr(outcome, "memory")}
    seen: list[object] = []
    for outcome in outcomes:
        if not hasattr(outcome, "memory"):
            seen.append(type(outcome))
            continue
        links: Any = engine.call("memory/links", LinksParams(id=outcome.memory.id))
        similar = [(texts[near.id], near.score) for near in outcome.similar]
        linked = sorted((each.link.kind, each.link.source, each.link.strength, texts[each.id]) for each in links.items)
        seen.append((outcome.status, outcome.memory.content, outcome.memory.version, similar, linked))
    return seen


def test_records_of_a_batch_fare_as_if_recorded_one_after_another(tmp_path: Path) -> None:
    engines = []
    for name in ("alone", "together"):
        settings = load(None, {"MEMORY_SIDECAR_STORE_FOLDER": str(tmp_path / name)}).settings
        engines.append(Engine(settings, EngineOptions(short_lived=True)))
        (tmp_path / f"of {name}").mkdir()
        engines[-1].lifecycle.add_workspace(tmp_path / f"of {name}").open()
    alone, together = engines
    one_by_one = [outcome for said in SAID for outcome in ask(alone, [said])]
    at_once = ask(together, SAID)
    assert facts(together, at_once) == facts(alone, one_by_one)
    assert [getattr(outcome, "status", None) for outcome in at_once].count("duplicate") == 1
    found = str(facts(alone, one_by_one))
    assert "contradicts" in found
    assert "related" in found
    for engine in engines:
        engine.close()


def test_wrong_or_cancelled_request_fails_alone(engine: Engine) -> None:
    calls = [Context() for _ in range(4)]
    calls[2].cancel()
    outcomes = ask(engine, ["Alpha is blue.", " ", "Beta is red.", "Gamma is green."], calls)
    assert [type(outcome) for outcome in outcomes[1:3]] == [InvalidField, Cancelled]
    assert outcomes[0].status == outcomes[3].status == "created"
    assert answered(engine, "InvalidField") == 1


def test_when_the_commit_fails_each_is_tried_alone(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    real = GroupCommit.commit

    def commit(self: GroupCommit) -> None:
        if self._database is None:
            return
        self.abandon(StoreUnavailable("The disk is full.", reason="full"))
        real(self)

    monkeypatch.setattr(GroupCommit, "commit", commit)
    outcomes = ask(engine, ["Alpha is blue.", "", "Gamma is green."])
    assert [getattr(outcome, "status", None) for outcome in outcomes] == ["created", None, "created"]
    assert [each.status for each in ask(engine, ["Alpha is blue.", "Gamma is green."])] == ["duplicate"] * 2


@pytest.mark.parametrize(
    "texts", [["We use pnpm for packages.", "Alpha is blue.", "We use npm for packages."], ["We use npm for packages."]]
)
def test_records_are_acknowledged_although_their_links_cannot_be_stored(
    engine: Engine, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, texts: list[str]
) -> None:
    ask(engine, ["We use yarn for packages."])

    def refuse(*_: object) -> None:
        raise StoreUnavailable("The disk is full.", reason="full")

    with monkeypatch.context() as patched:
        patched.setattr(MemoryTransaction, "link", refuse)
        outcomes = ask(engine, texts)
    assert [outcome.status for outcome in outcomes] == ["created"] * len(texts)
    assert "Links of recorded memories were not stored: The disk is full." in caplog.text
    assert [outcome.status for outcome in ask(engine, texts)] == ["duplicate"] * len(texts)


def test_stored_memory_is_announced_even_if_cancelled_by_then(tmp_path: Path) -> None:
    told: list[str] = []
    settings = load(None, {"MEMORY_SIDECAR_STORE_FOLDER": str(tmp_path / "store")}).settings

    def notify(_: str, params: Any) -> None:
        told.extend(each.id for each in params.changes)
        calls[1].cancel()

    calls = [Context(), Context()]
    engine = Engine(settings, EngineOptions(short_lived=True))
    engine.subscribe(notify)
    engine.lifecycle.add_workspace(tmp_path).open()
    texts = ["Alpha is blue.", "Gamma is green."]
    asked = [(RecordParams(content=text), call) for text, call in zip(texts, calls, strict=True)]
    outcomes: list[Any] = list(engine.call_together("memory/record", asked))
    assert [outcome.memory.id for outcome in outcomes] == told
    assert len(told) == 2
    engine.close()


def test_stored_records_are_acknowledged_although_a_listener_raises(
    engine: Engine, caplog: pytest.LogCaptureFixture
) -> None:
    heard: list[str] = []

    def fail(method: str, _: object) -> None:
        heard.append(method)
        raise OSError("the listener is broken")

    engine.subscribe(fail)
    engine.subscribe(lambda method, _: heard.append(method))
    outcomes = ask(engine, [f"Rule {number} of the release is written down." for number in range(32)])
    assert [outcome.status for outcome in outcomes] == ["created"] * 32
    assert heard == ["memory/didChange", "memory/didChange"]
    assert any("the listener is broken" in str(record.exc_info) for record in caplog.records)
