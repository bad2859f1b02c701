"""Who owns a memory: an agent's request records for the agent, a person's editor for the person."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.client.stdio_client import StdioClient

PERSON = {"experimental": {"memorySidecar": {"person": True}}}


@pytest.mark.parametrize(
    ("capabilities", "source"),
    [({}, "agent"), ({"experimental": {"memorySidecar": {"person": "yes"}}}, "agent"), (PERSON, "user")],
)
def test_a_request_records_for_whoever_the_client_speaks_for(
    spawn: Callable[..., StdioClient], tmp_path: Path, capabilities: dict[str, object], source: str
) -> None:
    client = spawn()
    (tmp_path / "w").mkdir()
    client.initialize(tmp_path / "w", capabilities=capabilities)
    told = client.call("memory/record", {"content": "Releases are cut on Tuesdays."})
    assert told["memory"]["source"] == source


def test_a_command_of_an_editor_is_a_persons(spawn: Callable[..., StdioClient], tmp_path: Path) -> None:
    client = spawn()
    (tmp_path / "w").mkdir()
    client.initialize(tmp_path / "w", capabilities={"textDocument": {"codeAction": {}}})
    arguments = [{"content": "Releases are cut on Tuesdays.", "quiet": True}]
    params = {"command": "memorySidecar.record", "arguments": arguments}
    assert client.call("workspace/executeCommand", params)["memory"]["source"] == "user"
    told = client.call("memory/record", {"content": "The build needs Java 21."})
    assert told["memory"]["source"] == "agent"
