"""Where things are kept on this machine, without making anything."""

from __future__ import annotations

from pathlib import Path

from sidecar.settings import Settings
from sidecar.settings.user_folders import user_folder


def store_folder(settings: Settings) -> Path:
    """The folder that holds, or would hold, every store."""
    if settings.store.folder is not None:
        return settings.store.folder
    return user_folder("data")
