"""Import time is start-up time: what a command must not import, checked in processes that import nothing else."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

from tests.cli.conftest import Remember

_REPORT = """
import json, sys
from sidecar.cli.main import run
found = []
for arguments in json.loads(sys.argv[1]):
    run(arguments)
    found.append(sorted(sys.modules))
sys.stdout.flush()
print(json.dumps(found), file=sys.stderr)
"""
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


_COMMANDS = [
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
]


def _modules(commands: list[list[str]], environ: dict[str, str], folder: Path) -> list[set[str]]:
    """Run commands one after the other in one new process; return what was imported by the end of each."""
    done = subprocess.run(
        [sys.executable, "-c", _REPORT, json.dumps(commands)],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        encoding="utf-8",
        cwd=folder,
        env=environ,
        timeout=300,
        check=True,  # a command may fail, as there may be nothing to undo; only the imports count
    )
    found = [set(modules) for modules in json.loads(done.stderr.splitlines()[-1])]
    assert len(found) == len(commands), done.stderr
    assert all("sidecar.cli.main" in modules for modules in found)
    return found


def _imported(modules: set[str], names: tuple[str, ...]) -> set[str]:
    return {module for module in modules if any(module == name or module.startswith(f"{name}.") for name in names)}


def test_no_command_imports_the_server(environ: dict[str, str], folder: Path) -> None:
    """They run in turn in one process, so a module that must not be there is the first named command's."""
    known = ["record", "Known.", "--name", "known"]  # each finds it, whatever the one before it did to it
    found = _modules([step for arguments in _COMMANDS for step in (known, arguments)], environ, folder)[1::2]
    unwanted = {
        " ".join(arguments): imported
        for arguments, modules in zip(_COMMANDS, found, strict=True)
        if (imported := _imported(modules, (*_NEVER, *_ONLY_TO_DRAW)))
    }
    assert unwanted == {}


def test_looking_something_up_imports_little(environ: dict[str, str], folder: Path, remember: Remember) -> None:
    remember("A parser.", "--name", "known")
    for modules in _modules([["search", "parser"], ["list"], ["show", "known"]], environ, folder):
        assert _imported(modules, _HEAVY) == set()


def test_settings_and_help_do_not_need_the_engine(environ: dict[str, str], folder: Path) -> None:
    for modules in _modules([["settings"], ["search", "--help"], ["completion", "bash"]], environ, folder):
        assert _imported(modules, ("sidecar.engine.engine", "sidecar.store", "diskcache", "sqlite3")) == set()
