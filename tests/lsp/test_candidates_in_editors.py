"""Candidates in editors without a plugin, and what other processes propose."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

from tests.client.json_value import Json
from tests.client.stdio_client import StdioClient

FOLLOWS = {"experimental": {"memorySidecar": {"didChange": True}}}
OPTIONS = {"files": {"warmUp": False}, "watch": {"mode": "off"}, "memory": {"learnBufferSeconds": 0}}
SUMMARY = "## Memory Candidates\n- **{name}** (project, project): {text}\n"


def proposed(client: StdioClient, session: str, name: str, text: str) -> None:
    """A compaction proposes a memory, and the session ends."""
    client.notify("event/compaction", {"sessionId": session, "summary": SUMMARY.format(name=name, text=text)})
    client.call("session/end", {"sessionId": session})


def test_commands_list_confirm_and_reject_them(spawn: Callable[..., StdioClient], tmp_path: Path) -> None:
    client = spawn()
    client.initialize(tmp_path, options=OPTIONS)

    def run(command: str, *arguments: object) -> Json:
        params = {"command": f"memorySidecar.{command}", "arguments": list(arguments)}
        return client.call("workspace/executeCommand", params)

    def said(words: str) -> None:
        client.wait(lambda m: str(m.get("params", {}).get("message")).startswith(words))

    proposed(client, "one", "Deploys", "Deploys to staging go through the release train on Thursday.")
    proposed(client, "two", "Logs", "The logs of the importer are kept for nine weeks.")
    waiting = {str(item["name"]): item["id"] for item in run("candidates")["items"]}
    said("Logs · project\nDeploys · project")
    assert run("confirm", {"id": waiting["Deploys"], "scope": "personal"})["memory"]["source"] == "user"
    said("Remembered “Deploys”.")
    assert run("reject", waiting["Logs"])["status"] == "rejected"
    said("Rejected “Logs”.")
    assert run("candidates")["items"] == []
    said("No candidate was found.")


def test_how_many_wait_is_told_whoever_proposed_it(spawn: Callable[..., StdioClient], tmp_path: Path) -> None:
    client, other = spawn(), spawn([sys.executable, "-m", "sidecar", "serve"])
    client.initialize(tmp_path, options=OPTIONS, capabilities=FOLLOWS)
    other.initialize(tmp_path, options=OPTIONS)
    assert client.call("memory/candidates", {})["waiting"] == 0
    told = {"workspaceUri": tmp_path.as_uri(), "changes": [], "candidates": 1}
    proposed(other, "one", "Deploys", "Deploys to staging go through the release train on Thursday.")
    assert client.wait(lambda m: m.get("method") == "memory/didChange")["params"] == told
    client.reader.messages.clear()
    (found,) = client.call("memory/candidates", {})["items"]
    client.call("memory/reject", {"id": found["id"]})
    assert client.wait(lambda m: m.get("method") == "memory/didChange")["params"] == {**told, "candidates": 0}
