"""Commands run in another folder than the one that `--workspace` names."""

from __future__ import annotations

import json
from pathlib import Path

from tests.cli.conftest import Run


def test_paths_start_in_the_workspace_that_is_named(run: Run, folder: Path, tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    options = ["--workspace", str(folder), "--json"]
    source = next((folder / "src").iterdir()).relative_to(folder).as_posix()

    briefing = json.loads(run("summary", source, *options, cwd=elsewhere).stdout)
    assert briefing["path"] == source
    recorded = json.loads(run("record", "It counts.", "--files", source, *options, cwd=elsewhere).stdout)
    assert recorded["memory"]["files"] == [source]
    found = json.loads(run("list", "--files", source, *options, cwd=elsewhere).stdout)
    assert [item["id"] for item in found["items"]] == [recorded["memory"]["id"]]
    within = json.loads(run("summary", Path(source).name, *options, cwd=folder / "src").stdout)
    assert within["path"] == source

    (folder / "NOTES.md").write_text("# Ports\n\nThe gateway listens on 8080.\n")
    imported = json.loads(run("import", "NOTES.md", *options, cwd=elsewhere).stdout)
    assert imported["counts"]["created"] == 1
    piped = json.loads(run("import", "-", *options, stdin="# Hosts\n\nOne host.\n", cwd=elsewhere).stdout)
    assert (piped["format"], piped["counts"]["created"]) == ("markdown", 1)
