"""opencode's database, and the files it kept before."""

from __future__ import annotations

import contextlib
import json
import sqlite3
from collections.abc import Callable
from pathlib import Path

import pytest

from sidecar.learning.session_event import SessionEvent
from sidecar.transcripts.discovery import FoundSessions
from tests.transcripts.conftest import tools

pytestmark = pytest.mark.slow

DATABASE = ".local/share/opencode/opencode.db"


def messages() -> list[tuple[dict[str, object], list[dict[str, object]]]]:
    tool = {"type": "tool", "tool": "bash", "callID": "c1"}
    state = {"status": "completed", "input": {"command": "make"}, "output": "F", "metadata": {"exit": 2}}
    refused = {"status": "error", "input": {"filePath": "a.py"}, "error": "The user rejected it"}
    return [
        (
            {"role": "user", "time": {"created": 1_795_389_705_617}},
            [
                {"type": "text", "text": '"Use tabs in this."'},
                {"type": "text", "text": "Called the Read tool", "synthetic": True},
            ],
        ),
        (
            {"role": "assistant", "time": {"created": 1_795_389_706_000}},
            [
                {"type": "step-start"},
                {"type": "text", "text": "I look."},
                {**tool, "state": {**state, "time": {"start": 1, "end": 1_795_389_707_000}}},
                {"type": "tool", "tool": "edit", "callID": "c2", "state": refused},
                {"type": "tool", "tool": "edit", "callID": "c3", "state": {"status": "running", "input": {}}},
                {"type": "text", "text": "All done."},
            ],
        ),
        ({"role": "assistant", "summary": True, "time": {}}, [{"type": "text", "text": "We did this."}]),
    ]


def check(events: list[SessionEvent]) -> None:
    assert [(event.kind, event.text or event.tool) for event in events] == [
        ("user", "Use tabs in this."),
        ("agent", "I look."),
        ("tool", "bash"),
        ("tool", "edit"),
        ("agent", "All done."),
        ("compaction", "We did this."),
    ]
    assert tools(events) == [("bash", {"command": "make"}, 2, False), ("edit", {"filePath": "a.py"}, None, True)]
    assert [event.at for event in events[:3]] == [1_795_389_705_617, 1_795_389_706_000, 1_795_389_707_000]


def make(path: Path, project: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with contextlib.closing(sqlite3.connect(path)) as base, base:
        base.execute("PRAGMA journal_mode=WAL")
        base.execute("CREATE TABLE session (id, project_id, parent_id, directory, title, time_created, time_updated)")
        base.execute("CREATE TABLE message (id, session_id, time_created, time_updated, data)")
        base.execute("CREATE TABLE part (id, message_id, session_id, time_created, time_updated, data)")
        for id, parent in (("ses_1", None), ("ses_2", "ses_1")):
            base.execute("INSERT INTO session VALUES (?, 'p', ?, ?, 't', 1795389705000, 9)", (id, parent, str(project)))
        for number, (message, parts) in enumerate(messages()):
            base.execute(
                "INSERT INTO message VALUES (?, 'ses_1', ?, 1, ?)", (f"msg_{number}", number, json.dumps(message))
            )
            for place, part in enumerate(parts):
                row = (f"prt_{place}", f"msg_{number}", json.dumps(part))
                base.execute("INSERT INTO part VALUES (?, ?, 'ses_1', 1, 1, ?)", row)


def test_a_database_that_an_agent_writes_to_is_read(
    home: Path, project: Path, read: Callable[..., list[SessionEvent]]
) -> None:
    make(home / DATABASE, project)
    with contextlib.closing(sqlite3.connect(home / DATABASE)) as busy:
        busy.execute("BEGIN IMMEDIATE")
        busy.execute("INSERT INTO message VALUES ('m', 'ses_1', 9, 9, '{}')")
        check(read())


def test_an_unreadable_database_is_a_problem(home: Path, project: Path, found: Callable[..., FoundSessions]) -> None:
    make(home / DATABASE, project)
    with contextlib.closing(sqlite3.connect(home / DATABASE)) as busy:
        busy.execute("PRAGMA journal_mode=DELETE")
        busy.execute("BEGIN EXCLUSIVE")
        assert "locked" in found().problems[0].reason
    (home / DATABASE).unlink()
    with contextlib.closing(sqlite3.connect(home / DATABASE)) as other:
        other.execute("CREATE TABLE conversation (id)")
    looked = found()
    assert looked.here == []
    assert "no such table" in looked.problems[0].reason
