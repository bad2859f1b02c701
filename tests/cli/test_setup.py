"""`memory-sidecar setup`: small changes to hand-written files, and back again."""

from __future__ import annotations

import json
import os
import subprocess
import tomllib
from pathlib import Path
from typing import Any

import pytest
import yaml
from click.testing import CliRunner

from sidecar.cli.agents import AGENT_INSTRUCTIONS, AGENTS, Machine, is_own_hook
from sidecar.cli.edits.jsonc import read_value
from sidecar.cli.setup import setup_command
from tests.cli.in_process import invoke

ROOT = Path(__file__).resolve().parents[2]
ZED = """// my settings
{
  "theme": "One Dark", // dark
  /* servers */
  "context_servers": {
    "other": { "command": "x" },
  },
}
"""
THEIRS = {
    ".claude.json": '{"numStartups": 3}',
    ".claude/settings.json": '{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "mine"}]}]}}',
    ".config/zed/settings.json": ZED,
    ".codex/config.toml": 'model = "x" # mine\n\n[mcp_servers.other]\ncommand = "y"\n',
    ".gemini/settings.json": '{\n  "ui": {"theme": "Dracula"}, // mine\n  "a": 1\n}\n',
    ".continue/config.yaml": "name: mine # mine\nmodels:\n- name: m\n  provider: ollama\nmcpServers:\n- name: other\n"
    "  command: y\n",
    ".config/goose/config.yaml": "GOOSE_MODEL: m # mine\nextensions:\n    developer:\n        enabled: true\n",
    ".config/opencode/opencode.jsonc": '{\n  // mine\n  "model": "a/b",\n}\n',
}


def run(home: Path, *arguments: str, answer: str = "", **more: str) -> subprocess.CompletedProcess[str]:
    kept = {key: value for key, value in os.environ.items() if key not in ("XDG_CONFIG_HOME", "CODEX_HOME")}
    environ = {**kept, "HOME": str(home), "NO_COLOR": "1", **more}
    return invoke(("setup", *arguments), environ, Path.cwd(), answer)


def files(home: Path) -> dict[str, bytes]:
    return {str(path.relative_to(home)): path.read_bytes() for path in home.rglob("*") if path.is_file()}


def without_backups(home: Path) -> dict[str, bytes]:
    return {name: data for name, data in files(home).items() if not name.endswith("-memory-sidecar")}


def parsed(path: Path) -> Any:
    text = path.read_text()
    if path.suffix == ".toml":
        return tomllib.loads(text)
    if path.suffix == ".yaml":
        return yaml.safe_load(text)
    if path.suffix in (".json", ".jsonc"):
        return read_value(text)
    return text


@pytest.fixture
def home(tmp_path: Path) -> Path:
    for name, text in THEIRS.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return tmp_path


@pytest.mark.parametrize("agent", AGENTS)
def test_set_up_again_and_undone(home: Path, agent: str) -> None:
    before = files(home)
    shown = run(home, agent, answer="n\n")
    assert "+" in shown.stdout
    assert files(home) == before, "shown and declined"
    done = run(home, agent, "--yes")
    assert done.returncode == 0, done.stderr
    after = files(home)
    assert after != before
    for change in AGENTS[agent].changes(Machine(home), ["x"]):
        assert "sidecar" in change.path.read_text()
        for line in THEIRS.get(str(change.path.relative_to(home)), "").splitlines():
            for word in ("# mine", "// mine", "// dark", "/* servers */"):
                assert word not in line or line in change.path.read_text()
    assert "already" in run(home, agent, "--yes").stdout
    assert files(home) == after
    assert run(home, agent, "--undo", "--yes").returncode == 0
    assert files(home) == before
    assert "nothing to undo" in run(home, agent, "--undo", "--yes").stdout


@pytest.mark.parametrize("agent", AGENTS)
def test_undone_after_the_agent_has_changed_its_file(home: Path, agent: str) -> None:
    changes = AGENTS[agent].changes(Machine(home), ["x"])
    before = {change.path: parsed(change.path) for change in changes if change.path.exists()}
    run(home, agent, "--yes")
    for change in changes:
        comment = "\n# later\n" if change.path.suffix in (".toml", ".yaml") else "\n"
        change.path.write_text(change.path.read_text() + comment)
    undone = run(home, agent, "--undo", "--yes")
    assert undone.returncode == 0, undone.stderr
    for change in changes:
        if change.path in before:
            assert parsed(change.path) == before[change.path]
        elif change.path.exists():
            assert change.path.suffix in (".toml", ".yaml")
            assert "memory-sidecar" not in change.path.read_text()
    assert without_backups(home) == files(home), "no backup is left"


