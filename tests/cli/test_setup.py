"""`memory-sidecar setup`: small changes to files that people write by hand, and back again."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
import yaml

from sidecar.cli.agents import AGENTS, HOOKS, changes
from sidecar.cli.jsonc import NotJson, with_item, with_value

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


def run(home: Path, *arguments: str, answer: str = "") -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-P", "-m", "sidecar", "setup", *arguments],
        env={**os.environ, "HOME": str(home), "PYTHONPATH": str(ROOT), "NO_COLOR": "1"},
        input=answer,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


def files(home: Path) -> dict[str, bytes]:
    return {str(path.relative_to(home)): path.read_bytes() for path in home.rglob("*") if path.is_file()}


def test_comments_order_and_trailing_commas_stay() -> None:
    changed = with_value(ZED, ["context_servers", "mine"], {"command": "y"})
    assert "// dark" in changed
    assert "/* servers */" in changed
    kept = [line for line in changed.splitlines() if line in ZED.splitlines()]
    assert len(kept) == len(ZED.splitlines())
    assert with_value(changed, ["context_servers", "mine"], {"command": "y"}) == changed
    assert '"y"' not in with_value(changed, ["context_servers", "mine"], {"command": "z"})


@pytest.mark.parametrize(
    "text",
    ["", "{}", "{ }\n", '{"a": 1}', '{"a": [1, 2,],}', '{\n\t"a": {"b": []}\n}\n', '\ufeff{"a": "}{//"}'],
)
def test_every_shape_takes_a_value_and_an_item(text: str) -> None:
    changed = with_item(with_value(text, ["n", "m"], {"x": 1}), ["list", "inner"], {"y": 2})
    once_more = with_item(with_value(changed, ["n", "m"], {"x": 1}), ["list", "inner"], {"y": 2})
    assert once_more == changed
    if ",]" not in text:
        read = json.loads(changed.removeprefix("\ufeff"))
        assert read["n"] == {"m": {"x": 1}}
        assert read["list"] == {"inner": [{"y": 2}]}


@pytest.mark.parametrize("text", ["{", "[1", '{"a" 1}', "{} {}", "nonsense", '{"a": tru}', "[" * 5_000])
def test_what_is_no_json_is_not_touched(text: str) -> None:
    with pytest.raises(NotJson):
        with_value(text, ["a", "b"], 1)


@pytest.mark.parametrize("agent", AGENTS)
def test_set_up_again_and_undone(tmp_path: Path, agent: str) -> None:
    (tmp_path / ".claude.json").write_text('{"numStartups": 3}')
    (tmp_path / ".config" / "zed").mkdir(parents=True)
    (tmp_path / ".config" / "zed" / "settings.json").write_text(ZED)
    (tmp_path / ".codex").mkdir()
    (tmp_path / ".codex" / "config.toml").write_text(
        'model = "x" # mine\n\n[mcp_servers.other]\ncommand = "y"\n'
    )
    before = files(tmp_path)
    shown = run(tmp_path, agent, answer="n\n")
    assert "+" in shown.stdout
    assert files(tmp_path) == before, "shown and declined"
    assert run(tmp_path, agent, "--yes").returncode == 0
    after = files(tmp_path)
    assert after != before
    for change in changes(agent, tmp_path, ["x"]):
        text = change.path.read_text()
        if change.path.suffix == ".toml":
            servers = tomllib.loads(text)["mcp_servers"]
            assert set(servers) == {"other", "memory-sidecar"}
            assert "# mine" in text
        elif change.path.suffix == ".yaml":
            assert yaml.safe_load(text)["mcpServers"][0]["args"][-1] == "mcp"
        elif change.path.name == ".claude.json":
            assert json.loads(text)["numStartups"] == 3
    assert "already" in run(tmp_path, agent, "--yes").stdout
    assert files(tmp_path) == after
    assert run(tmp_path, agent, "--undo", "--yes").returncode == 0
    assert files(tmp_path) == before
    assert "nothing to undo" in run(tmp_path, agent, "--undo", "--yes").stdout


def test_a_file_changed_since_is_not_put_back(tmp_path: Path) -> None:
    run(tmp_path, "cursor", "--yes")
    file = tmp_path / ".cursor" / "mcp.json"
    file.write_text(file.read_text() + "\n")
    refused = run(tmp_path, "cursor", "--undo", "--yes")
    assert refused.returncode == 1
    assert "changed since" in refused.stderr
    assert "memory-sidecar" in file.read_text()


def test_a_broken_file_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / ".gemini").mkdir()
    (tmp_path / ".gemini" / "settings.json").write_text("{ broken")
    refused = run(tmp_path, "gemini", "--yes")
    assert refused.returncode == 1
    assert "Line 1" in refused.stderr
    assert (tmp_path / ".gemini" / "settings.json").read_text() == "{ broken"


def test_hooks_of_others_stay_and_the_plugin_folder_has_the_same(tmp_path: Path) -> None:
    settings = tmp_path / ".claude" / "settings.json"
    settings.parent.mkdir()
    settings.write_text(
        json.dumps({"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "mine"}]}]}})
    )
    run(tmp_path, "claude", "--yes")
    hooks = json.loads(settings.read_text())["hooks"]
    assert hooks["Stop"][0]["hooks"][0]["command"] == "mine"
    assert hooks["Stop"][1]["hooks"][0]["command"].endswith("hook")
    plugin = json.loads((ROOT / "editors" / "claude-code" / "hooks" / "hooks.json").read_text())["hooks"]
    assert {(event, entries[0].get("matcher")) for event, entries in plugin.items()} == set(HOOKS)
