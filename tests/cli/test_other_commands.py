"""The commands about files, health, settings and shells."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

import msgspec
import pytest

from protocol.files import SummaryResult
from protocol.methods import METHODS
from protocol.status import StatusResult
from sidecar import __version__
from tests.cli.conftest import Run, RunForJson
from tests.client.json_value import fields


def test_summary_prints_the_briefing_of_a_file(run: Run, as_json: RunForJson, folder: Path) -> None:
    result = msgspec.convert(as_json("summary", "src/counting.py"), SummaryResult)
    assert result.path == "src/counting.py"
    assert result.tokens < result.file_tokens
    shown = run("summary", "counting.py", cwd=folder / "src")
    assert shown.stdout.rstrip() == result.summary.rstrip()
    assert f"{result.tokens} of the file's" in shown.stderr


def test_summary_for_an_edit_advises_to_read(as_json: RunForJson) -> None:
    assert as_json("summary", "src/counting.py", "--intent", "edit")["advice"]


@pytest.mark.parametrize(("path", "code"), [("src/none.py", 3), ("src", 1), ("/etc/hostname", 1), ("../home", 1)])
def test_a_summary_of_a_binary_or_missing_file_is_an_error(run: Run, path: str, code: int) -> None:
    done = run("summary", path, code=code)
    assert done.stdout == ""
    assert done.stderr.startswith("error: ")


def test_status_names_the_open_workspace(run: Run, as_json: RunForJson, folder: Path) -> None:
    result = msgspec.convert(as_json("status"), StatusResult)
    assert result.version == __version__
    assert [workspace.uri for workspace in result.workspaces] == [folder.as_uri()]
    assert folder.as_uri() in run("status").stdout


def test_warm_reads_everything_once(run: Run, as_json: RunForJson, folder: Path) -> None:
    for number in range(30):
        (folder / "src" / f"made_{number}.py").write_text(f"def made_{number}() -> int: ...\n", encoding="utf-8")
    result = msgspec.convert(as_json("warm"), StatusResult)
    (workspace,) = result.workspaces
    assert workspace.files == 31
    assert (workspace.warmup.state, workspace.warmup.done) == ("done", 31)
    assert "none were new" in run("warm").stdout


def test_settings_are_listed_with_their_origins(
    run: Run, as_json: RunForJson, folder: Path, environ: dict[str, str]
) -> None:
    (folder / ".agents").mkdir()
    (folder / ".agents" / "memory-sidecar.toml").write_text(
        '[memory]\ninjectBudgetTokens = 700\n[store]\nfolder = "/x"\n', encoding="utf-8"
    )
    printed = as_json("settings", env={"MEMORY_SIDECAR_FILES_WARM_UP": "off"})
    assert printed["settings"]["memory.injectBudgetTokens"]["value"] == 700
    assert printed["settings"]["memory.injectBudgetTokens"]["origin"].endswith(".agents/memory-sidecar.toml")
    assert fields(printed["settings"]["files.warmUp"], "value") == (False,)
    assert len(printed["problems"]) == 1
    assert "store.folder" in run("settings").stderr
    assert "5000" in run("settings", "memory.injectBudgetTokens").stdout
    assert "memory.enabled" in run("settings", "memory.enabeld", code=2).stderr


def test_doctor_finds_nothing_wrong_here(as_json: RunForJson, run: Run, environ: dict[str, str]) -> None:
    report = as_json("doctor")
    names = {check["name"] for check in report["checks"]}
    assert {"versions", "settings", "identity", "store", "privacy", "log", "watching", "server"} <= names
    assert report["ok"]
    assert [check for check in report["checks"] if check["state"] == "failed"] == []
    identity = next(check for check in report["checks"] if check["name"] == "identity")
    assert "git repository" in identity["found"]
    assert "All is well." in run("doctor").stdout or "to look at" in run("doctor").stdout


def test_doctor_says_what_to_do(run: Run, as_json: RunForJson, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    report = as_json("doctor", env={"MEMORY_SIDECAR_STORE_FOLDER": str(tmp_path / "file" / "x")}, code=1)
    assert fields(report, "ok") == (False,)
    failed = [check for check in report["checks"] if check["state"] == "failed"]
    assert "store" in {check["name"] for check in failed}
    assert all(check["advice"] for check in failed)
    problems = as_json("doctor", env={"MEMORY_SIDECAR_WATCH_MODE": "loud"})["checks"]
    assert any(check["state"] == "warning" and "watch.mode" in check["found"] for check in problems)


def test_version_prints_the_version(run: Run) -> None:
    assert run("--version").stdout == f"memory-sidecar, version {__version__}\n"


def test_help_names_every_command(run: Run) -> None:
    shown = run("--help").stdout
    commands = "tour serve record search list show inject summary edit archive restore delete history undo warm"
    for name in [*commands.split(), "status", "doctor", "settings", "completion"]:
        assert f"\n  {name} " in shown
        assert run(name, "--help").stdout.startswith(f"Usage: memory-sidecar {name}")


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_prints_the_shells_script(run: Run, shell: str) -> None:
    assert "_MEMORY_SIDECAR_COMPLETE" in run("completion", shell).stdout
    assert "_MEMORY_SIDECAR_COMPLETE" in run("completion", env={"SHELL": f"/bin/{shell}"}).stdout


def test_completion_for_an_unknown_shell_is_a_usage_error(run: Run) -> None:
    assert "bash, zsh or fish" in run("completion", env={"SHELL": "/bin/tcsh"}, code=2).stderr


@pytest.mark.skipif(shutil.which("bash") is None, reason="needs bash")
def test_bash_completes_commands_and_choices(
    environ: dict[str, str], command: list[str], folder: Path, tmp_path: Path
) -> None:
    program = tmp_path / "bin" / "memory-sidecar"
    program.parent.mkdir()
    program.write_text(f'#!/bin/sh\nexec {" ".join(command)} "$@"\n', encoding="utf-8")
    program.chmod(0o755)
    script = (
        'eval "$(memory-sidecar completion bash)"\n'
        "complete_line() { COMP_WORDS=($1); COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); COMPREPLY=(); "
        '_memory_sidecar_completion memory-sidecar; echo "${COMPREPLY[*]}"; }\n'
        'complete_line "memory-sidecar hist"\ncomplete_line "memory-sidecar record --type fe"\n'
    )
    done = subprocess.run(
        ["bash", "-c", script],
        capture_output=True,
        encoding="utf-8",
        cwd=folder,
        env={**environ, "PATH": f"{program.parent}:{environ['PATH']}"},
        timeout=300,
        check=True,
    )
    assert done.stdout.split() == ["history", "feedback"]


def test_the_guide_names_every_command(run: Run) -> None:
    text = (Path(__file__).resolve().parents[2] / "sidecar" / "GUIDE.md").read_text(encoding="utf-8")
    listed = run("--help").stdout.partition("Commands:")[2].partition("Exit codes")[0]
    names = [line.split()[0] for line in listed.splitlines() if line[:3].startswith("  ") and line[2:3].strip()]
    assert len(names) > 15
    for name in names:
        assert f"`{name}`" in text or f"`memory-sidecar {name}" in text, name


def test_call_sends_any_request(run: Run, as_json: RunForJson) -> None:
    for name in ("one", "two"):
        run("record", f"Note {name}.", "--name", name)
    one, two = (str(as_json("show", name)["id"]) for name in ("one", "two"))
    params = json.dumps({"from": one, "to": two, "kind": "extends"})
    assert json.loads(run("call", "memory/link", "-", stdin=params).stdout)["link"]["kind"] == "extends"
    assert json.loads(run("call", "memory/links", json.dumps({"id": one})).stdout)["items"][0]["id"] == two
    assert run("call", "event/userMessage", '{"sessionId": "s", "text": "Hello"}').stdout == ""
    assert set(METHODS) == {line.split()[0] for line in run("call").stdout.splitlines()}
