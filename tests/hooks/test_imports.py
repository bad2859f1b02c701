"""What a hook that only writes into the journal does not pay for."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
LSP = {"pygls", "lsprotocol", "cattrs", "rich", "watchfiles", "yaml", "asyncio"}


@pytest.mark.parametrize(
    ("module", "without"),
    [
        ("sidecar.hooks.front", LSP | {"diskcache", "sqlite3", "tree_sitter", "redact_secret"}),
        ("sidecar.mcp.server", LSP | {"diskcache", "sqlite3", "tree_sitter", "redact_secret", "pydantic"}),
    ],
)
def test_what_the_fronts_load(module: str, without: set[str]) -> None:
    code = f"import sys, {module}; print(*sorted({{name.split('.')[0] for name in sys.modules}}))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT, check=True)
    assert not set(done.stdout.split()) & without


def test_hooks_come_without_the_engine() -> None:
    code = "import sys, sidecar.hooks.front; print('sidecar.engine' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT, check=True)
    assert done.stdout == "False\n"
