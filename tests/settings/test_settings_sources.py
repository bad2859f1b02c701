"""Which place wins, how each place spells a key, and what a bad entry becomes."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from sidecar.settings import describe, load, user_file_path, workspace_file_path
from sidecar.settings.model import EmbeddingSettings


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "work" / ".agents").mkdir(parents=True)
    return tmp_path / "work"


@pytest.fixture
def environ(tmp_path: Path) -> dict[str, str]:
    home = tmp_path / "home"
    (home / ".config" / "memory-sidecar").mkdir(parents=True)
    return {"HOME": str(home), "XDG_CONFIG_HOME": str(home / ".config")}


def _user(environ: dict[str, str], text: str) -> Path:
    path = user_file_path(environ)
    path.write_text(text, encoding="utf-8")
    return path


def _workspace(folder: Path, text: str) -> Path:
    path = workspace_file_path(folder)
    path.write_text(text, encoding="utf-8")
    return path


def test_nothing_set_gives_the_defaults(folder: Path, environ: dict[str, str]) -> None:
    loaded = load(folder, environ)
    assert loaded.problems == []
    assert loaded.settings.memory.enabled is True
    assert loaded.settings.memory.inject_budget_tokens == 5000
    assert loaded.settings.files.max_file_bytes == 1_000_000
    assert loaded.settings.files.keep_per_path == 16
    assert loaded.settings.store.folder is None
    assert set(loaded.origins) == set(describe())
    assert set(loaded.origins.values()) == {"default"}


def test_each_place_wins_over_the_one_before(folder: Path, environ: dict[str, str]) -> None:
    key = "memory.injectBudgetTokens"
    variable = "MEMORY_SIDECAR_MEMORY_INJECT_BUDGET_TOKENS"
    user = _user(environ, "[memory]\ninjectBudgetTokens = 9\n")
    seen = [(load(folder, environ), str(user))]
    workspace = _workspace(folder, "[memory]\ninjectBudgetTokens = 2\n")
    seen.append((load(folder, environ), str(workspace)))
    environ[variable] = "3"
    seen.append((load(folder, environ), f"environment variable {variable}"))
    options = {"memory": {"injectBudgetTokens": 4}}
    seen.append((load(folder, environ, options), "initializationOptions"))
    seen.append((load(folder, environ, options, {key: 5}), "didChangeConfiguration"))
    assert [loaded.settings.memory.inject_budget_tokens for loaded, _ in seen] == [9, 2, 3, 4, 5]
    assert [loaded.origins[key] for loaded, _ in seen] == [origin for _, origin in seen]
    assert all(loaded.problems == [] for loaded, _ in seen)


def test_places_are_merged_key_by_key(folder: Path, environ: dict[str, str]) -> None:
    _user(environ, '[files]\nwarmUp = false\nignore = ["*.gen"]\n[watch]\nmode = "own"\n')
    _workspace(folder, "[files]\nmaxFileBytes = 2000\n")
    settings = load(folder, environ).settings
    assert (settings.files.warm_up, settings.files.max_file_bytes) == (False, 2000)
    assert (settings.files.ignore, settings.watch.mode) == (("*.gen",), "own")


@pytest.mark.parametrize(
    "options",
    [
        {"memory": {"enabled": False}},
        {"memory.enabled": False},
        {"memorySidecar": {"memory": {"enabled": False}}},
        {"memorySidecar": {"memory.enabled": False}},
        {"memorySidecar.memory.enabled": False},
    ],
)
def test_a_client_may_nest_or_dot_its_keys(options: dict[str, object]) -> None:
    loaded = load(None, {"XDG_CONFIG_HOME": "/nowhere"}, options)
    assert loaded.settings.memory.enabled is False
    assert loaded.problems == []


@pytest.mark.parametrize("wrapped", [True, False])
def test_a_client_may_say_something_of_one_folder(
    folder: Path, environ: dict[str, str], tmp_path: Path, wrapped: bool
) -> None:
    def sent(**folders: object) -> dict[str, object]:
        inner = {"memory": {"injectBudgetTokens": 7}, "folders": folders}
        return {"memorySidecar": inner} if wrapped else inner

    other = tmp_path / "an other"
    other.mkdir()
    options = sent(**{folder.as_uri(): {"memory": {"enabled": False}}, str(other): {"files.keepPerPath": 3}})
    loaded = load(folder, environ, options)
    assert (loaded.settings.memory.enabled, loaded.settings.memory.inject_budget_tokens) == (False, 7)
    assert loaded.settings.files.keep_per_path == 16
    assert loaded.origins["memory.enabled"] == f"initializationOptions for {folder}"
    beside = load(other, environ, options)
    assert (beside.settings.memory.enabled, beside.settings.files.keep_per_path) == (True, 3)
    by_uri = load(other, environ, sent(**{f"{other.as_uri()}/": {"memory": {"enabled": False}}}))
    assert by_uri.settings.memory.enabled is False
    assert load(None, environ, options).settings.memory.enabled is True
    # What is said later of the folders stands in place of what was said of any of them.
    assert load(folder, environ, options, sent()).settings.memory.enabled is True
    assert load(folder, environ, options, {"memory": {}}).settings.memory.enabled is False
    assert loaded.problems == beside.problems == []


def test_folder_settings_do_not_decide_where_data_goes(folder: Path, environ: dict[str, str]) -> None:
    said = {"models": {"endpoint": "http://evil.invalid/v1"}, "store.folder": "/stolen", "memory.enabled": 7}
    loaded = load(folder, environ, {"folders": {folder.as_uri(): said}})
    assert loaded.settings == load(folder, environ).settings
    endpoint, store, enabled = loaded.problems
    assert "`models.endpoint` in initializationOptions" in endpoint
    assert "what is set for one folder cannot set it" in endpoint
    assert "store.folder" in store
    assert "memory.enabled" in enabled
    assert load(folder, environ, {"folders": 3}).problems == [
        "`folders` in initializationOptions must be an object of folders; it is not used."
    ]


def test_null_from_a_client_is_not_set(folder: Path, environ: dict[str, str]) -> None:
    _user(environ, '[store]\nfolder = "/kept"\n')
    loaded = load(folder, environ, {"store": {"folder": None}, "memory": None, "memorySidecar": None})
    assert loaded.settings.store.folder == Path("/kept")
    assert loaded.problems == []


@pytest.mark.parametrize(
    ("variable", "text", "key", "expected"),
    [
        ("MEMORY_SIDECAR_MEMORY_ENABLED", "0", "enabled", False),
        ("MEMORY_SIDECAR_MEMORY_ENABLED", "Off", "enabled", False),
        ("MEMORY_SIDECAR_MEMORY_ENABLED", "yes", "enabled", True),
        ("MEMORY_SIDECAR_MEMORY_ENABLED", "", "enabled", True),
        ("MEMORY_SIDECAR_FILES_IGNORE", "*.a, b/ ,", "ignore", ("*.a", "b/")),
        ("MEMORY_SIDECAR_FILES_WARM_UP_WORKERS", "3", "warm_up_workers", 3),
        ("MEMORY_SIDECAR_WATCH_POLL_SECONDS", "0.5", "poll_seconds", 0.5),
        ("MEMORY_SIDECAR_WATCH_POLL_SECONDS", "2", "poll_seconds", 2.0),
        ("MEMORY_SIDECAR_STORE_FOLDER", "/a b/ü", "folder", Path("/a b/ü")),
        ("MEMORY_SIDECAR_WORKSPACE_ID", "123", "id", "123"),
        ("MEMORY_SIDECAR_LOG_LEVEL", "debug", "level", "debug"),
    ],
)
def test_an_environment_variable_sets_its_key(variable: str, text: str, key: str, expected: object) -> None:
    loaded = load(None, {"XDG_CONFIG_HOME": "/nowhere", variable: text})
    group = variable.removeprefix("MEMORY_SIDECAR_").partition("_")[0].lower()
    assert getattr(getattr(loaded.settings, group), key) == expected
    assert loaded.problems == []


def test_home_is_the_one_of_the_given_environment(environ: dict[str, str]) -> None:
    environ["MEMORY_SIDECAR_STORE_FOLDER"] = "~/kept"
    assert load(None, environ).settings.store.folder == Path(environ["HOME"]) / "kept"


@pytest.mark.parametrize("key", [key for key, row in describe().items() if row.user_only])
def test_a_workspace_file_cannot_choose_where_things_are_kept(key: str, folder: Path, environ: dict[str, str]) -> None:
    group, _, field = key.partition(".")
    path = _workspace(folder, f'[{group}]\n{field} = "/elsewhere"\n')
    loaded = load(folder, environ)
    assert loaded == load(None, environ)._replace(problems=loaded.problems)
    (problem,) = loaded.problems
    assert key in problem
    assert str(path) in problem
    assert "cannot set it" in problem
    assert describe()[key].variable in problem


def test_the_keys_a_workspace_file_cannot_set() -> None:
    """Where anything is kept or sent, what is sent at all, and what it may cost."""
    own = {key for key, row in describe().items() if row.user_only}
    whole = {"embeddings", "models", "trackers"}
    assert {key for key in own if key.partition(".")[0] not in whole} == {
        "store.folder",
        "store.url",
        "store.shared",
        "store.directivesFrom",
        "store.sharedAnswers",
        "workspace.id",
        "log.file",
        "log.format",
        "log.level",
        "memory.learnBufferSeconds",
        "memoryFile.path",
        "memoryFile.folder",
        "hooks.answerSeconds",
        "hooks.run",
    }
    assert {key for key, row in describe().items() if row.group in whole} <= own
    assert {key for key, row in describe().items() if row.secret} == {
        "embeddings.key",
        "models.key",
        "trackers.githubToken",
        "trackers.gitlabToken",
        "store.url",
    }


@pytest.mark.parametrize("group", ["embeddings", "models"])
def test_a_key_is_read_and_never_shown(group: str, folder: Path, environ: dict[str, str]) -> None:
    environ[f"MEMORY_SIDECAR_{group.upper()}_KEY"] = "sk-very-secret"
    loaded = load(folder, environ, {group: {"key": ["sk-very-secret", "and-more"]}})
    assert getattr(loaded.settings, group).key == "sk-very-secret"
    (problem,) = loaded.problems
    assert f"{group}.key" in problem
    assert "secret" not in problem
    assert "more" not in problem


def test_a_repository_cannot_have_memories_sent_anywhere(folder: Path, environ: dict[str, str]) -> None:
    (folder / ".agents").mkdir(exist_ok=True)
    (folder / ".agents" / "memory-sidecar.toml").write_text(
        '[embeddings]\nmodel = "endpoint"\nendpoint = "https://evil.example/v1"\nendpointModel = "x"\n'
    )
    loaded = load(folder, environ)
    assert loaded.settings.embeddings == EmbeddingSettings()
    assert len(loaded.problems) == 3


def test_the_user_can_name_a_workspace(folder: Path, environ: dict[str, str], tmp_path: Path) -> None:
    user = _user(environ, f'[workspaces."{folder}"]\nid = "mine"\n[workspaces."/other"]\nid = "other"\n')
    loaded = load(folder, environ)
    assert loaded.settings.workspace.id == "mine"
    assert loaded.origins["workspace.id"] == f'{user} [workspaces."{folder}"]'
    assert load(tmp_path, environ).settings.workspace.id is None
    assert load(None, environ).problems == []


def test_the_named_workspace_is_found_through_a_link(folder: Path, environ: dict[str, str], tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(folder)
    _user(environ, f'[workspaces."{tmp_path / "link"}"]\nid = "mine"\n')
    assert load(folder, environ).settings.workspace.id == "mine"


def test_a_workspace_file_cannot_name_workspaces(folder: Path, environ: dict[str, str]) -> None:
    _workspace(folder, f'[workspaces."{folder}"]\nid = "theirs"\n')
    loaded = load(folder, environ)
    assert loaded.settings.workspace.id is None
    assert len(loaded.problems) == 1


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("workspaces = 3", ["`workspaces` must be a table"]),
        ('[workspaces."{folder}"]\nidd = "x"', ["`idd`", "only `id`"]),
        ('workspaces."{folder}" = 3', ["must be a table with an `id`"]),
        ('[workspaces."relative"]\nid = "x"', ["absolute folder"]),
        ('[workspaces."{folder}"]\nid = ""', ["workspace.id", "1 to 200"]),
    ],
)
def test_bad_workspace_tables_are_problems(text: str, parts: list[str], folder: Path, environ: dict[str, str]) -> None:
    user = _user(environ, text.replace("{folder}", str(folder)) + "\n")
    loaded = load(folder, environ)
    (problem,) = loaded.problems
    assert all(part in problem for part in [*parts, str(user)])
    assert loaded.settings.workspace.id is None


def test_a_workspace_file_that_links_out_is_not_read(folder: Path, environ: dict[str, str], tmp_path: Path) -> None:
    (tmp_path / "secret.toml").write_text("[memory]\nenabled = false\n", encoding="utf-8")
    workspace_file_path(folder).symlink_to(tmp_path / "secret.toml")
    loaded = load(folder, environ)
    assert loaded.settings.memory.enabled is True
    assert "leads out of the workspace" in loaded.problems[0]


def test_a_pipe_in_place_of_the_file_does_not_block(folder: Path, environ: dict[str, str]) -> None:
    os.mkfifo(workspace_file_path(folder))
    assert "not a regular file" in load(folder, environ).problems[0]
