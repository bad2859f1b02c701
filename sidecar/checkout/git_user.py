"""The user that git would record for commits here, read from its configuration files without running anything."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from sidecar.checkout.gitconfig import read_config
from sidecar.checkout.repository import find_repository

_LONGEST = 200
_SYSTEM = Path("/etc/gitconfig")


class GitUser(NamedTuple):
    """Name and address as configured; either may be missing."""

    name: str | None = None
    email: str | None = None


def read_user(folder: Path, environ: Mapping[str, str]) -> GitUser:
    """Return the user of a folder. As in git, later files win: the machine's, the user's two, the repository's.

    `include.path` is followed in the user's own files; `includeIf` is not.
    """
    values: dict[str, str] = {}
    for path, own in _files(folder, environ):
        for key, value in read_config(path, includes=own):
            if key in ("user.name", "user.email"):
                values[key] = " ".join(value.split())[:_LONGEST]
    return GitUser(values.get("user.name") or None, values.get("user.email") or None)


def _files(folder: Path, environ: Mapping[str, str]) -> list[tuple[Path, bool]]:
    files = [(_SYSTEM, False)]
    if config_file := environ.get("GIT_CONFIG_GLOBAL"):
        files.append((Path(config_file), True))
    elif home := environ.get("HOME"):
        config = environ.get("XDG_CONFIG_HOME") or f"{home}/.config"
        files += [(Path(config) / "git" / "config", True), (Path(home) / ".gitconfig", True)]
    repository = find_repository(folder)
    if repository is not None:
        files.append((repository.common_dir / "config", False))
    return files
