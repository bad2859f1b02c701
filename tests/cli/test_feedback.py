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


QUESTION = "how are amounts kept in the ledger"


@pytest.fixture
def ledger(record: Record) -> tuple[str, str]:
    return (
        record("Amounts in the ledger are kept as integers of cents"),
        record("Amounts of the ledger are kept per currency"),
    )


def test_a_bad_rating_lowers_the_probability_and_says_so(
    run: Run, as_json: RunForJson, ledger: tuple[str, str]
) -> None:
    before = as_json("explain", ledger[1], QUESTION)["confidence"]["probability"]
    for _ in range(4):
        run("useful", "--not", ledger[1])
    after = as_json("explain", ledger[1], QUESTION)["confidence"]
    assert after["probability"] < before
    assert next(gain["gain"] for gain in after["gains"] if gain["evidence"] == "verdict") < -2


def test_a_badly_rated_memory_is_shown_last(run: Run, as_json: RunForJson, ledger: tuple[str, str]) -> None:
    for _ in range(4):
        run("useful", "--not", ledger[1])
    assert [item["id"] for item in as_json("inject")["items"]] == [ledger[0], ledger[1]]


def test_undo_and_redo_of_an_edit_keep_later_ratings(run: Run, as_json: RunForJson, ledger: tuple[str, str]) -> None:
    run("useful", ledger[0])
    run("edit", ledger[0], "--content", "Amounts in the ledger are integers of rappen")
    assert as_json("undo", ledger[0])["useful"] == 1
    run("useful", ledger[0])
    assert as_json("redo", ledger[0])["useful"] == 2


def test_rating_an_unknown_memory_fails(run: Run) -> None:
    run("useful", "nobody", code=3)


@pytest.fixture
def blocker(record: Record) -> str:
    return record("The sandbox is down", "--category", "blocker", "--tag", "payment")


@pytest.fixture
def fact(record: Record) -> str:
    return record("The cart lives in src", "--category", "fact", "--tag", "cart")


def test_archiving_takes_ids_or_filters_and_asks_for_yes(run: Run, blocker: str) -> None:
    run("archive", code=2)
    run("archive", blocker, "--category", "fact", code=2)
    assert "--yes" in run("archive", "--category", "blocker", code=2).stderr


def test_archiving_by_filters_takes_only_what_matches(run: Run, as_json: RunForJson, blocker: str, fact: str) -> None:
    assert [item["id"] for item in as_json("archive", "--tag", "cart", "--dry-run")["items"]] == [fact]
    run("archive", "--before", "1d", "--yes")
    assert len(as_json("list")["items"]) == 2, "nothing is that old"
    run("archive", "--category", "blocker", "--yes")
    assert [item["id"] for item in as_json("list")["items"]] == [fact]


def test_the_history_shows_the_redacted_reason_of_archiving(run: Run, as_json: RunForJson, blocker: str) -> None:
    run("archive", blocker, "--reason", "it is up, key is AKIAIOSFODNN7EXAMPLQ")
    latest = as_json("history", blocker)["versions"][0]
    assert latest["change"] == "archived"
    assert latest["reason"].startswith("it is up")
    assert "AKIA" not in latest["reason"]
    assert "it is up" in run("history", blocker).stdout


@pytest.mark.parametrize(
    "filters", [("--category", "fact"), ("--tag", "cart"), ("--category", "fact", "--type", "project")]
)
def test_a_filtered_export_holds_only_matching_memories(
    run: Run, blocker: str, fact: str, filters: tuple[str, ...]
) -> None:
    run("remind", "+2h", "call")
    lines = [json.loads(line) for line in run("export", *filters).stdout.splitlines()]
    assert [line["id"] for line in lines if line["kind"] == "memory"] == [fact]
    assert {line["kind"] for line in lines} == {"header", "memory", "version", "end"}
    assert len(run("export", "--type", "user").stdout.splitlines()) == 2


def test_a_filtered_export_can_be_imported(run: Run, blocker: str, fact: str, tmp_path: Path) -> None:
    export, elsewhere = tmp_path / "facts.jsonl", tmp_path / "elsewhere"
    elsewhere.mkdir()
    run("export", "--category", "fact", "-o", str(export))
    run("import", str(export), cwd=elsewhere)
    assert [item["id"] for item in json.loads(run("list", "--json", cwd=elsewhere).stdout)["items"]] == [fact]


def test_a_reminder_of_a_memory_takes_its_name_and_outlives_it(run: Run, as_json: RunForJson, record: Record) -> None:
    memory = record("The certificate of the shop expires in spring")
    reminder = as_json("remind", "+1M", "--memory", memory[-6:])["reminder"]
    assert fields(reminder, "memoryId", "text") == (memory, "The certificate of the shop expires in spring")
    assert as_json("remind", "+2M", "--memory", memory, "renew it")["reminder"]["text"] == "renew it"
    lines = [json.loads(line) for line in run("export").stdout.splitlines()]
    assert {line["memoryId"] for line in lines if line["kind"] == "reminder"} == {memory}
    run("delete", memory)
    assert len(as_json("reminders")["items"]) == 2
    run("remind", "+1M", "--memory", "nobody", "x", code=3)


def test_plain_words_are_refused_as_an_entity(run: Run, record: Record) -> None:
    record("Hello world is what `greet` prints.")
    assert "is not an issue, user, URL, file or symbol" in run("entity", "hello world", code=2).stderr
    assert "`memory-sidecar search` finds words" in run("entity", "hello world", code=2).stderr
    assert "No memory names wave" in run("entity", "wave").stderr


def test_stats_count_recorded_shown_and_useful_memories(run: Run, as_json: RunForJson, record: Record) -> None:
    shown = record("Run the tests with make check", "--type", "user")
    record("The cart lives in src")
    run("inject", "--session-id", "one", "how do I run the tests with make check")
    run("useful", shown)
    stats = as_json("stats", "--weeks", "3")
    assert fields(stats, "memories", "shown", "unseen", "useful") == (2, 1, 1, 1)
    assert [week["recorded"] for week in stats["weeks"]] == [0, 0, 2]
    assert [week["shown"] for week in stats["weeks"]] == [0, 0, 1]
    assert stats["mostShown"][0]["id"] == shown
    printed = run("stats").stdout
    assert "2 memories: 2 recorded" in printed
    assert "█" in printed


def test_a_search_everywhere_finds_all_projects_even_a_removed_one(run: Run, tmp_path: Path) -> None:
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
