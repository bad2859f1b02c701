"""`memory-sidecar setup` offers to let the agent read sessions: asked at a terminal, switched on by a yes alone."""

from __future__ import annotations

import json
import os
import pty
import tomllib
from pathlib import Path

import pytest

from tests.cli.in_process import invoke
from tests.client.json_value import Json

OWN = '# mine\n[memory]\nlearn = "propose" # mine\n\n[models]\nname = "m"\nendpoint = "http://127.0.0.1:9/v1"\n'


@pytest.fixture
def home(tmp_path: Path) -> Path:
    place = tmp_path / "home"
    (place / "bin").mkdir(parents=True)
    (place / "work").mkdir()
    program = place / "bin" / "claude"
    program.write_text("#!/bin/sh\nexit 3\n")
    program.chmod(0o755)
    return place


def settings(home: Path) -> Path:
    return home / ".config" / "memory-sidecar" / "settings.toml"


def run(home: Path, *arguments: str, answers: str | None = None) -> str:
    """Return what the command prints; `answers` are typed at a terminal."""
    environ = {"HOME": str(home), "PATH": f"{home / 'bin'}:/usr/bin:/bin", "NO_COLOR": "1"}
    if answers is None:
        done = invoke(arguments, environ, home / "work")
    else:
        own, terminal = pty.openpty()
        os.write(own, answers.encode())
        with open(terminal, encoding="utf-8") as stdin:
            done = invoke(arguments, environ, home / "work", stdin)
        os.close(own)
    return f"{done.stdout}{done.stderr}"


def test_setup_says_what_a_model_is_sent_and_costs_and_defaults_to_no(home: Path) -> None:
    said = run(home, "setup", "claude", answers="y\n\n")
    assert "your messages and the ends of the agent's answers" in said
    assert "1,400 to 4,700 tokens" in said
    assert "[y/N]" in said
    assert not settings(home).exists()


def test_a_yes_is_written_into_the_users_own_settings(home: Path) -> None:
    settings(home).parent.mkdir(parents=True)
    settings(home).write_text(OWN)
    run(home, "setup", "claude", answers="y\ny\n")
    after = settings(home).read_text()
    assert tomllib.loads(after)["models"] == {
        "sessions": "command",
        "command": "claude",
        "name": "m",
        "endpoint": "http://127.0.0.1:9/v1",
    }
    assert after.startswith('# mine\n[memory]\nlearn = "propose" # mine\n')
    assert "Switch that on?" not in run(home, "setup", "claude", answers=""), "asked once"


@pytest.mark.parametrize("arguments", [("--yes",), ("--undo", "--yes")])
def test_without_a_question_nothing_is_switched_on(home: Path, arguments: tuple[str, ...]) -> None:
    said = run(home, "setup", "claude", *arguments, answers="y\n")
    assert "Switch that on?" not in said
    assert not settings(home).exists()


def test_setup_offers_no_model_without_the_agent_or_its_program(home: Path) -> None:
    assert "Switch that on?" not in run(home, "setup", "claude", answers="n\n")
    assert "Switch that on?" not in run(home, "setup", "gemini", answers="y\n")
    assert not settings(home).exists()


def test_without_a_terminal_it_says_how(home: Path) -> None:
    run(home, "setup", "claude", "--yes")
    said = run(home, "setup", "claude")
    assert 'sessions = "command", command = "claude"' in said
    assert not settings(home).exists()


@pytest.mark.parametrize(
    ("given", "found", "state"),
    [
        ('sessions = "command"\ncommand = "claude"', "sessions are read by the command, 0 today", "ok"),
        ('sessions = "command"\ncommand = "no-such-program"', "is not on the PATH", "failed"),
        ('sessions = "command"', "models.sessions is command", "warning"),
        ('sessions = "client"', "which LSP does not have", "warning"),
    ],
)
def test_doctor_and_status_say_which_way(home: Path, given: str, found: str, state: str) -> None:
    settings(home).parent.mkdir(parents=True)
    settings(home).write_text(f"[models]\n{given}\n")
    checks: list[Json] = json.loads(run(home, "doctor", "--json"))["checks"]
    (check,) = [each for each in checks if each["name"] == "model"]
    assert found in check["found"]
    assert check["state"] == state
    assert ("sessions   read by" in run(home, "status")) == (check["found"] != "models.sessions is command")
