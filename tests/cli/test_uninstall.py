"""`memory-sidecar uninstall`: what setup wrote goes from every agent, and with `--purge` whatever is kept."""

from __future__ import annotations

import os
import pty
import re
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from sidecar.cli import agents
from sidecar.cli.agents import is_cached, own_command
from tests.cli.conftest import Remember, Run
from tests.cli.in_process import invoke
from tests.client.stdio_client import StdioClient

CLAUDE = '{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "mine"}]}]}}'


def content(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def at_a_terminal(
    environ: dict[str, str], cwd: Path, answers: str, *arguments: str
) -> subprocess.CompletedProcess[str]:
    own, terminal = pty.openpty()
    os.write(own, answers.encode())
    with open(terminal, encoding="utf-8") as person:
        done = invoke(arguments, environ, cwd, person)
    os.close(own)
    return done


@pytest.fixture
def home(environ: dict[str, str]) -> Path:
    """Return a home with Claude Code, Gemini CLI and opencode, which have configuration of their own."""
    home = Path(environ["HOME"])
    environ["PATH"] = "/usr/bin:/bin"
    for place, text in ((".claude/settings.json", CLAUDE), (".gemini/settings.json", '{"a": 1}\n')):
        (home / place).parent.mkdir()
        (home / place).write_text(text)
    (home / "config" / "opencode").mkdir(parents=True)
    return home


def test_all_that_were_found_are_set_up_after_one_question(home: Path, environ: dict[str, str], folder: Path) -> None:
    before = content(home)
    assert "setup --yes" in invoke(("setup",), environ, folder).stdout
    assert "Nothing was changed." in at_a_terminal(environ, folder, "n\n", "setup").stdout
    assert "Set up" not in at_a_terminal(environ, folder, "y\n", "setup", "--all").stdout
    assert content(home) == before
    done = at_a_terminal(environ, folder, "y\n", "setup")
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("[y/N]") == 1
    assert "Set up Claude Code, Gemini CLI, opencode?" in done.stdout
    states = invoke(("setup",), environ, folder).stdout.splitlines()
    assert [line.split("  ")[0] for line in states if "  set up" in line] == ["Claude Code", "Gemini CLI", "opencode"]


def test_only_the_beginning_of_a_long_file_is_printed(home: Path, environ: dict[str, str], folder: Path) -> None:
    shown = invoke(("setup", "opencode", "--yes"), environ, folder).stdout
    assert "memory-sidecar.ts" in shown
    assert re.search(r"\(and \d+ more lines\)", shown)
    assert len(shown.splitlines()) < 80


def test_everything_is_taken_back_after_a_look(home: Path, environ: dict[str, str], folder: Path, run: Run) -> None:
    before = content(home)
    assert invoke(("setup", "--yes"), environ, folder).returncode == 0
    assert invoke(("setup", "gemini", "--yes", "--instructions"), environ, folder).returncode == 0
    after = content(home)
    shown = invoke(("uninstall",), environ, folder).stdout
    assert "Nothing was changed. Add --yes" in shown
    assert "GEMINI.md" in shown
    assert at_a_terminal(environ, folder, "n\n", "uninstall").returncode == 0
    assert content(home) == after
    done = at_a_terminal(environ, folder, "y\n", "uninstall")
    assert done.returncode == 0, done.stderr
    assert content(home) == before
    assert "nothing to undo" in invoke(("uninstall",), environ, folder).stdout


def test_folders_that_setup_made_go_too(home: Path, environ: dict[str, str], folder: Path) -> None:
    before = sorted(home.rglob("*"))
    assert invoke(("setup", "--yes"), environ, folder).returncode == 0
    assert (home / "config" / "opencode" / "plugins").is_dir()
    assert invoke(("uninstall", "--yes"), environ, folder).returncode == 0
    assert sorted(home.rglob("*")) == before
    assert invoke(("setup", "--yes"), environ, folder).returncode == 0
    (home / "config" / "opencode" / "plugins" / "mine.ts").write_text("mine")
    assert invoke(("uninstall", "--yes"), environ, folder).returncode == 0
    assert (home / "config" / "opencode" / "plugins" / "mine.ts").exists()


def test_sockets_go_and_running_servers_are_named(
    home: Path, environ: dict[str, str], folder: Path, runtime: str, spawn: Callable[..., StdioClient]
) -> None:
    client = spawn(env=environ, ignore=("memory/didChange", "window/logMessage"))
    client.initialize(folder)
    client.call("memory/list", {})
    sockets = Path(runtime, "memory-sidecar")
    (pid,) = {path.name.partition("-")[2].partition(".")[0] for path in sockets.iterdir()}
    shown = invoke(("uninstall",), environ, folder)
    assert f"process {pid}" in shown.stderr
    assert f"Runtime: remove {sockets}" in shown.stdout
    done = invoke(("uninstall", "--yes"), environ, folder)
    assert "MEMORY.md stays" in done.stdout
    assert not sockets.exists()
    client.close()


def test_a_file_that_cannot_be_read_is_left_and_the_others_go_on(
    home: Path, environ: dict[str, str], folder: Path
) -> None:
    invoke(("setup", "--yes"), environ, folder)
    (home / ".gemini" / "settings.json").write_text("{ broken")
    done = invoke(("uninstall", "--yes"), environ, folder)
    assert "Gemini CLI was not changed" in done.stderr
    assert (home / ".claude" / "settings.json").read_text() == CLAUDE


@pytest.mark.parametrize("chosen", [False, True])
def test_a_purge_leaves_only_what_is_the_users(
    home: Path, environ: dict[str, str], folder: Path, tmp_path: Path, remember: Remember, chosen: bool
) -> None:
    excluded = folder / ".git" / "info" / "exclude"
    before = excluded.read_bytes()
    if chosen:
        environ["MEMORY_SIDECAR_STORE_FOLDER"] = str(tmp_path / "shared")
        (tmp_path / "shared").mkdir()
        (tmp_path / "shared" / "mine.txt").write_text("mine")
    remember("The parser keeps comments.", "--name", "Parser")
    invoke(("inject", "parser"), environ, folder)
    assert excluded.read_bytes() != before
    assert (folder / ".git" / "memory-sidecar" / "key").exists()
    kept = content(tmp_path)
    invoke(("uninstall", "--purge"), environ, folder)
    assert content(tmp_path) == kept
    done = invoke(("uninstall", "--purge", "--yes"), environ, folder)
    assert done.returncode == 0, done.stderr
    assert excluded.read_bytes() == before + b"/.agents/MEMORY.md\n"
    assert not (folder / ".git" / "memory-sidecar").exists()
    assert (folder / ".agents" / "MEMORY.md").exists()
    left = [name for name in content(tmp_path) if not name.startswith("work/")]
    assert not (home / "state" / "memory-sidecar").exists()
    mine = ["shared/mine.txt"] if chosen else []
    assert sorted(left) == sorted([*mine, "home/.claude/settings.json", "home/.gemini/settings.json"])


@pytest.mark.parametrize("cache", [".cache/uv/archive-v0/x1/bin", ".local/pipx/.cache/f00/bin"])
def test_a_program_in_a_cache_gives_way_to_an_installed_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, cache: str
) -> None:
    places = [tmp_path / cache, tmp_path / ".local" / "bin"]
    for place in places:
        place.mkdir(parents=True)
        (place / agents.PROGRAM_NAME).write_text("#!/bin/sh\n")
        (place / agents.PROGRAM_NAME).chmod(0o755)
    cached, installed = (place / agents.PROGRAM_NAME for place in places)
    monkeypatch.setenv("HOME", str(tmp_path))
    environ = {"PATH": os.pathsep.join(map(str, (cached.parent, installed.parent, "/usr/bin")))}
    assert own_command(environ, str(cached)) == [str(installed)]
    installed.unlink()
    assert own_command(environ, str(cached)) == [str(cached)]
    assert is_cached(cached, environ)
    assert is_cached(tmp_path / "uv" / "x", {"UV_CACHE_DIR": str(tmp_path / "uv")})
    assert not is_cached(installed, environ)


def test_a_program_in_a_cache_is_warned_of(
    home: Path, environ: dict[str, str], folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sidecar.cli.setup.own_command", lambda _: ["/root/.cache/uv/archive-v0/x/bin/memory-sidecar"])
    assert "uv tool install" in invoke(("setup", "gemini", "--yes"), environ, folder).stderr
    monkeypatch.setattr("sidecar.cli.setup.own_command", lambda _: ["/usr/bin/memory-sidecar"])
    assert "uv tool install" not in invoke(("setup", "gemini", "--yes"), environ, folder).stderr
