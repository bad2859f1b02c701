"""`import --sessions`: real processes over transcripts in a home folder of their own."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import Run
from tests.transcripts.test_claude import entry

WISH = "Remember: always use tabs in this repository."


class ClaudeSessions:
    """Claude Code's kept sessions."""

    def __init__(self, home: Path, folder: Path) -> None:
        self.place = home / ".claude" / "projects" / "-work"
        self.place.mkdir(parents=True)
        self.folder = folder

    def write(self, session: str, *said: str, day: int = 1, entries: list[dict[str, object]] | None = None) -> Path:
        """Write a session in which these things are said, each answered."""
        rows = [] if entries is None else list(entries)
        for number, text in enumerate(said):
            rows.append(entry("user", text, day, self.folder, uuid=f"{session}-{number}"))
            rows.append(entry("assistant", [{"type": "text", "text": f"Answer {number}."}], day, self.folder))
        path = self.place / f"{session}.jsonl"
        path.write_text("".join(f"{json.dumps(row)}\n" for row in rows))
        return path


@pytest.fixture
def kept(environ: dict[str, str], folder: Path) -> ClaudeSessions:
    return ClaudeSessions(Path(environ["HOME"]), folder)


def answer(run: Run, *arguments: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(run("import", "--sessions", "--json", *arguments).stdout)
    return found


def learned(told: dict[str, Any]) -> int:
    return sum(told.get("learned", {}).values())


def test_each_session_is_read_only_once(run: Run, kept: ClaudeSessions) -> None:
    kept.write("b", "Hello there.", day=3)
    kept.write("a", WISH, "And thank you.", day=1)
    dry = answer(run, "--dry-run")
    assert (dry["sessions"], dry["messages"], dry.get("memories", 0)) == (2, 3, 0)
    assert (dry["first"], dry["last"]) == (1_772_359_200_500, 1_772_532_000_500)
    assert [(each["sessionId"], each["at"]) for each in dry["items"]] == [("a", 1_772_359_200_500)]
    assert "tabs" in dry["items"][0]["content"]
    assert "tabs" not in run("list").stdout
    told = run("import", "--sessions").stderr
    assert "Read 2 sessions (claude-code 2) with 3 messages of the user, from 2026-03-01" in told
    assert "tabs" in run("list").stdout
    again = answer(run)
    assert (again["sessions"], learned(again)) == (0, 0)
    assert again["skipped"] == [{"agent": "claude-code", "reason": "read before", "count": 2}]
    assert "There are no sessions to read." in run("import", "--sessions", "--dry-run").stderr


def test_messages_since_the_last_import_are_read(run: Run, kept: ClaudeSessions) -> None:
    path = kept.write("a", "Hello there.")
    assert learned(answer(run)) == 0
    path.write_text(path.read_text() + json.dumps(entry("user", WISH, 2, kept.folder, uuid="a-9")) + "\n")
    grown = answer(run)
    assert (grown["sessions"], grown["messages"], learned(grown)) == (1, 1, 1)


def test_a_copy_says_nothing_again(run: Run, kept: ClaudeSessions) -> None:
    first = kept.write("a", WISH)
    answer(run)
    copied = [{**json.loads(line), "sessionId": "b"} for line in first.read_text().splitlines()]
    kept.write("b", "Something else.", day=2, entries=copied)
    told = answer(run)
    assert (told["sessions"], told["messages"], learned(told)) == (1, 1, 0)


def test_live_session_is_not_learned_from_twice(run: Run, kept: ClaudeSessions) -> None:
    kept.write("live", WISH)
    event = {"hook_event_name": "SessionStart", "session_id": "live", "cwd": str(kept.folder), "source": "startup"}
    run("hook", stdin=json.dumps(event))
    told = answer(run)
    assert told["sessions"] == 0
    assert told["skipped"][0]["reason"] == "learned from while they ran"


def test_sessions_are_read_by_agent_and_time(
    run: Run, kept: ClaudeSessions, environ: dict[str, str], tmp_path: Path
) -> None:
    kept.write("a", WISH, day=1)
    kept.write("b", "Hello.", day=5)
    kept.folder = tmp_path
    kept.write("c", "Of another project: always use spaces.")
    Path(environ["HOME"], ".codex").write_text("no folder")
    told = answer(run, "--since", "2026-03-03", "--dry-run")
    assert (told["sessions"], told["messages"]) == (1, 1)
    assert {each["agent"]: each["reason"] for each in told["skipped"]}.keys() == {"claude-code", "codex"}
    assert answer(run, "--agent", "gemini", "--agent", "claude-code")["sessions"] == 2
    listed = run("import", "--sessions", "--all")
    assert f"1         {tmp_path}" in listed.stdout
    assert answer(run, "--all")["elsewhere"] == [{"folder": str(tmp_path), "sessions": 1}]
    assert "spaces" not in run("list").stdout


def test_session_options_without_sessions_are_refused(run: Run) -> None:
    assert "takes no file" in run("import", "--sessions", "x.md", code=2).stderr
    assert "or give --sessions" in run("import", code=2).stderr
    assert "go with --sessions" in run("import", "--agent", "codex", "x.md", code=2).stderr


def test_setting_an_agent_up_mentions_it(run: Run, kept: ClaudeSessions) -> None:
    assert "import --sessions" not in run("setup", "claude", "--yes").stdout
    run("setup", "claude", "--yes", "--undo")
    kept.write("a", WISH)
    assert run("setup", "claude", "--yes").stdout.count("import --sessions") == 1
