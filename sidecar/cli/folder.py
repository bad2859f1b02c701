"""The folder that a command is about. Without click, for `mcp` starts without it."""

from __future__ import annotations

import os
from pathlib import Path

from sidecar.settings import load


def find_workspace(workspace: Path | None) -> Path:
    """The folder as given; without one, the workspace around the current folder.

    Inside a git repository that is the nearest folder, from here up to the repository's own, that has memory
    already, and the repository's own folder when none has; elsewhere it is the current folder.
    """
    if workspace is not None:
        return workspace.resolve()
    here = Path.cwd()
    top = next((folder for folder in (here, *here.parents) if (folder / ".git").exists()), None)
    if top is None or top == here:
        return here
    from sidecar.checkout.identity import identify
    from sidecar.store.location import data_home

    home = data_home(load(top, os.environ).settings.store.folder)
    for folder in (here, *here.parents):
        if folder == top:
            break
        override = load(folder, os.environ).settings.workspace.id
        if (home / "workspaces" / identify(folder, home, override).id).exists():
            return folder
    return top
