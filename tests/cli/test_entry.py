"""The start of the process: what runs without click gives the same output."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from sidecar.cli.entry import hook_of
from sidecar.cli.main import run


def loaded(*arguments: str, stdin: str = "", environ: dict[str, str], folder: Path) -> tuple[str, set[str]]:
    done = subprocess.run(
        [sys.executable, "-P", "-X", "importtime", "-m", "sidecar", *arguments],
        input=stdin,
        capture_output=True,
        text=True,
        cwd=folder,
        env=environ,
        timeout=300,
        check=False,
    )
    return done.stdout, {line.rpartition("|")[2].strip() for line in done.stderr.splitlines()}


def test_the_version_is_told_without_click(
    environ: dict[str, str], folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    told, modules = loaded("--version", environ=environ, folder=folder)
    assert run(["--version"]) == 0
    assert told == capsys.readouterr().out
    assert not modules & {"click", "msgspec", "sidecar.cli.main"}


def test_hooks_and_servers_start_without_click(environ: dict[str, str], folder: Path) -> None:
    for arguments in (["hook"], ["hook", "--agent", "codex"], ["serve"], ["serve", "--stdio"], ["mcp"]):
        _, modules = loaded(*arguments, environ=environ, folder=folder)
        assert {"sidecar.hooks.front", "sidecar.lsp.server", "sidecar.mcp.server"} & modules
        assert not modules & {"click", "sidecar.cli.main"}


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["hook"], ("claude-code", None)),
        (["hook", "--agent", "codex"], ("codex", None)),
        (["hook", "--agent", "codex", '{"type": "x"}'], ("codex", '{"type": "x"}')),
        (["hook", '{"type": "x"}'], ("claude-code", '{"type": "x"}')),
        (["hook", "--help"], None),
        (["hook", "--agent"], None),
        (["hook", "--agent=codex"], None),
        (["hook", "--unknown", "x"], None),
        (["hook", "a", "b"], None),
        (["serve"], None),
        ([], None),
    ],
)
def test_only_plain_command_lines_are_taken(arguments: list[str], expected: tuple[str, str | None] | None) -> None:
    assert hook_of(arguments) == expected
