"""Several folders on one connection: each has the settings of its own file and of the user's section for it."""

from __future__ import annotations

import subprocess
from pathlib import Path

from tests.conftest import Spawn


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


def test_switched_off_from_the_beginning_leaves_nothing_anywhere(spawn: Spawn, tmp_path: Path) -> None:
    folder = tmp_path / "work"
    folder.mkdir()
    subprocess.run(["git", "init", "-q", str(folder)], check=True)
    (folder / "a.py").write_text("x = 1\n")
    client = spawn(cwd=folder, ignore=["window/logMessage"])
    client.initialize(folder, options={"memory": {"enabled": False}})
    assert client.error("memory/record", {"content": "Ports start at 9000"})["code"] == -32015
    assert client.call("memory/inject", {"prompt": "ports"})["text"] == ""
    assert client.call("context/boot")["text"] == ""
    assert client.call("file/summary", {"path": "a.py"})["lines"] == 1
    (row,) = client.call("sidecar/status")["workspaces"]
    assert row["stores"] == []
    client.close()
    assert not (folder / ".git" / "memory-sidecar").exists()
    assert not (folder / ".agents").exists()
    assert not list((tmp_path / "home" / "data").rglob("*.db"))
    assert not list((tmp_path / "home" / "data" / "memory-sidecar").glob("*"))


def test_status_tells_what_is_wrong_in_a_workspace_s_own_file(spawn: Spawn, tmp_path: Path) -> None:
    folder = tmp_path / "work"
    (folder / ".agents").mkdir(parents=True)
    own = folder / ".agents" / "memory-sidecar.toml"
    own.write_text("[memory]\ninjectBudgetTokens = -7\n")
    client = spawn(cwd=folder, ignore=["window/logMessage", "window/showMessage"])
    client.initialize(folder, options={"files": {"warmUp": False}, "watch": {"mode": "off"}})
    (problem,) = client.call("sidecar/status")["settingsProblems"]
    assert "memory.injectBudgetTokens" in problem
    assert str(own) in problem
    own.write_text("[memory]\ninjectBudgetTokens = 700\n")
    client.notify("workspace/didChangeConfiguration", {"settings": {"memorySidecar": {"log": {"level": "info"}}}})
    assert client.call("sidecar/status")["settingsProblems"] == []
    client.close()
