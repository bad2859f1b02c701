"""A cancelled MCP request asks nothing more of the engine."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from protocol.status import StatusParams
from sidecar.engine.engine import Engine
from sidecar.engine.host import EngineHost
from sidecar.engine.options import EngineOptions
from sidecar.mcp.served_folders import ServedFolders
from sidecar.mcp.tool_call import ToolCall
from sidecar.runtime.cancellation import Context
from sidecar.runtime.errors import Cancelled
from sidecar.settings import load


def test_a_cancelled_tool_call_ends_at_its_next_request(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    host = EngineHost()
    folders = ServedFolders(host, folder, lambda path: load(path, os.environ))
    host.start(lambda: Engine(load(None, os.environ).settings, EngineOptions(short_lived=True)))
    folders.use_default()
    call = Context()
    tool = ToolCall(folders, "session", None, call)
    assert tool.sidecar_status(StatusParams()).workspaces
    call.cancel()
    with pytest.raises(Cancelled):
        tool.sidecar_status(StatusParams())
    host.engine().close()