def test_an_older_form_is_replaced_and_what_was_added_to_it_stays(home: Path) -> None:
    run(home, "codex", "--yes")
    config, hooks = home / ".codex" / "config.toml", home / ".codex" / "hooks.json"
    config.write_text(
        config.read_text().replace("startup_timeout_sec = 20", 'startup_timeout_sec = 5\nenv = { A = "b" }')
        + '\n[mcp_servers.memory-sidecar.tools.recall]\napproval_mode = "approve"\n'
    )
    hooks.write_text(hooks.read_text().replace("hook --agent codex", "/old/memory-sidecar hook", 1))
    assert "outdated" in run(home).stdout
    assert run(home, "codex", "--yes").returncode == 0
    server = tomllib.loads(config.read_text())["mcp_servers"]["memory-sidecar"]
    assert server["startup_timeout_sec"] == 20
    assert server["env"] == {"A": "b"}
    assert server["tools"]["recall"] == {"approval_mode": "approve"}
    assert all(len(items) == 1 for items in json.loads(hooks.read_text())["hooks"].values())
    assert run(home, "codex", "--undo", "--yes").returncode == 0
    assert set(tomllib.loads(config.read_text())["mcp_servers"]) == {"other"}


def test_setup_keeps_what_an_agent_wrote_since_the_last_one(home: Path) -> None:
    path = home / ".gemini" / "settings.json"
    run(home, "gemini", "--yes")
    older = path.read_text().replace("hook --agent gemini", "/old/memory-sidecar hook", 1)
    path.write_text(older.replace('"a": 1', '"a": 2'))
    assert run(home, "gemini", "--yes").returncode == 0
    assert run(home, "gemini", "--undo", "--yes").returncode == 0
    assert read_value(path.read_text()) == {"ui": {"theme": "Dracula"}, "a": 2}
    assert without_backups(home) == files(home), "no backup is left"


def test_setup_keeps_what_an_agent_wrote_while_the_user_was_asked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / ".gemini" / "settings.json"
    path.parent.mkdir()
    path.write_text("{}")
    monkeypatch.setenv("HOME", str(tmp_path))

    def asked(question: str) -> bool:
        path.write_text('{"a": 2}')
        return True

    monkeypatch.setattr("click.confirm", asked)
    done = CliRunner().invoke(setup_command, ["gemini"], standalone_mode=False)
    assert done.return_value == 1
    assert path.read_text() == '{"a": 2}'


def test_setup_and_undo_keep_windows_line_ends(home: Path) -> None:
    for place in (".gemini/settings.json", ".codex/config.toml", ".config/goose/config.yaml"):
        path = home / place
        path.write_bytes(path.read_bytes().replace(b"\n", b"\r\n"))
    for agent in ("gemini", "codex", "goose"):
        assert run(home, agent, "--yes").returncode == 0
    for place in (".gemini/settings.json", ".codex/config.toml", ".config/goose/config.yaml"):
        data = (home / place).read_bytes()
        assert b"sidecar" in data
        assert data.count(b"\n") == data.count(b"\r\n")
    assert "already" in run(home, "codex", "--yes").stdout
    assert "outdated" not in run(home, PATH="").stdout


def test_setup_lists_the_agents_found_and_their_states(home: Path) -> None:
    (home / ".qwen").mkdir()
    (home / ".qwen" / "settings.json").write_text("{ broken")
    run(home, "gemini", "--yes")
    lines = {line.split("  ")[0]: line for line in run(home, PATH="").stdout.splitlines()}
    assert "set up" in lines["Gemini CLI"]
    assert "not set up" not in lines["Gemini CLI"]
    assert "not set up  memory-sidecar setup codex" in lines["Codex CLI"]
    assert "Line 1" in lines["Qwen Code"]
    assert "Windsurf" not in lines
    assert "windsurf" in run(home, PATH="").stdout
    assert "not found here" in run(home, "--all", PATH="").stdout


def test_instructions_only_when_asked_for_and_marked(home: Path) -> None:
    file = home / ".gemini" / "GEMINI.md"
    file.write_text("# Mine\n\nBe brief.\n")
    run(home, "gemini", "--yes")
    assert file.read_text() == "# Mine\n\nBe brief.\n"
    run(home, "gemini", "--yes", "--instructions")
    assert AGENT_INSTRUCTIONS in file.read_text()
    file.write_text(file.read_text() + "\nLater.\n")
    assert "already" in run(home, "gemini", "--yes", "--instructions").stdout
    assert run(home, "gemini", "--undo", "--yes").returncode == 0
    assert file.read_text() == "# Mine\n\nBe brief.\n\nLater.\n"
    refused = run(home, "zed", "--yes", "--instructions")
    assert refused.returncode == 1
    assert "AGENTS.md" in refused.stderr


