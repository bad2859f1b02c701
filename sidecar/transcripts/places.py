"""Where agents keep their things."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple


class Home(NamedTuple):
    """A home folder with the variables that move agents' folders, and the `roots` of the workspace asked about."""

    folder: Path
    environ: Mapping[str, str]
    roots: tuple[Path, ...] = ()

    def named(self, variable: str, default: str) -> Path:
        """The folder that a variable names, else one in the home folder."""
        given = self.environ.get(variable, "").strip()
        return Path(given).expanduser() if given else self.folder / default

    @property
    def data(self) -> Path:
        """`$XDG_DATA_HOME`, else `~/.local/share`."""
        return self.named("XDG_DATA_HOME", ".local/share")

    def files(self, variable: str, default: str, pattern: str) -> list[Path]:
        """Files below the folder that `named` gives. Raises `OSError` where it cannot be read."""
        folder = self.named(variable, default)
        if not folder.exists():
            return []
        os.scandir(folder).close()  # a glob passes over what it may not read
        return sorted(folder.glob(pattern))
