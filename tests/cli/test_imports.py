"""Import time is start-up time: what a command must not import, checked in a process for each command."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.conftest import Remember

pytestmark = pytest.mark.long

_REPORT = (
    "import sys\nfrom sidecar.cli.main import run\ncode = run(sys.argv[1:])\n"
    "sys.stdout.flush()\nprint('\\n'.join(sorted(sys.modules)), file=sys.stderr)\nsys.exit(code)\n"
)
_NEVER = ("pygls", "lsprotocol", "sidecar.lsp", "mcp", "cattrs")
_ONLY_TO_DRAW = ("rich", "pygments")
_HEAVY = (
    "asyncio",
    "tree_sitter",
    "redact_secret",
    "watchfiles",
    "markdown_it",
    "yaml",
    "importlib.metadata",
    "urllib.request",
    "ssl",
    "email",
)


def _modules(arguments: list[str], environ: dict[str, str], folder: Path) -> set[str]:
    done = subprocess.run(
        [sys.executable, "-c", _REPORT, *arguments],
        capture_output=True,
        encoding="utf-8",
        cwd=folder,
        env=environ,
        timeout=300,
        check=False,  # there may be nothing to undo; only the imports count
    )
    modules = set(done.stderr.splitlines())
    assert "sidecar.cli.main" in modules, done.stderr
    return modules


def _imported(modules: set[str], names: tuple[str, ...]) -> set[str]:
    return {module for module in modules if any(module == name or module.startswith(f"{name}.") for name in names)}


@pytest.mark.parametrize(
    "arguments",
    [
        ["--help"],
        ["record", "Something about a parser."],
        ["search", "parser"],
        ["list"],
        ["show", "known"],
        ["inject", "parser"],
        ["explain", "known"],
        ["review"],
        ["why", "known"],
        ["summary", "src/counting.py"],
        ["map"],
        ["files", "counting"],
        ["warm"],
        ["edit", "known", "--pinned"],
        ["archive", "known"],
        ["restore", "known"],
        ["delete", "known"],
        ["resolve", "known"],
        ["reopen", "known"],
        ["promote", "known"],
        ["history", "known"],
        ["undo", "known"],
        ["redo", "known"],
        ["maintain"],
        ["export"],
        ["import", "src"],
        ["bootstrap"],
        ["boot"],
        ["entity", "known"],
        ["sessions"],
        ["remind", "+2h", "call"],
        ["reminders"],
        ["status"],
        ["file"],
        ["trust"],
        ["metrics"],
        ["setup"],
        ["uninstall"],
        ["doctor"],
        ["settings"],
        ["completion", "bash"],
        ["tour", "--help"],
    ],
    ids=lambda arguments: str(arguments[0]),
)
def test_no_command_imports_the_server(
    arguments: list[str], environ: dict[str, str], folder: Path, remember: Remember
) -> None:
    remember("Known.", "--name", "known")
    modules = _modules(arguments, environ, folder)
    assert _imported(modules, _NEVER) == set()
    assert _imported(modules, _ONLY_TO_DRAW) == set()


@pytest.mark.parametrize("arguments", [["search", "parser"], ["list"], ["show", "known"]])
def test_looking_something_up_imports_little(
    arguments: list[str], environ: dict[str, str], folder: Path, remember: Remember
) -> None:
    remember("A parser.", "--name", "known")
    assert _imported(_modules(arguments, environ, folder), _HEAVY) == set()


def test_settings_and_help_do_not_need_the_engine(environ: dict[str, str], folder: Path) -> None:
    for arguments in (["settings"], ["search", "--help"], ["completion", "bash"]):
        modules = _modules(arguments, environ, folder)
        assert _imported(modules, ("sidecar.engine.engine", "sidecar.store", "diskcache", "sqlite3")) == set()