@pytest.mark.parametrize(
    ("agent", "place", "text", "said"),
    [
        ("gemini", ".gemini/settings.json", "{ broken", "Line 1"),
        ("gemini", ".gemini/settings.json", '{"mcpServers": []}', "is not an object"),
        ("codex", ".codex/config.toml", "= broken", "not valid TOML"),
        ("codex", ".codex/config.toml", 'mcp_servers = { other = { command = "y" } }', "by hand"),
        ("goose", ".config/goose/config.yaml", "a: [", "not valid YAML"),
        ("goose", ".config/goose/config.yaml", "extensions: {a: {b: 1}}\n", "by hand"),
        ("continue", ".continue/config.yaml", "mcpServers: nonsense\n", "not a list"),
    ],
)
def test_a_file_that_cannot_be_changed_is_left_alone(home: Path, agent: str, place: str, text: str, said: str) -> None:
    (home / place).write_text(text)
    before = files(home)
    refused = run(home, agent, "--yes")
    assert refused.returncode == 1
    assert said in refused.stderr
    assert files(home) == before


@pytest.mark.parametrize("broken", ["text", "folder"])
def test_a_file_that_cannot_be_read_or_written_is_said_and_left_alone(home: Path, broken: str) -> None:
    path = home / ".gemini" / "settings.json"
    if broken == "text":
        path.write_bytes(b'{"a": "\xff"}')
    else:
        path.unlink()
        path.mkdir()
    before = files(home)
    refused = run(home, "gemini", "--yes")
    assert refused.returncode == 1
    assert "Gemini CLI's configuration cannot be read or changed" in refused.stderr
    assert {name: data for name, data in files(home).items() if "/sidecar.log" not in name} == before


def test_with_the_plugin_of_claude_code_nothing_is_there_twice(home: Path) -> None:
    run(home, "claude", "--yes")
    settings = home / ".claude" / "settings.json"
    told = json.loads(settings.read_text()) | {"enabledPlugins": {"memory-sidecar@memory-sidecar": True}}
    settings.write_text(json.dumps(told))
    assert "outdated" in run(home).stdout
    assert run(home, "claude", "--yes").returncode == 0
    assert list(json.loads(settings.read_text())["hooks"]) == ["Stop"]
    assert json.loads((home / ".claude.json").read_text()) == {"numStartups": 3}
    assert "already" in run(home, "claude", "--yes").stdout


def test_agents_own_variables_move_their_folders(tmp_path: Path) -> None:
    moved = tmp_path / "moved"
    run(tmp_path, "codex", "--yes", CODEX_HOME=str(moved))
    assert (moved / "config.toml").exists()
    run(tmp_path, "claude", "--yes", CLAUDE_CONFIG_DIR=str(moved))
    assert (moved / ".claude.json").exists()
    assert (moved / "settings.json").exists()
    run(tmp_path, "opencode", "--yes", XDG_CONFIG_HOME=str(moved))
    assert (moved / "opencode" / "plugins" / "memory-sidecar.ts").exists()
    assert not (tmp_path / ".codex").exists()


def test_hooks_of_others_stay_and_the_plugin_folder_has_the_same(home: Path) -> None:
    run(home, "claude", "--yes")
    hooks = json.loads((home / ".claude" / "settings.json").read_text())["hooks"]
    assert hooks["Stop"][0]["hooks"][0]["command"] == "mine"
    assert hooks["Stop"][1]["hooks"][0]["command"].endswith("hook")
    plugin = json.loads((ROOT / "editors" / "claude-code" / "hooks" / "hooks.json").read_text())["hooks"]
    ours = AGENTS["claude"].files[0]
    wanted = {(event, ours.matchers.get(event)) for event in ours.events}
    assert {(event, entries[0].get("matcher")) for event, entries in plugin.items()} == wanted


@pytest.mark.parametrize("agent", ["codex", "gemini", "qwen", "copilot"])
def test_every_hook_is_known_again_as_ours(home: Path, agent: str) -> None:
    run(home, agent, "--yes")
    found = [
        item
        for change in AGENTS[agent].changes(Machine(home), ["x"])
        if change.path.suffix == ".json"
        for items in read_value(change.path.read_text()).get("hooks", {}).values()
        for item in items
    ]
    assert found
    assert all(is_own_hook(item) for item in found)
    assert not is_own_hook({"hooks": [{"command": "x hook"}]})
    assert not is_own_hook({"hooks": []})


@pytest.mark.parametrize(
    ("agent", "folder"),
    [
        *((name, name) for name in ("codex", "cursor", "zed", "windsurf", "crush", "goose", "continue")),
        *(("gemini", "gemini-cli"), ("qwen", "qwen-code"), ("copilot", "copilot-cli")),
    ],
)
def test_the_files_to_copy_are_what_is_written(agent: str, folder: str) -> None:
    for change in AGENTS[agent].changes(Machine(Path("/nowhere")), ["memory-sidecar"]):
        assert (ROOT / "editors" / folder / change.path.name).read_text() == change.edit("")
    assert (ROOT / "editors" / folder / "README.md").exists()
