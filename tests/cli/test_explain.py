"""`explain` with a prompt: the probability, the evidence and what would change it."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.cli.conftest import Run, RunForJson
from tests.client.json_value import fields

PROMPT = "how is the settlement service deployed"


@pytest.fixture
def id(remember: Callable[..., str]) -> str:
    made = remember("The settlement service is deployed with make ship.")
    for text in ("Cars are parked behind the building.", "Backups are kept in Frankfurt."):
        remember(text)
    return made


def test_explain_prints_probability_evidence_and_shared_words(run: Run, as_json: RunForJson, id: str) -> None:
    told = as_json("explain", id, PROMPT)
    confidence = told["confidence"]
    assert told["shown"]
    assert confidence["probability"] == confidence["best"] >= confidence["opens"] > confidence["threshold"] > 0
    assert {gain["evidence"] for gain in confidence["gains"]} == {"words", "meaning", "prompt"}
    assert confidence["change"] == []
    printed = run("explain", id, PROMPT).stdout
    assert f"probability {confidence['probability']:.2f} ({confidence['label']})" in printed
    assert f"from {confidence['threshold']:.2f}, if" in printed
    assert f"reaches {confidence['opens']:.2f}" in printed
    for gain in confidence["gains"]:
        assert f"{gain['evidence']} {gain['gain']:+.1f}" in printed
    assert "Shared words: " in printed
    assert all(word in printed for word in ("settlement", "service", "deployed"))
    found = as_json("search", PROMPT)["items"]
    assert found[0]["memory"]["id"] == id
    assert found[0]["score"] == pytest.approx(confidence["probability"], abs=1e-5)


def test_explain_prints_what_would_change_the_verdict(run: Run, as_json: RunForJson, id: str) -> None:
    told = as_json("explain", id, "colour of the login button")
    assert fields(told, "shown") == (False,)
    assert told["confidence"]["probability"] < told["confidence"]["threshold"]
    assert told["confidence"]["words"] == []
    printed = run("explain", id, "colour of the login button").stdout
    assert told["confidence"]["change"]
    for sentence in told["confidence"]["change"]:
        assert str(sentence) in printed
    assert "such as settlement" in printed
    assert "Shared words" not in printed


def test_without_a_prompt_there_is_no_probability(run: Run, as_json: RunForJson, id: str) -> None:
    assert as_json("explain", id).get("confidence") is None
    assert "probability" not in run("explain", id).stdout


def test_explain_says_how_to_restore_an_archived_memory(run: Run, as_json: RunForJson, id: str) -> None:
    run("archive", id)
    told = as_json("explain", id, PROMPT)
    assert told["confidence"]["probability"] == 0.0
    assert told["confidence"]["best"] < told["confidence"]["opens"]
    printed = run("explain", id, PROMPT).stdout
    assert "Not shown." in printed
    assert "It is archived: restore it first." in printed


def test_an_unknown_memory_is_an_error(run: Run, id: str) -> None:
    assert "no-such-memory" in run("explain", "no-such-memory", PROMPT, code=None).stderr


def test_a_long_paste_is_read_for_what_it_asks(as_json: RunForJson, id: str) -> None:
    log = "\n".join(f"2026-01-01 10:00:{at % 60:02} INFO worker {at} polled" for at in range(200))
    told = as_json("explain", id, f"{PROMPT}?\n\n{log}")
    assert told["shown"]
    assert told["confidence"]["rank"] == 1
