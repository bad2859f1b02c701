"""The recording of a newcomer's first minutes: every command ends as it should, on a terminal of any width."""

from __future__ import annotations

import json
import sys
from pathlib import Path

from tests.end_to_end.first_minutes import COMMANDS, record

SHORT = [command for command in COMMANDS if command[0].split()[0] not in ("tour", "doctor", "setup", "uninstall")]


def test_every_command_of_the_first_minutes_ends_as_it_should(tmp_path: Path) -> None:
    played = record(tmp_path, [sys.executable, "-m", "sidecar"], 80, SHORT)
    codes = {command.command.split()[0]: command.code for command in played if command.code}
    assert codes == {"record": 1, "serach": 2}, "only the misspelt file and the misspelt command are refused"
    shown = {command.command: "\n".join(command.lines) for command in played}
    assert "Did you mean search" in shown["serach stock"]
    assert all("Traceback" not in text for text in shown.values())
    assert "make check" in shown["inject how do I run the tests"]
    assert "project/decision" in shown["list"], "no word is broken to fit"


def test_the_recording_has_the_width_of_its_terminal(tmp_path: Path) -> None:
    written = [command for command in SHORT if command[0].startswith(("record 'Amounts", "list"))]
    played = record(tmp_path, [sys.executable, "-m", "sidecar"], 120, written)
    assert "project/decision" in "\n".join(played[1].lines)
    lines = (tmp_path / "first_minutes.cast").read_text(encoding="utf-8").splitlines()
    assert json.loads(lines[0])["width"] == 120
    times = [json.loads(line)[0] for line in lines[1:]]
    assert times == sorted(times)
