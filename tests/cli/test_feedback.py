"""`useful`, `archive` by filters, narrowed exports, `stats` and `search --everywhere`."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cli.conftest import Run, RunForJson
from tests.client.json_value import fields

Record = Callable[..., str]


@pytest.fixture
def record(as_json: RunForJson) -> Record:
    def recorded(*arguments: str) -> str:
        return str(as_json("record", *arguments)["memory"]["id"])

    return recorded


def test_a_verdict_moves_weight_and_probability_and_undo_keeps_it(
    run: Run, as_json: RunForJson, record: Record
) -> None:
    asked = ("how are amounts kept in the ledger",)
    first = record("Amounts in the ledger are kept as integers of cents")
    other = record("Amounts of the ledger are kept per currency")
    before = as_json("explain", other, *asked)["confidence"]["probability"]
    for _ in range(4):
        run("useful", "--not", other)
    after = as_json("explain", other, *asked)["confidence"]
    assert after["probability"] < before
    assert next(gain["gain"] for gain in after["gains"] if gain["evidence"] == "verdict") < -2
    block = as_json("inject")["items"]
    assert [one["id"] for one in block] == [first, other]
    run("useful", first)
    assert "useful 1 ×, of no use 0 ×" not in run("useful", other).stdout
    run("edit", first, "--content", "Amounts in the ledger are integers of rappen")
    assert as_json("undo", first)["useful"] == 1
    run("useful", first)
    assert as_json("redo", first)["useful"] == 2
    run("useful", "nobody", code=3)


def test_archiving_many_needs_a_word_and_keeps_the_reason(run: Run, as_json: RunForJson, record: Record) -> None:
    blocker = record("The sandbox is down", "--category", "blocker", "--tag", "payment")
    fact = record("The cart lives in src", "--category", "fact", "--tag", "cart")
    run("archive", code=2)
    run("archive", blocker, "--category", "fact", code=2)
    assert "--yes" in run("archive", "--category", "blocker", code=2).stderr
    assert [item["id"] for item in as_json("archive", "--tag", "cart", "--dry-run")["items"]] == [fact]
    run("archive", "--before", "1d", "--yes")
    assert len(as_json("list")["items"]) == 2, "nothing is that old"
    run("archive", "--category", "blocker", "--reason", "it is up, key is AKIAIOSFODNN7EXAMPLQ", "--yes")
    assert [item["id"] for item in as_json("list")["items"]] == [fact]
    latest = as_json("history", blocker)["versions"][0]
    assert latest["change"] == "archived"
    assert latest["reason"].startswith("it is up")
    assert "AKIA" not in latest["reason"], "a reason is redacted like any text"
    assert "it is up" in run("history", blocker).stdout


def test_a_narrowed_export_holds_what_fits_and_restores(
    run: Run, as_json: RunForJson, record: Record, tmp_path: Path
) -> None:
    record("The sandbox is down", "--category", "blocker")
    fact = record("The cart lives in src", "--category", "fact", "--tag", "cart")
    run("remind", "+2h", "call")
    for narrow in (("--category", "fact"), ("--tag", "cart"), ("--category", "fact", "--type", "project")):
        lines = [json.loads(line) for line in run("export", *narrow).stdout.splitlines()]
        assert [line["id"] for line in lines if line["kind"] == "memory"] == [fact], narrow
        assert {line["kind"] for line in lines} == {"header", "memory", "version", "end"}
    assert len(run("export", "--type", "user").stdout.splitlines()) == 2
    out = tmp_path / "facts.jsonl"
    run("export", "--category", "fact", "-o", str(out))
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    run("import", str(out), cwd=elsewhere)
    assert [item["id"] for item in json.loads(run("list", "--json", cwd=elsewhere).stdout)["items"]] == [fact]


def test_a_reminder_may_hang_on_a_memory(run: Run, as_json: RunForJson, record: Record) -> None:
    memory = record("The certificate of the shop expires in spring")
    reminder = as_json("remind", "+1M", "--memory", memory[-6:])["reminder"]
    assert fields(reminder, "memoryId", "text") == (memory, "The certificate of the shop expires in spring")
    assert as_json("remind", "+2M", "--memory", memory, "renew it")["reminder"]["text"] == "renew it"
    lines = [json.loads(line) for line in run("export").stdout.splitlines()]
    assert {line["memoryId"] for line in lines if line["kind"] == "reminder"} == {memory}
    run("delete", memory)
    assert len(as_json("reminders")["items"]) == 2, "the words are still there"
    run("remind", "+1M", "--memory", "nobody", "x", code=3)


def test_words_are_no_entity(run: Run, record: Record) -> None:
    record("Hello world is what `greet` prints.")
    assert "is not an issue, user, URL, file or symbol" in run("entity", "hello world", code=2).stderr
    assert "`memory-sidecar search` finds words" in run("entity", "hello world", code=2).stderr
    assert "No memory names wave" in run("entity", "wave").stderr


def test_stats_count_what_was_made_and_shown(run: Run, as_json: RunForJson, record: Record) -> None:
    shown = record("Run the tests with make check", "--type", "user")
    record("The cart lives in src")
    run("inject", "--session-id", "one", "how do I run the tests with make check")
    run("useful", shown)
    found = as_json("stats", "--weeks", "3")
    assert fields(found, "memories", "shown", "unseen", "useful") == (2, 1, 1, 1)
    assert [week["recorded"] for week in found["weeks"]] == [0, 0, 2]
    assert [week["shown"] for week in found["weeks"]] == [0, 0, 1]
    assert found["mostShown"][0]["id"] == shown
    told = run("stats").stdout
    assert "2 memories: 2 recorded" in told
    assert "█" in told


def test_a_person_searches_every_project_even_one_that_is_gone(run: Run, tmp_path: Path) -> None:
    run("record", "Amounts are integers of cents")
    run("record", "I like amounts spelled out", "--scope", "global", "--type", "user")
    gone = tmp_path / "gone"
    gone.mkdir()
    run("record", "Amounts are decimals here", cwd=gone)
    shutil.rmtree(gone)
    for _ in range(2):
        found = json.loads(run("search", "--everywhere", "amounts", "--json").stdout)["items"]
        by = {one["hit"]["memory"]["content"]: one["project"] for one in found}
        assert set(by) == {"Amounts are integers of cents", "I like amounts spelled out", "Amounts are decimals here"}
        assert by["Amounts are decimals here"]["name"] == "gone"
        assert not by["Amounts are decimals here"]["exists"]
    assert not gone.exists()
    assert "gone" in run("search", "--everywhere", "amounts").stdout
    run("search", "--everywhere", "amounts", "--file", "x.py", code=2)
