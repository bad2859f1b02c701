"""The log file: private, bounded, shared by processes, and never in the way."""

from __future__ import annotations

import json
import logging
import os
import stat
import subprocess
import sys
from collections.abc import Iterator
from datetime import datetime, timedelta
from pathlib import Path

import pytest

from sidecar.runtime import log
from sidecar.settings import Settings, load


@pytest.fixture(autouse=True)
def _closed() -> Iterator[None]:
    yield
    log.close()


def _settings(path: Path, level: str = "info") -> Settings:
    return load(None, {"XDG_CONFIG_HOME": "/nowhere"}, {"log.file": str(path), "log.level": level}).settings


def test_a_line_says_when_how_serious_who_and_what(tmp_path: Path) -> None:
    path = tmp_path / "new" / "folder" / "a.log"
    assert log.configure(_settings(path)) is None
    logging.getLogger("sidecar.store").warning("set %s aside", "x")
    logging.getLogger("sidecar.store").debug("not kept")
    (line,) = path.read_text(encoding="utf-8").splitlines()
    assert line.endswith(f" W {os.getpid()} sidecar.store: set x aside")
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700


def test_lines_can_be_json(tmp_path: Path) -> None:
    path = tmp_path / "a.log"
    given = {"log.file": str(path), "log.format": "json"}
    assert log.configure(load(None, {"XDG_CONFIG_HOME": "/nowhere"}, given).settings) is None
    logging.getLogger("sidecar.store").warning("set %s\naside", "x")
    try:
        raise ValueError("zanzibar\nquux")
    except ValueError:
        logging.getLogger("sidecar.store").exception("failed")
    first, second = map(json.loads, path.read_text(encoding="utf-8").splitlines())
    assert (first["level"], first["pid"], first["logger"]) == ("warning", os.getpid(), "sidecar.store")
    assert first["message"] == "set x\naside"
    assert datetime.fromisoformat(first["time"]).utcoffset() == timedelta(0)
    assert "zanzibar" in second["traceback"]


def test_the_level_is_the_setting(tmp_path: Path) -> None:
    log.configure(_settings(tmp_path / "a.log", "debug"))
    logging.getLogger("sidecar").debug("kept")
    log.configure(_settings(tmp_path / "a.log", "error"))
    logging.getLogger("sidecar").warning("not kept")
    assert [line.rpartition(": ")[2] for line in (tmp_path / "a.log").read_text().splitlines()] == ["kept"]


def test_a_message_is_one_line_and_bounded(tmp_path: Path) -> None:
    log.configure(_settings(tmp_path / "a.log"))
    logging.getLogger("sidecar").info("one\ntwo\x1b[31m \ud800 é")
    logging.getLogger("sidecar").info("x" * 10_000)
    first, second = (tmp_path / "a.log").read_text(encoding="utf-8").splitlines()
    assert r"one\ntwo\x1b[31m \ud800 é" in first
    assert len(second) < log.MAX_LOG_LINE_CHARS + 100


def test_a_traceback_follows_indented(tmp_path: Path) -> None:
    log.configure(_settings(tmp_path / "a.log"))
    try:
        raise ValueError("seen")
    except ValueError:
        logging.getLogger("sidecar").exception("failed")
    lines = (tmp_path / "a.log").read_text(encoding="utf-8").splitlines()
    assert all(line.startswith("    ") for line in lines[1:])
    assert "ValueError: seen" in lines[-1]


def test_a_full_file_is_moved_aside(tmp_path: Path) -> None:
    handler = log.SharedFileHandler(tmp_path / "a.log", max_bytes=100, backups=2)
    for number in range(50):
        handler.emit(logging.LogRecord("sidecar", logging.INFO, "", 0, f"{number:050}", (), None))
    handler.close()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.log", "a.log.1", "a.log.2"]
    assert all(path.stat().st_size <= 151 for path in tmp_path.iterdir())
    assert f"{49:050}" in (tmp_path / "a.log").read_text()


def test_processes_that_share_the_file_lose_no_line_and_tear_none(tmp_path: Path) -> None:
    script = (
        "import logging, sys; from pathlib import Path; from sidecar.runtime import log\n"
        "h = log.SharedFileHandler(Path(sys.argv[1]), max_bytes=400, backups=200)\n"
        "for n in range(200): h.emit(logging.LogRecord('s', 20, '', 0, f'{sys.argv[2]}-{n:040}', (), None))\n"
    )
    path = str(tmp_path / "a.log")
    writers = [subprocess.Popen([sys.executable, "-c", script, path, str(number)]) for number in range(3)]
    assert [writer.wait(200) for writer in writers] == [0, 0, 0]
    lines = [line for file in tmp_path.iterdir() for line in file.read_text().splitlines()]
    assert sorted(lines) == sorted(f"{writer}-{n:040}" for writer in range(3) for n in range(200))


def test_a_file_that_cannot_be_used_is_a_sentence_and_nothing_more(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "file").write_text("")
    problem = log.configure(_settings(tmp_path / "file" / "a.log"))
    assert problem is not None
    assert str(tmp_path / "file" / "a.log") in problem
    os.mkfifo(tmp_path / "pipe")
    assert log.configure(_settings(tmp_path / "pipe")) is not None
    logging.getLogger("sidecar").error("lost")
    assert capsys.readouterr() == ("", "")


def test_a_write_that_fails_later_disturbs_nobody(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    log.configure(_settings(tmp_path / "sub" / "a.log"))
    (tmp_path / "sub" / "a.log").unlink()
    (tmp_path / "sub").rmdir()
    (tmp_path / "sub").write_text("")
    logging.getLogger("sidecar").error("lost")
    assert capsys.readouterr() == ("", "")


def test_stderr_only_when_asked_and_stdout_never(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    log.configure(_settings(tmp_path / "a.log"))
    logging.getLogger("sidecar").error("quiet")
    assert capsys.readouterr() == ("", "")
    log.configure(_settings(tmp_path / "a.log"), stderr=True)
    logging.getLogger("sidecar").error("loud")
    out, err = capsys.readouterr()
    assert out == ""
    assert "loud" in err


def test_where_the_log_is(tmp_path: Path) -> None:
    assert log.log_path(_settings(tmp_path / "a.log")) == tmp_path / "a.log"
    beside = load(None, {}, {"store.folder": "/kept"}).settings
    assert log.log_path(beside) == Path("/kept/logs/sidecar.log")
    assert log.log_path(Settings()).name == "sidecar.log"
