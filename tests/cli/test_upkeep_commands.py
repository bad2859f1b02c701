"""`maintain`, `explain`, `promote`, `resolve`, `reopen`, `forget`: a memory's later life, as a user drives it."""

from __future__ import annotations

import json

from tests.cli.conftest import Run


def record(run: Run, *arguments: str) -> str:
    id: str = json.loads(run("record", *arguments, "--json").stdout)["memory"]["id"]
    return id


def test_explain_says_where_a_memory_stands_and_why(run: Run) -> None:
    id = record(run, "The staging database is restored every Sunday night from production.")
    record(run, "Releases are cut from the branch called stable.")
    shown = run("explain", id, "when is the staging database restored").stdout
    assert "Shown." in shown
    assert "Item 1 of" in shown
    assert "matches" in shown
    left = run("explain", id, "colour of the login button").stdout
    assert "Not shown." in left
    told = json.loads(run("explain", id, "colour of the login button", "--json").stdout)
    assert told["shown"] is False
    assert told["memory"]["id"] == id


def test_explain_counts_nothing_as_shown(run: Run) -> None:
    id = record(run, "The staging database is restored every Sunday night from production.")
    run("explain", id, "when is the staging database restored")
    assert json.loads(run("get", id, "--json").stdout)["accessCount"] == 0


def test_explain_an_archived_memory(run: Run) -> None:
    id = record(run, "The staging database is restored every Sunday night.")
    run("archive", id)
    assert "It is archived" in run("explain", id, "staging database restored").stdout


def test_maintain_shows_first_and_then_does(run: Run) -> None:
    first = record(run, "Deploys go out on Tuesday.", "--name", "Deploy day")
    record(run, "Deploys go out on Tuesday.", "--name", "Day of deploys")
    shown = run("maintain", "--dry-run")
    assert "duplicates" in shown.stdout
    assert "Would change" in shown.stderr
    assert len(json.loads(run("list", "--json").stdout)["items"]) == 2
    done = run("maintain")
    assert "Changed: " in done.stderr
    (left,) = json.loads(run("list", "--json").stdout)["items"]
    assert left["id"] == first
    assert "Nothing to do." in run("maintain").stderr


def test_a_proposal_is_named_by_the_beginning_of_its_id(run: Run) -> None:
    record(run, "The staging database is restored every Sunday night at two.", "--name", "Staging restore")
    record(run, "The staging database is restored every Sunday night.", "--name", "Restore of staging")
    (proposal,) = json.loads(run("maintain", "--step", "consolidation", "--json").stdout)["proposals"]
    assert "lists the proposals" in run("maintain", "--apply", "zzz", code=3).stderr
    assert json.loads(run("maintain", "--apply", proposal["id"][:4], "--json").stdout)["proposals"] == []
    assert len(json.loads(run("list", "--json").stdout)["items"]) == 1


def test_a_blocker_is_resolved_and_reopened(run: Run) -> None:
    id = record(run, "Waiting for the certificate of the staging host.", "--category", "blocker")
    assert "Resolved" in run("resolve", id).stdout
    assert json.loads(run("list", "--json").stdout)["items"] == []
    assert "Open again" in run("reopen", id).stdout
    assert json.loads(run("list", "--json").stdout)["items"][0]["status"] == "active"


def test_a_memory_is_promoted_and_forgotten(run: Run) -> None:
    id = record(run, "Use four spaces.", "--type", "feedback", "--scope", "personal")
    assert "Now project" in run("promote", id).stdout
    assert "Already project" in run("promote", id, "--scope", "project").stdout
    assert "project; active" in run("show", "Use").stdout, "not the archived one that it was"
    assert "Deleted" in run("forget", id).stdout
    assert json.loads(run("list", "--json").stdout)["items"] == []
