"""What hooks and the MCP server do not import: by themselves, and for the answer of a hook."""

from __future__ import annotations

import importlib.util
import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
LSP = {"pygls", "lsprotocol", "cattrs", "rich", "watchfiles", "yaml", "asyncio"}


@pytest.mark.parametrize(
    ("module", "without"),
    [
        (
            "sidecar.hooks.front",
            LSP | {"diskcache", "sqlite3", "tree_sitter", "redact_secret", "sidecar.engine.engine"},
        ),
        ("sidecar.mcp.server", LSP | {"diskcache", "sqlite3", "tree_sitter", "redact_secret", "pydantic"}),
    ],
)
def test_fronts_load_only_what_they_need(module: str, without: set[str]) -> None:
    code = f"import sys, {module}; print(*sys.modules, *{{name.split('.')[0] for name in sys.modules}})"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT, check=True)
    assert not set(done.stdout.split()) & without


NOT_FOR_HOOKS = (
    "click",
    "rich",
    "pygls",
    "lsprotocol",
    "cattrs",
    "tree_sitter",
    "watchfiles",
    "yaml",
    "asyncio",
    "subprocess",
    "html",
    "calendar",
    "sidecar.cli.main",
    "sidecar.lsp",
    "sidecar.mcp",
    "sidecar.checkout.watch",
    "sidecar.trackers.enrichment",
    "sidecar.interchange",
    "sidecar.files.index.code_index",
    "sidecar.files.facets.book",
    "sidecar.files.graph",
    "sidecar.files.outline.assemble",
    "sidecar.files.retrieval",
    "sidecar.files.workers.warm",
    "sidecar.learning",
    "sidecar.summaries.question_queue",
)


@pytest.mark.parametrize(
    "event",
    [
        {"hook_event_name": "SessionStart", "source": "startup"},
        {"hook_event_name": "UserPromptSubmit", "prompt": "What has the parser to do?"},
    ],
    ids=lambda event: str(event["hook_event_name"]),
)
def test_a_hook_loads_what_it_answers_with(
    event: dict[str, str], hook: Callable[..., str], folder: Path, environ: dict[str, str]
) -> None:
    assert all(map(importlib.util.find_spec, NOT_FOR_HOOKS))  # a guard of a module that moved guards nothing
    hook("SessionStart", session="s0", source="startup")  # makes the stores
    record = [sys.executable, "-P", "-m", "sidecar", "record", "The parser in `a.py` reads `x` first."]
    subprocess.run(record, cwd=folder, env=environ, check=True, capture_output=True)
    given = {**event, "session_id": "s1", "cwd": str(folder)}
    done = subprocess.run(
        [sys.executable, "-P", "-X", "importtime", "-m", "sidecar", "hook"],
        input=json.dumps(given),
        capture_output=True,
        text=True,
        cwd=folder,
        env=environ,
        check=True,
    )
    assert "The parser in" in done.stdout
    loaded = {line.rpartition("|")[2].strip() for line in done.stderr.splitlines()}
    assert "sidecar.engine.engine" in loaded
    heavy = {module for module in loaded for name in NOT_FOR_HOOKS if module == name or module.startswith(f"{name}.")}
    assert heavy == set()
