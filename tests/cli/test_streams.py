"""Pipes, terminals, colours and interruption."""

from __future__ import annotations

import os
import pty
import select
import signal
import subprocess
import time
from pathlib import Path

import pytest

from tests.cli.conftest import Remember, Run


def _on_terminal(command: list[str], environ: dict[str, str], folder: Path) -> str:
    """Return what a process writes to a terminal of 100 columns."""
    master, slave = pty.openpty()
    with subprocess.Popen(
        command,
        stdin=slave,
        stdout=slave,
        stderr=subprocess.DEVNULL,
        cwd=folder,
        env={**environ, "TERM": "xterm-256color", "COLUMNS": "100"},
    ) as process:
        os.close(slave)
        written = b""
        deadline = time.monotonic() + 100
        while time.monotonic() < deadline:
            if select.select([master], [], [], 0.2)[0]:
                try:
                    data = os.read(master, 65_536)
                except OSError:
                    break
                if not data:
                    break
                written += data  # until the terminal hangs up: the last output comes after the process's end
        os.close(master)
        assert process.wait(90) == 0
    return written.decode("utf-8")


def test_a_pipe_gets_no_colours_and_nothing_cut(run: Run, remember: Remember) -> None:
    remember("x", "--name", "a parser name that is rather long " * 5)
    shown = run("search", "parser", env={"COLUMNS": "40", "FORCE_COLOR": ""}).stdout
    assert "\x1b" not in shown
    assert ("a parser name that is rather long " * 5).strip() in shown


def test_a_terminal_gets_a_table_with_a_bold_header(
    command: list[str], environ: dict[str, str], folder: Path, remember: Remember
) -> None:
    remember("The parser keeps comments.", "--name", "Parser")
    shown = _on_terminal([*command, "search", "parser"], environ, folder)
    header, row = shown.splitlines()[:2]
    assert header.startswith("\x1b[1mid")
    assert "Parser" in row


@pytest.mark.parametrize("arguments", [["search", "parser"], ["doctor"]])
def test_no_color_is_respected(
    command: list[str], environ: dict[str, str], folder: Path, remember: Remember, arguments: list[str]
) -> None:
    remember("The parser keeps comments.", "--name", "Parser")
    shown = _on_terminal([*command, *arguments], {**environ, "NO_COLOR": "1"}, folder)
    assert not any(f"\x1b[{code}m" in shown for code in (31, 32, 33, 34, 35, 36, 91, 92))


def test_a_memory_cannot_steer_the_terminal(
    command: list[str], environ: dict[str, str], folder: Path, remember: Remember
) -> None:
    id = remember("\x1b[2Jgone \x1b]0;title\x07 parser", "--name", "evil \x1b[31m parser")
    for arguments in (["show", id], ["search", "parser"], ["list"], ["inject", "parser"]):
        shown = _on_terminal([*command, *arguments], {**environ, "NO_COLOR": "1"}, folder)
        assert "\x1b[2J" not in shown
        assert "\x1b]0" not in shown
        assert "\x1b[31m" not in shown


@pytest.mark.parametrize("arguments", [["list"], ["list", "--json"], ["settings"], ["--help"]])
def test_a_reader_that_stops_early_is_no_error(
    command: list[str], environ: dict[str, str], folder: Path, remember: Remember, arguments: list[str]
) -> None:
    remember("x" * 15_000, "--name", "long")
    read, write = os.pipe()
    os.close(read)  # before it starts: on a busy machine it would have ended before anybody stopped reading
    with subprocess.Popen(
        [*command, *arguments], stdout=write, stderr=subprocess.PIPE, cwd=folder, env=environ
    ) as process:
        os.close(write)
        assert process.stderr is not None
        assert process.stderr.read() == b""
        assert process.wait(100) == 141


def test_an_interruption_is_short_and_ends_with_130(
    command: list[str], environ: dict[str, str], folder: Path, tmp_path: Path, remember: Remember
) -> None:
    id = remember("Text.", "--name", "n")
    started = tmp_path / "started"
    own, terminal = pty.openpty()
    script = tmp_path / "editor.sh"
    script.write_text(f"#!/bin/sh\ntouch {started}\nexec sleep 60\n", encoding="utf-8")
    script.chmod(0o755)
    with subprocess.Popen(
        [*command, "edit", id],
        stdin=terminal,
        stderr=subprocess.PIPE,
        stdout=subprocess.PIPE,
        cwd=folder,
        env={**environ, "EDITOR": str(script)},
        start_new_session=True,
    ) as process:
        deadline = time.monotonic() + 100
        while not started.exists() and time.monotonic() < deadline:
            time.sleep(0.05)
        os.killpg(process.pid, signal.SIGINT)
        _, errors = process.communicate(timeout=200)
        assert process.returncode == 130
        assert errors.decode() == "Interrupted.\n"
    os.close(terminal)
    os.close(own)


def test_json_into_a_pipe_is_one_line(run: Run, remember: Remember) -> None:
    remember("Text\nof lines.", "--name", "n")
    shown = run("list", "--json").stdout
    assert shown.count("\n") == 1
