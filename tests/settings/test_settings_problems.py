"""A bad setting is a message that names the key and its place; the value it would have replaced stands."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sidecar.settings import LoadedSettings, describe, load
from sidecar.settings.table import Setting, assemble, convert, value_of
from tests.client.json_value import Json

pytestmark = pytest.mark.slow

NO_FILES = {"XDG_CONFIG_HOME": "/nowhere"}


def _toml(tmp_path: Path, data: bytes) -> LoadedSettings:
    path = tmp_path / "settings.toml"
    path.write_bytes(data)
    return load(None, NO_FILES, user_file=path)


@pytest.mark.parametrize(
    ("text", "key", "meant"),
    [
        ("[memory]\nenabld = false", "memory.enabld", "memory.enabled"),
        ("[memory]\ninject_budget_tokens = 1", "memory.inject_budget_tokens", "memory.injectBudgetTokens"),
        ("[files]\nmaxFileByte = 5000", "files.maxFileByte", "files.maxFileBytes"),
        ("maxFileBytes = 5000", "maxFileBytes", "files.maxFileBytes"),
        ("[zzz]\nqqqqqq = 1", "zzz", None),
    ],
)
def test_an_unknown_key_is_named_with_the_likely_one(tmp_path: Path, text: str, key: str, meant: str | None) -> None:
    loaded = _toml(tmp_path, text.encode())
    (problem,) = loaded.problems
    assert f"`{key}`" in problem
    assert str(tmp_path / "settings.toml") in problem
    assert (f"Did you mean `{meant}`?" in problem) if meant else ("Did you mean" not in problem)
    assert loaded.settings == load(None, NO_FILES).settings


def test_an_unknown_variable_is_named_with_the_likely_one() -> None:
    (problem,) = load(None, NO_FILES | {"MEMORY_SIDECAR_STORE_FOLDR": "/x"}).problems
    assert "`MEMORY_SIDECAR_STORE_FOLDR`" in problem
    assert "Did you mean `MEMORY_SIDECAR_STORE_FOLDER`?" in problem


BAD: list[tuple[str, object]] = [
    ("memory.enabled", "false"),
    ("memory.enabled", 0),
    ("memory.injectBudgetTokens", "7"),
    ("memory.injectBudgetTokens", 0),
    ("memory.injectBudgetTokens", 1_000_001),
    ("memory.injectBudgetTokens", True),
    ("memory.injectBudgetTokens", 2.5),
    ("files.ignore", "*.py"),
    ("files.ignore", [1]),
    ("files.ignore", [""]),
    ("files.warmUpWorkers", 0),
    ("files.warmUpWorkers", 65),
    ("files.keepPerPath", {}),
    ("watch.mode", "Own"),
    ("watch.pollSeconds", 0),
    ("watch.pollSeconds", float("nan")),
    ("watch.reconcileSeconds", float("inf")),
    ("store.folder", "relative/folder"),
    ("store.folder", "/nul\0byte"),
    ("store.folder", 7),
    ("workspace.id", ""),
    ("workspace.id", "x" * 201),
    ("log.level", "loud"),
]


@pytest.mark.parametrize(("key", "value"), BAD)
def test_a_bad_value_leaves_the_default(key: str, value: Json) -> None:
    loaded = load(None, NO_FILES, {key: value})
    (problem,) = loaded.problems
    assert f"`{key}` in initializationOptions" in problem
    assert describe()[key].accepts in problem
    assert loaded.settings == load(None, NO_FILES).settings
    assert loaded.origins[key] == "default"


def test_a_bad_value_spares_its_neighbours() -> None:
    loaded = load(None, NO_FILES, {"files": {"keepPerPath": "many", "warmUp": False}})
    assert len(loaded.problems) == 1
    assert loaded.settings.files.warm_up is False
    assert loaded.settings.files.keep_per_path == 16


def test_a_bad_value_in_a_workspace_file_cannot_undo_the_users_choice(tmp_path: Path) -> None:
    user = tmp_path / "settings.toml"
    user.write_text("[memory]\nenabled = false\n", encoding="utf-8")
    (tmp_path / ".agents").mkdir()
    (tmp_path / ".agents" / "memory-sidecar.toml").write_text('[memory]\nenabled = "x"\n', encoding="utf-8")
    loaded = load(tmp_path, NO_FILES, user_file=user)
    assert loaded.settings.memory.enabled is False
    assert loaded.origins["memory.enabled"] == str(user)
    assert "false is used" in loaded.problems[0]


@pytest.mark.parametrize(
    ("data", "part"),
    [
        (b"[memory\n", "not valid TOML"),
        (b"a = 1\na = 2\n", "not valid TOML"),
        (b"\xff\xfe\x00", "not UTF-8"),
        (b"a = " + b"[" * 100_000, "not"),
        (b"#" * 1_000_001, "larger than"),
    ],
)
def test_an_unusable_file_is_named(tmp_path: Path, data: bytes, part: str) -> None:
    loaded = _toml(tmp_path, data)
    (problem,) = loaded.problems
    assert part in problem
    assert str(tmp_path / "settings.toml") in problem
    assert loaded.settings == load(None, NO_FILES).settings


def test_a_folder_in_place_of_the_settings_file_is_a_problem(tmp_path: Path) -> None:
    (tmp_path / "settings.toml").mkdir()
    (problem,) = load(None, NO_FILES, user_file=tmp_path / "settings.toml").problems
    assert "settings.toml" in problem


@pytest.mark.skipif(os.geteuid() == 0, reason="root reads everything")
def test_an_unreadable_file_is_named(tmp_path: Path) -> None:
    path = tmp_path / "settings.toml"
    path.write_bytes(b"")
    path.chmod(0)
    (problem,) = load(None, NO_FILES, user_file=path).problems
    assert "could not be read" in problem


def test_a_mark_at_the_start_of_the_file_is_no_problem(tmp_path: Path) -> None:
    assert _toml(tmp_path, "\ufeff[memory]\nenabled = false\n".encode()).settings.memory.enabled is False


def test_a_long_bad_value_does_not_flood_the_message() -> None:
    (problem,) = load(None, NO_FILES, {"memory.enabled": "x" * 100_000, "memory": {}}).problems
    assert len(problem) < 300


def test_a_key_cannot_write_to_the_terminal_or_break_the_line(tmp_path: Path) -> None:
    (problem,) = _toml(tmp_path, b'"x\\u001b[31m\\ny" = 1').problems
    assert "\x1b" not in problem
    assert "\n" not in problem


@pytest.mark.parametrize("row", describe().values(), ids=lambda row: str(row.key))
def test_every_row_is_whole(row: Setting) -> None:
    assert row.description.endswith(".")
    assert row.accepts
    assert row.variable == row.variable.upper()
    assert value_of(assemble({}), row) == row.default
    if row.default is not None and not isinstance(row.default, tuple):
        assert convert(row, row.default) == row.default


_SCALARS = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20)
_KEYS = st.sampled_from([*describe(), *(row.group for row in describe().values()), "memorySidecar"]) | st.text(
    max_size=12
)
_DOCUMENTS = st.dictionaries(
    _KEYS | st.sampled_from([row.field for row in describe().values()]),
    st.recursive(
        _SCALARS,
        lambda inner: (
            st.lists(inner, max_size=3)
            | st.dictionaries(_KEYS | st.sampled_from([row.field for row in describe().values()]), inner, max_size=3)
        ),
        max_leaves=8,
    ),
    max_size=5,
)
_VARIABLES = st.dictionaries(
    st.sampled_from([row.variable for row in describe().values()])
    | st.text(max_size=12).map(lambda text: f"MEMORY_SIDECAR_{text}"),
    st.text(max_size=20),
    max_size=4,
)


@settings(deadline=None)
@given(options=_DOCUMENTS, configuration=_DOCUMENTS, variables=_VARIABLES)
def test_load_never_raises_and_what_it_gives_is_valid(
    options: dict[str, object], configuration: dict[str, object], variables: dict[str, str]
) -> None:
    loaded = load(None, NO_FILES | variables, options, configuration)
    for key, row in describe().items():
        value = value_of(loaded.settings, row)
        if value is not None:
            assert convert(row, list(value) if isinstance(value, tuple) else _text(value)) == value
        assert loaded.origins[key] == "default" or value is not None


def _text(value: object) -> object:
    return str(value) if isinstance(value, Path) else value


_TOML_LIKE = st.lists(
    st.sampled_from(
        ["[memory]", "enabled", " = ", "true", "\n", '"', "'", "[", "]", "{", "}", "workspaces", ".", "1", "é", "\0"]
    ),
    max_size=30,
).map(lambda parts: "".join(parts).encode())


@settings(deadline=None)
@given(data=st.binary(max_size=200) | _TOML_LIKE)
def test_no_bytes_in_a_file_make_load_raise(data: bytes, tmp_path_factory: pytest.TempPathFactory) -> None:
    folder = tmp_path_factory.getbasetemp() / "any-bytes"
    (folder / ".agents").mkdir(parents=True, exist_ok=True)
    (folder / ".agents" / "memory-sidecar.toml").write_bytes(data)
    (folder / "user.toml").write_bytes(data)
    loaded = load(folder, NO_FILES, user_file=folder / "user.toml")
    assert all(isinstance(problem, str) and "\n" not in problem for problem in loaded.problems)


@pytest.mark.parametrize("options", [3, "text", [1], True])
def test_client_settings_of_a_wrong_shape_are_a_problem(options: Any) -> None:
    assert load(None, NO_FILES, options).problems == ["initializationOptions must be an object; it is not used."]
