"""The recording of a newcomer's first minutes: every command ends as it should, on a terminal of any width."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from tests.end_to_end.first_minutes import COMMANDS, record

SHORT = [each for each in COMMANDS if each[0].split()[0] not in ("tour", "doctor", "setup", "uninstall")]


@pytest.mark.parametrize("columns", [80, 120])
def test_the_first_minutes(tmp_path: Path, columns: int) -> None:
    played = record(tmp_path, [sys.executable, "-m", "sidecar"], columns, SHORT)
    codes = {one.command.split()[0]: one.code for one in played if one.code}
    assert codes == {"record": 1, "serach": 2}, "only the misspelt file and the misspelt command are refused"
    shown = {one.command: "\n".join(one.lines) for one in played}
    assert "Did you mean search" in shown["serach stock"]
    assert all("Traceback" not in text for text in shown.values())
    assert "make check" in shown["inject how do I run the tests"]
    assert "project/decision" in shown["list"], "no word is broken to fit"
    lines = (tmp_path / "first_minutes.cast").read_text(encoding="utf-8").splitlines()
    assert json.loads(lines[0])["width"] == columns
    times = [json.loads(line)[0] for line in lines[1:]]
    assert times == sorted(times)
