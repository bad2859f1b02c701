"""`export`, `import`, `bootstrap` as a user runs them."""

from __future__ import annotations

import contextlib
import os
import pty
import signal
import stat
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

from tests.cli.conftest import Run, RunForJson
from tests.client.json_value import Json

FIXTURES = Path(__file__).parents[1] / "interchange" / "fixtures"


def test_an_export_is_imported_again_as_it_was(run: Run, as_json: RunForJson, tmp_path: Path) -> None:
    run("record", "The staging database is restored every Sunday night.", "--name", "Staging")
    target = tmp_path / "out.jsonl"
    assert f"1 memory exported to {target}" in run("export", "-o", str(target)).stderr
    assert stat.S_IMODE(target.stat().st_mode) == 0o600
    assert run("export").stdout.encode() == target.read_bytes()
    assert "1 duplicate" in run("import", str(target)).stderr
    elsewhere = {"XDG_DATA_HOME": str(tmp_path / "other"), "XDG_STATE_HOME": str(tmp_path / "state")}
    assert "1 created" in run("import", str(target), env=elsewhere).stderr
    assert run("export", env=elsewhere).stdout.encode() == target.read_bytes()
    assert as_json("export", "-o", str(target))["memories"] == 1


def test_a_folder_of_another_tool_is_imported(run: Run, as_json: Callable[..., Json]) -> None:
    shown = run("import", str(FIXTURES / "claude"), "--dry-run")
    assert "short-answers" in shown.stdout
    assert "Would import (claude): 3 created, 1 skipped, 1 links." in shown.stderr
    assert as_json("list")["items"] == []
    done = as_json("import", str(FIXTURES / "claude"), "--scope", "personal")
    assert done["counts"]["created"] == 3
    assert {item["scope"] for item in as_json("list")["items"]} == {"personal"}


def test_import_reads_from_standard_input(run: Run, as_json: RunForJson) -> None:
    assert "1 created" in run("import", "-", "--format", "markdown", stdin="# Port\n\nIt is 8000.\n").stderr
    assert as_json("list")["items"][0]["name"] == "Port"


def test_errors_say_what_to_do(run: Run, tmp_path: Path) -> None:
    (tmp_path / "x.json").write_text("{}")
    refused = run("import", str(tmp_path / "x.json"), code=2)
    assert "its format is not known" in refused.stderr
    assert "semantic-memory" in refused.stderr
    assert "does not exist" in run("import", str(tmp_path / "none.md"), code=3).stderr
    assert "cannot be written" in run("export", "-o", str(tmp_path / "no" / "x"), code=2).stderr


def test_bootstrap_records_facts_of_the_manifest_once(run: Run, folder: Path, as_json: Callable[..., Json]) -> None:
    assert "No README" in run("bootstrap").stderr
    (folder / "go.mod").write_text("module example.org/shop\n\ngo 1.23\n")
    shown = run("bootstrap", "--dry-run")
    assert "+ Go: what the module is  [go.mod]" in shown.stdout
    assert "Would record 2 of 2 facts" in shown.stderr
    assert "Recorded 2 of 2 facts" in run("bootstrap").stderr
    assert "Recorded 0 of 2 facts" in run("bootstrap").stderr
    assert len(as_json("list")["items"]) == 2


def test_an_import_shows_how_far_it_is_and_an_interruption_stores_nothing(
    environ: dict[str, str], folder: Path, tmp_path: Path, as_json: RunForJson
) -> None:
    lines = (f"## Part {n}\n\nText of part {n}, as `part_{n}.py` has it." for n in range(6_000))
    (tmp_path / "many.md").write_text("\n\n".join(lines))
    screen, terminal = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-P", "-m", "sidecar", "import", str(tmp_path / "many.md")],
        cwd=folder,
        env={**environ, "TERM": "xterm"},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=terminal,
    )
    os.close(terminal)
    shown = b""
    try:
        while b"/12000" not in shown:
            shown += os.read(screen, 4_096)
        process.send_signal(signal.SIGINT)
        with contextlib.suppress(OSError):  # the end of the screen
            while some := os.read(screen, 4_096):
                shown += some
        assert process.wait(200) == 130
    finally:
        process.kill()
        process.wait()
        os.close(screen)
    assert b"taking in" in shown
    assert b"Interrupted." in shown
    assert as_json("list")["items"] == []


def test_a_whole_project_brings_the_rules_of_its_agents(run: Run, as_json: RunForJson, folder: Path) -> None:
    files = {
        ".cursorrules": "Never use var.",
        ".cursor/rules/ui.mdc": "---\nglobs: '*.tsx'\n---\nUse hooks.",
        ".github/copilot-instructions.md": "# Style\n\nUse pathlib.",
        ".github/PULL_REQUEST_TEMPLATE.md": "# What changes\n\nDescribe the change.",
    }
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    result = as_json("import", ".", "--dry-run")
    assert sorted(each["where"].partition(",")[0] for each in result["items"] if each["outcome"] == "created") == [
        ".cursor/rules/ui.mdc",
        ".cursorrules",
        ".github/copilot-instructions.md",
    ]
    assert run("import", ".", "--dry-run").stdout
