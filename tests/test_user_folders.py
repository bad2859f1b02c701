"""The folders are those that platformdirs names, also where it is not asked."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import platformdirs
import pytest

from sidecar.user_folders import Kind, user_folder


@pytest.mark.parametrize("kind", ["data", "config", "log"])
@pytest.mark.parametrize(
    "given", [None, "", " ", "/srv/data", "/srv/a b/", "relative", "~/data", " /srv/data", "/srv//x/"]
)
@pytest.mark.parametrize("home", ["/home/somebody", "/home/some~body", "relative", ""])
def test_the_folders_are_those_of_platformdirs(
    monkeypatch: pytest.MonkeyPatch, kind: Kind, given: str | None, home: str
) -> None:
    monkeypatch.setenv("HOME", home)
    for name in ("XDG_DATA_HOME", "XDG_CONFIG_HOME", "XDG_STATE_HOME"):
        if given is None:
            monkeypatch.delenv(name, raising=False)
        else:
            monkeypatch.setenv(name, given)
    asked: dict[str, Callable[..., Path]] = {
        "data": platformdirs.user_data_path,
        "config": platformdirs.user_config_path,
        "log": platformdirs.user_log_path,
    }
    assert user_folder(kind) == Path(asked[kind]("memory-sidecar", appauthor=False))
