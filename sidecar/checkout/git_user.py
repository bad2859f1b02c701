"""Read from git's configuration files, without running git, the user that git would record for a commit."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from sidecar.checkout.gitconfig import read_user_config
from sidecar.checkout.repository import find_repository

_MAX_CHARS = 200


class GitUser(NamedTuple):
    name: str | None = None
    email: str | None = None


def read_user(folder: Path, environ: Mapping[str, str]) -> GitUser:
    repository = find_repository(folder)
    values = read_user_config(environ, None if repository is None else repository.common_dir / "config")
    return GitUser(*(" ".join(values.get(f"user.{key}", "").split())[:_MAX_CHARS] or None for key in GitUser._fields))
