"""`sessions`, `boot`, `entity`, `remind`, `reminders` and `metrics`, run by a user beside a server."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.cli.conftest import Run, RunForJson
from tests.client.stdio_client import StdioClient


@pytest.fixture
def server(folder: Path, environ: dict[str, str], spawn: Callable[..., StdioClient]) -> Iterator[StdioClient]:
    """A server in which a session has claimed a file."""
    server = spawn(env=environ, ignore=("memory/didChange", "window/logMessage"))
    server.initialize(folder)
    server.call("session/start", {"sessionId": "s-1", "agent": "claude", "workingOn": "the counter"})
    server.call("session/claim", {"sessionId": "s-1", "item": "src/counting.py"})
    yield server
    server.close()


def test_nothing_is_listed_while_no_agent_works(run: Run) -> None:
    assert "No agent is working here" in run("sessions").stderr
    assert "nothing to show" in run("boot").stderr


def test_sessions_lists_claims_and_with_all_what_ended(run: Run, as_json: RunForJson, server: StdioClient) -> None:
    shown = run("sessions").stdout
    assert "s-1" in shown
    assert "has claimed: src/counting.py" in shown
    assert as_json("sessions")["items"][0]["claims"][0]["item"] == "src/counting.py"
    server.call("session/end", {"sessionId": "s-1", "summary": "Counted."})
    assert "Counted." in run("sessions", "--all").stdout


@pytest.mark.usefixtures("server")
def test_boot_shows_directives_and_sessions_within_its_budget(run: Run) -> None:
    run("record", "Never push on a Friday.", "--category", "directive")
    boot = run("boot").stdout
    assert "Never push on a Friday." in boot
    assert "claude, session s-1 works on: the counter; has claimed: src/counting.py" in boot
    assert "did not fit" in run("boot", "--budget-tokens", "90").stderr


def test_entity_lists_what_names_an_issue_or_a_file(run: Run, as_json: RunForJson) -> None:
    run("record", "Releases are blocked by #12.", "--category", "blocker")
    run("record", "Blocked by #12 and !3.", "--category", "blocker")
    assert as_json("entity", "#12")["total"] == 2
    assert "No memory names #1." in run("entity", "#1").stderr
    closed = run("entity", "#12", "--closed").stdout
    assert "Resolved" in closed
    assert "it also names !3" in closed
    assert "resolved" in run("entity", "#12").stdout
    run("record", "`count_3` in src/counting.py is slow.")
    assert "is slow" in run("entity", "src/counting.py").stdout


def test_reminders_are_set_listed_advanced_and_cleared(run: Run, as_json: RunForJson) -> None:
    assert "no reminders" in run("reminders").stderr
    said = run("remind", "+2h", "call", "Ada", "--timezone", "UTC").stdout
    assert "UTC: call Ada" in said
    assert "it was set already" in run("remind", "2099-01-31", "x").stdout + run("remind", "2099-01-31", "x").stdout
    made = as_json("remind", "2099-01-31 9:00", "pay", "--every", "monthly", "--timezone", "Europe/Berlin")
    assert made["reminder"]["local"] == "2099-01-31 09:00+01:00"
    id = str(made["reminder"]["id"])[-8:]
    assert "2099-02-28 09:00+01:00 Europe/Berlin, then monthly: pay" in run("reminders", "--advance", id).stdout
    assert "Cleared" in run("reminders", "--clear", id).stdout
    assert "pay" not in run("reminders").stdout
    assert "pay" in run("reminders", "--all").stdout
    assert "Nothing is due" in run("reminders", "--due").stderr
    wrong = run("remind", "someday", "x", code=2)
    assert "'someday' is not a time" in wrong.stderr
    assert "tomorrow 9am" in wrong.stderr
    run("reminders", "--clear", "a", "--advance", "b", code=2)
    run("reminders", "--clear", "none-such", code=3)


def test_metrics_are_printed_for_prometheus(run: Run, as_json: RunForJson) -> None:
    run("record", "Something.")
    text = run("metrics").stdout
    assert "# TYPE memory_sidecar_memories gauge" in text
    assert as_json("metrics")["contentType"].startswith("text/plain")
