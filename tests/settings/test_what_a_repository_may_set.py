"""A workspace's own file makes nothing more, larger, faster or looser than the user has it: every setting."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from sidecar.settings import LoadedSettings, describe, load, user_file_path, workspace_file_path
from sidecar.settings.table import value_of

SWITCHES = [key for key, row in describe().items() if row.default is True and not row.user_only]
FURTHER: dict[str, tuple[object, object, object]] = {
    **dict.fromkeys(SWITCHES, (False, True, False)),
    "memory.learn": ("propose", "confirm", "off"),
    "memory.ask": ("start", "stop", "never"),
    "memory.injectBudgetTokens": (8_000, 1_000_000, 6_000),
    "memory.injectMaxLines": (100, 1_000, 50),
    "memory.reviewDays": (90, 30, 180),
    "memoryFile.mode": ("off", "directory", "off"),
    "memoryFile.maxLines": (100, 200, 50),
    "maintenance.idleMinutes": (3.0, 2.9, 4.0),
    "maintenance.afterOpenMinutes": (20, 0, 30.0),
    "files.maxFileBytes": (2_000_000, 100_000_000, 1_500_000),
    "files.warmUpWorkers": (4, 64, 2),
    "files.keepPerPath": (16, 17, 1),
    "files.historyCommits": (5_000, 100_000, 10),
    "watch.mode": ("client", "auto", "off"),
    "watch.reconcileSeconds": (300, 0.1, 600.0),
    "watch.pollSeconds": (1.0, 0.1, 2.0),
    "files.ignore": (["a"], ["!a"], ["b"]),
}
"""The user's value, one of the repository's that goes beyond it, and one that does not."""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "work" / ".agents").mkdir(parents=True)
    return tmp_path / "work"


@pytest.fixture
def environ(tmp_path: Path) -> dict[str, str]:
    (tmp_path / "config" / "memory-sidecar").mkdir(parents=True)
    return {"HOME": str(tmp_path), "XDG_CONFIG_HOME": str(tmp_path / "config")}


def write(path: Path, key: str, value: object) -> None:
    group, _, field = key.partition(".")
    path.write_text(f"[{group}]\n{field} = {json.dumps(value)}\n")


def value(loaded: LoadedSettings, key: str) -> object:
    return value_of(loaded.settings, describe()[key])


def test_every_setting_is_in_the_table() -> None:
    assert FURTHER.keys() == {key for key, row in describe().items() if not row.user_only}


@pytest.mark.parametrize("key", FURTHER)
def test_a_workspace_value_counts_only_within_the_users_value(key: str, folder: Path, environ: dict[str, str]) -> None:
    users, beyond, within = FURTHER[key]
    write(user_file_path(environ), key, users)
    before = value(load(folder, environ), key)
    write(workspace_file_path(folder), key, beyond)
    refused = load(folder, environ)
    assert value(refused, key) == before
    (problem,) = refused.problems
    assert f"`{key}` in {workspace_file_path(folder)}: a workspace's own file may " in problem
    assert problem.endswith("is used.")
    assert refused.origins[key] == str(user_file_path(environ))
    write(workspace_file_path(folder), key, within)
    accepted = load(folder, environ)
    assert accepted.problems == []
    assert value(accepted, key) == (("a", "b") if key == "files.ignore" else within)
    assert accepted.origins[key] == str(workspace_file_path(folder))


@pytest.mark.parametrize(
    ("key", "beyond"),
    [
        ("memory.injectBudgetTokens", 1_000_000),
        ("memory.ask", "stop"),
        ("files.maxFileBytes", 1_000_001),
        ("files.warmUpWorkers", 2),
        ("files.historyCommits", 5_001),
        ("watch.mode", "own"),
        ("watch.reconcileSeconds", 0.1),
        ("watch.pollSeconds", 4.9),
        ("maintenance.idleMinutes", 0),
    ],
)
def test_a_workspace_value_beyond_the_default_is_refused(
    key: str, beyond: object, folder: Path, environ: dict[str, str]
) -> None:
    write(workspace_file_path(folder), key, beyond)
    loaded = load(folder, environ)
    assert value(loaded, key) == describe()[key].default
    assert len(loaded.problems) == 1


def test_a_refused_workspace_value_says_what_is_allowed(folder: Path, environ: dict[str, str]) -> None:
    said = {
        "memory.injectBudgetTokens": (1_000_000, "may only lower it; 5000 is used."),
        "watch.reconcileSeconds": (0.1, "may only raise it; 300.0 is used."),
        "memory.ask": ("stop", 'may only choose "never" or "start"; "start" is used.'),
        "files.ignore": (["!.env"], "none with `!`, which would cancel others; "),
    }
    for key, (given, words) in said.items():
        write(workspace_file_path(folder), key, given)
        (problem,) = load(folder, environ).problems
        assert words in problem


def test_folder_settings_of_an_editor_are_limited_too(folder: Path, environ: dict[str, str]) -> None:
    options = {"folders": {folder.as_uri(): {"memory": {"injectBudgetTokens": 1_000_000}}}}
    loaded = load(folder, environ, options)
    assert loaded.settings.memory.inject_budget_tokens == 5_000
    assert "what is set for one folder may only lower it" in loaded.problems[0]


def test_the_user_may_set_any_value_in_other_sources(folder: Path, environ: dict[str, str]) -> None:
    write(workspace_file_path(folder), "memory.injectBudgetTokens", 2)
    environ["MEMORY_SIDECAR_MEMORY_INJECT_BUDGET_TOKENS"] = "900000"
    assert load(folder, environ).settings.memory.inject_budget_tokens == 900_000
