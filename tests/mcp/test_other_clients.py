"""The MCP front with clients that others wrote: the official SDK's, and the inspector's command line."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.client.installed import npm, venv
from tests.client.json_value import Json, document

ROOT = Path(__file__).resolve().parents[2]
SECONDS = 120


@pytest.fixture
def command(tmp_path: Path) -> Path:
    """Write a program that starts the sidecar with a home of its own: clients pass on little of their environment."""
    home = tmp_path / "home"
    home.mkdir()
    program = tmp_path / "memory-sidecar"
    where = f"HOME={home} XDG_DATA_HOME={home}/data XDG_STATE_HOME={home}/state PYTHONPATH={ROOT}"
    program.write_text(f'#!/bin/sh\nexec env {where} {sys.executable} -P -m sidecar "$@"\n')
    program.chmod(0o755)
    return program


@pytest.mark.timeout(400)
def test_the_official_client_lists_and_calls_tools(command: Path, folder: Path) -> None:
    python = venv("mcp-2.3.0", "mcp==2.3.0")
    script = Path(__file__).parent / "sdk_session.py"
    done = subprocess.run(
        [str(python), str(script), str(command), str(folder)], capture_output=True, text=True, timeout=SECONDS
    )
    assert done.returncode == 0, done.stderr[-3000:]
    found = json.loads(done.stdout)
    assert found["version"] in ("2025-11-25", "2026-07-28")
    assert {"recall", "remember", "context", "file_summary", "forget"} <= set(found["tools"])
    assert found["stored"]["status"] == "created"
    assert "official client" in found["recalled"]
    assert found["wrong"][0] is True
    assert "limit" in found["wrong"][1]
    assert found["map"] is False
    assert found["resources"][1] == f"memory://{found['stored']['id']}"
    assert "official client" in found["read"]
    assert found["templates"] == 2
    assert found["prompts"] == ["recall", "note-down"]
    assert "official client" in found["prompt"]


@pytest.mark.timeout(400)
def test_the_inspector_lists_and_calls_our_tools(command: Path, folder: Path) -> None:
    inspector = npm("@modelcontextprotocol/inspector", "0.15.0", "mcp-inspector")

    def ask(*arguments: str) -> Json:
        done = subprocess.run(
            [str(inspector), "--cli", str(command), "mcp", *arguments],
            cwd=folder,
            env={**os.environ, "CI": "1"},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=SECONDS,
            check=False,
        )
        assert done.returncode == 0, f"{done.stdout[-2000:]}{done.stderr[-2000:]}"
        return document(done.stdout)

    tools = ask("--method", "tools/list")["tools"]
    assert {"recall", "remember"} <= {tool["name"] for tool in tools}
    content = "content=The inspector was here."
    stored = ask("--method", "tools/call", "--tool-name", "remember", "--tool-arg", content)
    assert stored["structuredContent"]["status"] == "created"
    uri = f"memory://{stored['structuredContent']['id']}"
    read = ask("--method", "resources/read", "--uri", uri)
    assert "The inspector was here." in read["contents"][0]["text"]
