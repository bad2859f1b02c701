"""Find the folder that a command is about, without importing click, which `mcp` does not need."""

from __future__ import annotations

import os
from pathlib import Path

from sidecar.settings import load


def find_workspace(workspace: Path | None) -> Path:
    """Return the given folder or, without one, the workspace around the current folder.

    Inside a git repository, that is the nearest folder with memory on the way up to the repository's root; without one,
    the root. Outside git, it is the current folder.
    """
    if workspace is not None:
        return workspace.resolve()
    start = Path.cwd()
    top = next((folder for folder in (start, *start.parents) if (folder / ".git").exists()), None)
    if top is None or top == start:
        return start
    from sidecar.checkout.identity import identify
    from sidecar.store.location import data_home

    home = data_home(load(top, os.environ).settings.store.folder)
    for folder in (start, *start.parents):
        if folder == top:
            break
        override = load(folder, os.environ).settings.workspace.id
        if (home / "workspaces" / identify(folder, home, override).id).exists():
            return folder
    return top
