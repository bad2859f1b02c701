"""Several folders on one connection: each has the settings of its own file and of the user's section for it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

Spawn = Callable[..., Any]


def test_an_override_for_one_folder_does_not_reach_another(spawn: Spawn, tmp_path: Path) -> None:
    first, second, elsewhere = (tmp_path / name for name in ("first", "second", "elsewhere"))
    for folder in (first, second, elsewhere):
        folder.mkdir()
    (second / ".agents").mkdir()
    (second / ".agents" / "memory-sidecar.toml").write_text("[memory]\nenabled = false\n")
    config = tmp_path / "home" / "config" / "memory-sidecar"
    config.mkdir(parents=True)
    sections = [f'[workspaces."{folder}"]\nid = "one name"\n' for folder in (first, elsewhere)]
    (config / "settings.toml").write_text("\n".join(sections))
    client = spawn(cwd=tmp_path, ignore=["window/logMessage"])
    folders = [{"uri": f.as_uri(), "name": f.name} for f in (first, second, elsewhere)]
    client.initialize(workspaceFolders=folders)
    content = {"content": "Ports start at 9000"}
    client.call("memory/record", {**content, "workspaceUri": first.as_uri()})
    client.notification("memory/didChange")
    found = client.call("memory/search", {"query": "ports", "workspaceUri": elsewhere.as_uri()})
    assert [item["memory"]["content"] for item in found["items"]] == ["Ports start at 9000"]
    assert client.error("memory/record", {**content, "workspaceUri": second.as_uri()})["code"] == -32015
    assert client.error("memory/search", {"query": "ports"})["code"] == -32016
    client.close()
